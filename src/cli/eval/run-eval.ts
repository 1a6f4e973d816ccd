import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import {
  assembleExperiments,
  beginExperiment,
  compare,
  type EvalExperiment,
  type EvalReport,
  type EvalRow,
  EvaluationStopped,
  evalReport,
  evaluate,
  isFailure,
  isJudged,
  type Journal,
  type LangfuseExperiments,
  type RowScore,
  readDataset,
  requireNames,
  summarise,
} from '../../eval/index.ts'
import { asError, type Config, PathNotFound, type Quaero, UsageError } from '../../index.ts'
import { problemsIn } from '../../options.ts'
import { redactAll } from '../../redact.ts'
import { given, type Workplace } from '../command/command.ts'
import { exitCodeOfError, exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { startFileProgress } from '../output/progress.ts'
import { pluralOf, shorten } from '../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../output/terminal.ts'
import { addDocuments } from '../shared/add-documents.ts'
import { limitsOf, type RunFlags } from '../shared/run-to-end.ts'
import { describeReport } from './eval-figures.ts'
import { journalOf, ReportUnwritten, requireWritable, writeReport } from './eval-files.ts'

export interface EvalFlags extends RunFlags {
  readonly dataset: string
  readonly documents?: readonly string[] | undefined
  readonly model?: string | undefined
  readonly concurrency?: number | undefined
  /** The path of the report. */
  readonly out?: string | undefined
  /** The path of an earlier report. */
  readonly baseline?: string | undefined
  /** Percent of the judged rows. */
  readonly failUnder?: number | undefined
  readonly langfuse?: boolean | undefined
  readonly langfuseDataset?: string | undefined
  readonly langfuseRun?: string | undefined
}

const defaultConcurrency = 4

/** `quaero eval`: asks every question of a dataset, and judges the answers. */
export async function runEval({ open, config, input, output }: Workplace, flags: EvalFlags): Promise<number> {
  const rows = await readDataset(flags.dataset)
  requireJudged(rows, flags)
  const baseline = flags.baseline === undefined ? null : redactAll(await readReport(flags.baseline), output.hide)
  if (flags.out !== undefined) await requireWritable(flags.out, flags.dataset)
  const langfuse = flags.langfuse ? await assembleExperiments(config()) : null
  const startedAt = new Date().toISOString()
  const quaero = await open()
  requireNames(rows, namesIn(quaero, config()))
  const documentIds = flags.documents && (await idsOf(quaero, flags.documents, { input, output, flags }))
  const journal = await journalOf({ quaero, config: config(), rows, documentIds, flags })
  const experiment = await announce(langfuse, { quaero, rows, journal, startedAt, input, flags })
  const plan = experiment?.plan
  const { scores, resumed } = await askAll({ quaero, rows, documentIds, journal, plan, input, output, flags })
  const judged: EvalReport = redactAll(
    {
      version: 1 as const,
      dataset: flags.dataset,
      model: await modelOf(quaero, scores),
      startedAt,
      resumed,
      summary: summarise(scores),
      rows: [...scores],
    },
    output.hide,
  )
  const reported = experiment && (await finish(experiment, judged, { input, output }))
  const report: EvalReport = {
    ...judged,
    ...(reported && { experiment: reported }),
    ...(baseline && { comparison: redactAll(compare(baseline, judged), output.hide) }),
  }
  const unwritten = await printAndWrite(report, output, flags)
  // The same command reports again, without asking, what did not arrive.
  const isIncomplete = (langfuse !== null && reported === null) || unwritten !== null
  if (!isIncomplete) await journal.finish()
  if (input.signal.aborted) return exitCodes.interrupted
  const code = exitCodeOf(report.summary, output, flags)
  return isIncomplete ? exitCodeOfError(unwritten?.code) : code
}

function requireJudged(rows: readonly EvalRow[], { dataset, failUnder }: EvalFlags): void {
  if (failUnder === undefined || rows.some(isJudged)) return
  throw new UsageError(`No question of ${dataset} has an expectation, so --fail-under has nothing to go by.`)
}

/** A dataset may name built-in tools that are not configured. */
const builtInTools = 'pdf_retrieval read_passages document_overview web_search read_page delegate'.split(' ')

function namesIn({ tools }: Quaero, { settings }: Config) {
  const { secondReading: _, ...agents } = settings.agents
  return {
    agents: [...Object.keys(agents), ...Object.keys(settings.specialists)],
    tools: [...new Set([...builtInTools, ...tools.list().map(({ name }) => name)])],
  }
}

async function printAndWrite(report: EvalReport, output: Output, flags: EvalFlags): Promise<ReportUnwritten | null> {
  if (flags.json) printJson(output, report)
  else print(output, describeReport(report))
  tellFailures(report, output)
  try {
    if (flags.out !== undefined) await writeReport(report, flags.out)
    return null
  } catch (error) {
    if (!(error instanceof ReportUnwritten)) throw error
    tell(output, plainLine(`quaero: ${error.message}`))
    return error
  }
}

function tellFailures({ summary: { failures }, rows }: EvalReport, output: Output): void {
  if (failures === 0) return
  const first = rows.find(({ error, status }) => error !== null && isFailure(status))
  const why = first?.error ? ` The first of them, ${first.id}: ${first.error.message}` : ''
  tell(output, plainLine(`${pluralOf(failures, 'run')} failed or had a model that failed, counted as wrong.${why}`))
}

function exitCodeOf({ passed }: EvalReport['summary'], output: Output, { failUnder }: EvalFlags): number {
  if (failUnder === undefined) return exitCodes.ok
  if (passed.of > 0 && passed.hits * 100 >= failUnder * passed.of) return exitCodes.ok
  tell(output, `Fewer than ${failUnder} % passed: ${passed.hits} of ${passed.of} that were judged.`)
  return exitCodes.failed
}

interface Place {
  readonly input: Input
  readonly output: Output
  readonly flags: EvalFlags
}

interface Asking extends Place {
  readonly quaero: Quaero
  readonly rows: readonly EvalRow[]
  /** The documents that the questions search; undefined for the whole library. */
  readonly documentIds: readonly string[] | undefined
  readonly journal: Journal
  readonly plan: EvalExperiment['plan'] | undefined
}

/** Adds the documents once for all questions, and returns the ids of those that could be read. */
async function idsOf(quaero: Quaero, documents: readonly string[], { input, output, flags }: Place) {
  const report = await addDocuments(quaero, documents, output, { quiet: flags.quiet, signal: input.signal })
  return report.documents.flatMap(({ documentId }) => (documentId === null ? [] : [documentId]))
}

async function askAll({ quaero, rows, documentIds, journal, plan, input, output, flags }: Asking) {
  const before = new Set(journal.judged.map(({ id }) => id))
  const done = new Set(before)
  const known = rows.filter(({ id }) => before.has(id)).length
  if (known > 0 && !flags.quiet) tell(output, `Continues after ${known} of ${pluralOf(rows.length, 'question')}.`)
  const progress = await startFileProgress(output, flags.quiet)
  try {
    const scores = await evaluate({
      quaero,
      rows,
      judged: journal.judged,
      concurrency: flags.concurrency ?? defaultConcurrency,
      ask: { signal: input.signal, limits: limitsOf(flags), ...given({ documentIds }) },
      ...given({ plan }),
      onRow: async (score) => {
        await journal.keep(redactAll(score, output.hide))
        done.add(score.id)
        // All turns of an interrupted conversation are asked again.
        before.delete(score.id)
        progress.update({ done: done.size, total: rows.length, path: shorten(score.question, 60, output.hide) })
      },
    })
    return { scores, resumed: before.size }
  } catch (error) {
    progress.stop()
    if (input.signal.aborted || error instanceof EvaluationStopped)
      tell(output, `Stopped after ${done.size} of ${rows.length}; the same command continues.`)
    throw error
  } finally {
    progress.stop()
  }
}

/** Begins the experiment, or continues it, before a question is asked; null without Langfuse. */
async function announce(
  langfuse: LangfuseExperiments | null,
  {
    startedAt,
    input,
    flags,
    ...asking
  }: Pick<Asking, 'quaero' | 'rows' | 'journal' | 'input' | 'flags'> & {
    readonly startedAt: string
  },
): Promise<EvalExperiment | null> {
  if (!langfuse) return null
  const { dataset, langfuseDataset, langfuseRun: run } = flags
  const names = { dataset: langfuseDataset, run }
  return beginExperiment(langfuse, { ...asking, dataset, names, startedAt, signal: input.signal })
}

/** Scores the experiment and prints its address; null, and one line, if that fails. */
async function finish(
  { experiment, finish: send }: EvalExperiment,
  report: EvalReport,
  { input, output }: Pick<Place, 'input' | 'output'>,
): Promise<EvalReport['experiment'] | null> {
  const { dataset, run, url } = experiment
  try {
    await send(report, input.signal)
    tell(output, `The experiment: ${plainLine(url)}`)
    return { dataset, run, url }
  } catch (error) {
    const why = input.signal.aborted ? 'it was stopped' : asError(error).message.replace(/\.$/, '')
    tell(output, plainLine(`The experiment lacks scores in Langfuse: ${why}. The same command sends them again.`))
    return null
  }
}

async function modelOf(quaero: Quaero, scores: readonly RowScore[]): Promise<string> {
  const asked = scores.find(({ runId }) => runId !== null)
  return asked?.runId ? (await quaero.runs.show(asked.runId)).model : 'unknown'
}

async function readReport(path: string): Promise<EvalReport> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new PathNotFound(`${path} cannot be read. Name a report that "quaero eval … --out" wrote.`, { cause })
  })
  try {
    return evalReport.parse(JSON.parse(text))
  } catch (error) {
    const problem = error instanceof z.ZodError ? problemsIn(error) : asError(error).message
    throw new UsageError(`${path} is no report of an evaluation: ${problem}`)
  }
}
