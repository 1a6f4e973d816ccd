import {
  type EvalReport,
  type EvalRow,
  experimentOf,
  type LangfuseExperiments,
  type ReportedExperiment,
} from '../../eval/index.ts'
import { asError, type Quaero } from '../../index.ts'
import { plainLine } from '../output/plain-text.ts'
import { type Input, type Output, tell } from '../output/terminal.ts'

export interface ExperimentFlags {
  readonly langfuse?: boolean | undefined
  /** The names of the dataset and of the run there. */
  readonly langfuseDataset?: string | undefined
  readonly langfuseRun?: string | undefined
}

interface Place {
  readonly quaero: Quaero
  readonly input: Input
  readonly output: Output
  readonly flags: ExperimentFlags
}

/** Reports an evaluation as an experiment, and says where it is; null, and one line, where it does not arrive. */
export async function reportTo(
  langfuse: LangfuseExperiments,
  report: EvalReport,
  rows: readonly EvalRow[],
  { quaero, input, output, flags }: Place,
): Promise<ReportedExperiment | null> {
  const names = { dataset: flags.langfuseDataset, run: flags.langfuseRun }
  try {
    const experiment = await experimentOf(report, rows, { quaero, names })
    const reported = await langfuse.report(experiment, input.signal)
    tell(output, `The experiment: ${plainLine(reported.url)}`)
    return reported
  } catch (error) {
    const why = input.signal.aborted ? 'it was stopped' : asError(error).message.replace(/\.$/, '')
    tell(output, plainLine(`The experiment is not complete in Langfuse: ${why}. The same command reports it again.`))
    return null
  }
}
