import { open, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { credentialsOf } from '../../credentials/credentials.ts'
import { type EvalReport, type EvalRow, type Journal, noJournal, openJournal } from '../../eval/index.ts'
import { asError, type Config, PathNotFound, promptsOf, type Quaero, TerminalError, UsageError } from '../../index.ts'
import { promptPath } from '../../prompts.ts'
import { redactAll } from '../../redact.ts'
import { limitsOf } from '../shared/run-to-end.ts'
import type { EvalFlags } from './run-eval.ts'

interface Evaluation {
  readonly quaero: Pick<Quaero, 'report' | 'status' | 'library'>
  readonly config: Config
  readonly rows: readonly EvalRow[]
  /** The documents that the questions search; absent for the whole library. */
  readonly documentIds: readonly string[] | undefined
  readonly flags: Omit<EvalFlags, 'dataset'>
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

/** A report file could not be written. CLI exit 1. */
export class ReportUnwritten extends TerminalError {
  readonly code = 'report_unwritten'
}

/** Opens the report's file for writing before the first question. Throws `UsageError`, `PathNotFound`. */
export async function requireWritable(path: string, dataset: string): Promise<void> {
  const before = await realpath(path).catch(() => null)
  if (before === (await realpath(dataset))) {
    throw new UsageError(`${path} is the dataset. Name another file for the report.`)
  }
  // A pipe would wait for its reader.
  if (before !== null && (await stat(before)).isFIFO()) return
  try {
    await (await open(path, 'a')).close()
  } catch (cause) {
    throw new PathNotFound(`${path} cannot be written: ${reasonOf(cause)}.`, { cause })
  }
  if (before === null) await rm(path)
}

/** Throws `ReportUnwritten`. */
export async function writeReport(report: EvalReport, path: string): Promise<void> {
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`).catch((error: unknown) => {
    throw new ReportUnwritten(
      `The report could not be written to ${path} (${reasonOf(error)}). The same command writes it again without asking.`,
    )
  })
}

/** "no such file or directory" of "ENOENT: no such file or directory, open '…'". */
function reasonOf(error: unknown): string {
  const { message } = asError(error)
  return message.split(/^[A-Z]+: |, /)[1] ?? message
}
