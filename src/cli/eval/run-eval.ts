import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import {
  assembleExperiments,
  compare,
  type EvalReport,
  EvaluationStopped,
  evalReport,
  evaluate,
  isFailure,
  isJudged,
  type Journal,
  type RowScore,
  readDataset,
  requireNames,
  summarise,
} from '../../eval/index.ts'
import { type Config, PathNotFound, type Quaero, UsageError } from '../../index.ts'
import { redactAll } from '../../redact.ts'
import type { Workplace } from '../command/command.ts'
import { exitCodeOfError, exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { startFileProgress } from '../output/progress.ts'
import { pluralOf, shorten } from '../output/table.ts'
import { type Input, type Output, print, printJson, tell } from '../output/terminal.ts'
import { addDocuments } from '../shared/add-documents.ts'
import { limitsOf, type RunFlags } from '../shared/run-to-end.ts'
import { type ExperimentFlags, reportTo, shownFigures } from './eval-figures.ts'
import { journalOf, type ReportFiles, ReportUnwritten, requireWritable, writeReport } from './eval-files.ts'

export interface EvalFlags extends RunFlags, ExperimentFlags, ReportFiles {
  readonly dataset: string
  readonly documents?: readonly string[] | undefined
  readonly model?: string | undefined
  readonly concurrency?: number | undefined
  /** A report of an earlier evaluation. */
  readonly baseline?: string | undefined
  /** Percent of the judged rows. */
  readonly failUnder?: number | undefined
}

const defaultConcurrency = 4

/** `quaero eval`: asks every question of a dataset, and says how good the answers were. */
export async function runEval(
  { open, config }: Pick<Workplace, 'open' | 'config'>,
  input: Input,
  output: Output,
  flags: EvalFlags,
): Promise<number> {
  const rows = await readDataset(flags.dataset)
  requireJudged(rows, flags)
  const baseline = flags.baseline === undefined ? null : redactAll(await readReport(flags.baseline), output.hide)
  await requireWritable(flags, flags.dataset)
  const langfuse = flags.langfuse ? await assembleExperiments(config()) : null
  const startedAt = new Date().toISOString()
  const quaero = await open()
  requireNames(rows, namesIn(quaero, config()))
  const documentIds = flags.documents && (await added(quaero, flags.documents, { input, output, flags }))
  const journal = await journalOf({ quaero, config: config(), rows, documentIds, flags })
  if (!flags.quiet) tellWhereItGoesOn(journal, rows, output)
  const { scores, resumed } = await askAll(quaero, { rows, documentIds, journal, input, output, flags })
  const found: EvalReport = redactAll(
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
  const experiment = langfuse && (await reportTo(langfuse, found, rows, { quaero, input, output, flags }))
  const report: EvalReport = {
    ...found,
    ...(experiment && { experiment }),
    ...(baseline && { comparison: redactAll(compare(baseline, found), output.hide) }),
  }
  const unwritten = await hand(report, output, flags)
  // What did not arrive can be reported again by the same command, without asking.
  const isLost = (langfuse !== null && experiment === null) || unwritten !== null
  if (!isLost) await journal.finish()
  if (input.signal.aborted) return exitCodes.interrupted
  const code = exitCodeOf(report.summary, output, flags)
  return isLost ? exitCodeOfError(unwritten?.code) : code
}

/** Where nothing is judged, nothing could be known to be good enough. */
function requireJudged(rows: Asking['rows'], { dataset, failUnder }: EvalFlags): void {
  if (failUnder === undefined || rows.some(isJudged)) return
  throw new UsageError(`No question of ${dataset} says what is expected, so --fail-under has nothing to go by.`)
}

/** Built-in tools count where they are not configured too: a dataset may say that they must not run. */
const builtInTools = ['pdf_retrieval', 'read_passages', 'document_overview', 'web_search', 'read_page', 'delegate']

function namesIn({ tools }: Quaero, { settings }: Config) {
  return {
    agents: [...Object.keys(settings.agents), ...Object.keys(settings.specialists)],
    tools: [...new Set([...builtInTools, ...tools.list().map(({ name }) => name)])],
  }
}

function tellWhereItGoesOn({ judged }: Journal, rows: Asking['rows'], output: Output): void {
  const ids = new Set(judged.map(({ id }) => id))
  const known = rows.filter(({ id }) => ids.has(id)).length
  if (known > 0) tell(output, `Goes on after ${known} of ${pluralOf(rows.length, 'question')}.`)
}

/** Prints the report, then writes it: what cannot be written is told beside it, and returned. */
async function hand(report: EvalReport, output: Output, flags: EvalFlags): Promise<ReportUnwritten | null> {
  if (flags.json) printJson(output, report)
  else print(output, shownFigures(report, report.comparison ?? null))
  tellFailures(report, output)
  try {
    await writeReport(report, flags, output.hide)
    return null
  } catch (error) {
    if (!(error instanceof ReportUnwritten)) throw error
    tell(output, plainLine(`quaero: ${error.message}`))
    return error
  }
}

function exitCodeOf({ passed }: EvalReport['summary'], output: Output, { failUnder }: EvalFlags): number {
  if (failUnder === undefined) return exitCodes.ok
  if (passed.of > 0 && passed.hits * 100 >= failUnder * passed.of) return exitCodes.ok
  tell(output, `Fewer than ${failUnder} % passed: ${passed.hits} of ${passed.of} that were judged.`)
  return exitCodes.failed
}

/** Said whoever reads the figures: what a dead model left behind is no answer of it. */
function tellFailures({ summary: { failures }, rows }: EvalReport, output: Output): void {
  if (failures === 0) return
  const first = rows.find(({ error, status }) => error !== null && isFailure(status))
  const why = first?.error ? ` The first of them, ${first.id}: ${first.error.message}` : ''
  tell(output, plainLine(`${pluralOf(failures, 'run')} failed or had a model that failed, counted as wrong.${why}`))
}

interface Asking {
  readonly rows: Awaited<ReturnType<typeof readDataset>>
  /** What all questions are limited to. */
  readonly documentIds: readonly string[] | undefined
  readonly journal: Journal
  readonly input: Input
  readonly output: Output
  readonly flags: EvalFlags
}

/** Adds the documents, once for all questions, and returns the ids of those that could be read. */
async function added(
  quaero: Quaero,
  documents: readonly string[],
  { input, output, flags }: Pick<Asking, 'input' | 'output' | 'flags'>,
): Promise<readonly string[]> {
  const report = await addDocuments(quaero, documents, output, { quiet: flags.quiet, signal: input.signal })
  return report.documents.flatMap(({ documentId }) => (documentId === null ? [] : [documentId]))
}

async function askAll(
  quaero: Quaero,
  { rows, documentIds, journal, input, output, flags }: Asking,
): Promise<{ readonly scores: readonly RowScore[]; readonly resumed: number }> {
  const progress = await startFileProgress(output, flags.quiet)
  const before = new Set(journal.judged.map(({ id }) => id))
  const done = new Set(before)
  try {
    const scores = await evaluate({
      quaero,
      rows,
      judged: journal.judged,
      concurrency: flags.concurrency ?? defaultConcurrency,
      ask: {
        signal: input.signal,
        limits: limitsOf(flags),
        ...(documentIds && { documentIds }),
      },
      onRow: async (score) => {
        await journal.keep(redactAll(score, output.hide))
        done.add(score.id)
        // Of a conversation that was cut short all turns are asked again.
        before.delete(score.id)
        progress.update({ done: done.size, total: rows.length, path: shorten(score.question, 60, output.hide) })
      },
    })
    return { scores, resumed: before.size }
  } catch (error) {
    progress.stop()
    if (input.signal.aborted || error instanceof EvaluationStopped)
      tell(output, `Stopped after ${done.size} of ${rows.length}; the same command goes on.`)
    throw error
  } finally {
    progress.stop()
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
  const parsed = evalReport.safeParse(jsonOf(text))
  if (parsed.success) return parsed.data
  throw new UsageError(`${path} is no report of an evaluation: ${z.prettifyError(parsed.error)}`)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
