import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { credentialsOf } from '../../credentials/credentials.ts'
import {
  assembleExperiments,
  beginExperiment,
  compare,
  type EvalExperiment,
  type EvalReport,
  type EvalRow,
  EvaluationStopped,
  evaluate,
  isFailure,
  isJudged,
  type Journal,
  noJournal,
  openJournal,
  type RowScore,
  readDataset,
  requireNames,
  summarise,
} from '../../eval/index.ts'
import { asError, type Config, promptsOf, type Quaero, UsageError } from '../../index.ts'
import { promptPath } from '../../prompts.ts'
import { redactAll } from '../../redact.ts'
import { given, type Workplace } from '../command/command.ts'
import { exitCodeOfError, exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { startFileProgress } from '../output/progress.ts'
import { pluralOf, shorten } from '../output/table.ts'
import { type Output, print, printJson, tell } from '../output/terminal.ts'
import { addDocuments } from '../shared/add-documents.ts'
import { limitsOf, type RunFlags } from '../shared/run-to-end.ts'
import { describeReport, ReportUnwritten, readReport, requireReport, writeReport } from './eval-report.ts'

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

/** What is asked, in which way, and of which engine. */
interface Evaluation {
  readonly quaero: Quaero
  readonly config: Config
  readonly rows: readonly EvalRow[]
  /** The documents that the questions search; undefined for the whole library. */
  readonly documentIds: readonly string[] | undefined
  readonly flags: EvalFlags
}

type Place = Pick<Workplace, 'input' | 'output'>

/** `quaero eval`: asks every question of a dataset, and judges the answers. */
export async function runEval(place: Workplace, flags: EvalFlags): Promise<number> {
  const { input, output } = place
  const rows = await readDataset(flags.dataset)
  requireJudged(rows, flags)
  const baseline = flags.baseline === undefined ? null : redactAll(await readReport(flags.baseline), output.hide)
  if (flags.out !== undefined) await requireReport(flags.out, flags.dataset)
  const langfuse = flags.langfuse ? await assembleExperiments(place.config()) : null
  const startedAt = new Date().toISOString()
  const quaero = await place.open()
  const config = place.config()
  requireNames(rows, namesIn(quaero, config))
  const documentIds = await idsOf(quaero, flags, place)
  const evaluation = { quaero, config, rows, documentIds, flags }
  const journal = await journalOf(evaluation)
  const { dataset, langfuseDataset, langfuseRun: run } = flags
  const announced = { quaero, rows, journal, dataset, names: { dataset: langfuseDataset, run }, startedAt }
  // Before the first question: the spans of each run name the experiment.
  const experiment = langfuse && (await beginExperiment(langfuse, { ...announced, signal: input.signal }))
  const { scores, resumed } = await askAll(evaluation, { journal, plan: experiment?.plan }, place)
  const judged: EvalReport = redactAll(
    {
      version: 1 as const,
      dataset,
      model: await modelOf(quaero, scores),
      startedAt,
      resumed,
      summary: summarise(scores),
      rows: [...scores],
    },
    output.hide,
  )
  const reported = experiment && (await finish(experiment, judged, place))
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

/** The journal of exactly this evaluation, next to the database; none without a database file. */
export async function journalOf(evaluation: Evaluation): Promise<Journal> {
  const { path } = await evaluation.quaero.report()
  return path === ':memory:' ? noJournal : openJournal(join(dirname(path), 'evals'), await identityOf(evaluation))
}

/** Everything that answers depend on: another model, setting, prompt or document is another evaluation. No credentials. */
async function identityOf({ quaero, config, rows, documentIds, flags }: Evaluation): Promise<readonly unknown[]> {
  const { settings, environment } = config
  const { openaiBaseUrl, searxngUrl, tavilyApiKey, model } = environment
  const surroundings = { settings, openaiBaseUrl, searxngUrl, hasTavily: tavilyApiKey !== null, model }
  const models = quaero.status().steps.find(({ step }) => step === 'models')?.detail ?? null
  const searched = documentIds ?? (await quaero.library.list()).map(({ documentId }) => documentId)
  return [
    rows,
    [flags.model ?? null, models],
    limitsOf(flags),
    redactAll(surroundings, credentialsOf(config).hide),
    await promptsIn(config),
    [documentIds !== undefined, [...searched].sort()],
    ...(flags.langfuse ? [{ langfuse: [flags.langfuseDataset ?? null, flags.langfuseRun ?? null] }] : []),
  ]
}

/** The texts of the prompt files, and the versions of those from Langfuse. */
async function promptsIn(config: Config): Promise<readonly unknown[]> {
  const named = await promptsOf(config).list()
  const paths = [...named.map(({ path }) => path), promptPath('summarise', config.settings.promptsDir)]
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  return [texts, named.map(({ langfuseVersion }) => langfuseVersion)]
}

/** Adds the documents once for all questions, and returns the ids of those that could be read; undefined if none are named. */
async function idsOf(quaero: Quaero, { documents, quiet }: EvalFlags, { input, output }: Place) {
  if (!documents) return undefined
  const report = await addDocuments(quaero, documents, output, { quiet, signal: input.signal })
  return report.documents.flatMap(({ documentId }) => (documentId === null ? [] : [documentId]))
}

async function askAll(
  { quaero, rows, documentIds, flags }: Evaluation,
  { journal, plan }: { readonly journal: Journal; readonly plan: EvalExperiment['plan'] | undefined },
  { input, output }: Place,
) {
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

/** Scores the experiment and prints its address; null, and one line, if that fails. */
async function finish(
  { experiment, finish: send }: EvalExperiment,
  report: EvalReport,
  { input, output }: Place,
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
