import { open, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { credentialsOf } from '../../credentials/credentials.ts'
import { type EvalReport, type EvalRow, htmlReport, type Journal, noJournal, openJournal } from '../../eval/index.ts'
import { asError, type Config, PathNotFound, promptsOf, type Quaero, TerminalError, UsageError } from '../../index.ts'
import { promptPath } from '../../prompts.ts'
import { type Redact, redactAll } from '../../redact.ts'
import { harmless } from '../../tracing/harmless.ts'
import { limitsOf, type RunFlags } from '../shared/run-to-end.ts'

interface Evaluation {
  readonly quaero: Pick<Quaero, 'report' | 'status' | 'library'>
  readonly config: Config
  readonly rows: readonly EvalRow[]
  /** What all questions are limited to; absent for the whole library. */
  readonly documentIds: readonly string[] | undefined
  readonly flags: RunFlags & { readonly model?: string | undefined }
}

/** The journal of exactly this evaluation, beside the database; what keeps nothing keeps no journal either. */
export async function journalOf(evaluation: Evaluation): Promise<Journal> {
  const { path } = await evaluation.quaero.report()
  return path === ':memory:' ? noJournal : openJournal(join(dirname(path), 'evals'), await identityOf(evaluation))
}

/** All that answers depend on: another model, setting, prompt or document is another evaluation. No credentials. */
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
  ]
}

/** The texts of the prompts, and of those that Langfuse has in their place the version. */
async function promptsIn(config: Config): Promise<readonly unknown[]> {
  const named = await promptsOf(config).list()
  const paths = [...named.map(({ path }) => path), promptPath('summarise', config.settings.promptsDir)]
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  return [texts, named.map(({ langfuseVersion }) => langfuseVersion)]
}

/** Where the report goes, as JSON, and as a web page. */
export interface ReportFiles {
  readonly out?: string | undefined
  readonly html?: string | undefined
}

/** A report that could not be written where it was to go. CLI exit 1. */
export class ReportUnwritten extends TerminalError {
  readonly code = 'report_unwritten'
}

/** Tries the files out before anything is asked. Throws `UsageError`, `PathNotFound`. */
export async function requireWritable({ out, html }: ReportFiles, dataset: string): Promise<void> {
  if (out !== undefined && out === html) throw new UsageError(`--out and --html name the same file, ${out}.`)
  for (const [flag, path] of [
    ['--out', out],
    ['--html', html],
  ] as const) {
    if (path === undefined) continue
    await refusePrecious(flag, path, dataset)
    await tryOut(flag, path)
  }
}

/** A slip of the hand should cost neither the questions nor a database. */
async function refusePrecious(flag: string, path: string, dataset: string): Promise<void> {
  const [own, questions] = await Promise.all([path, dataset].map((each) => realpath(each).catch(() => null)))
  if (own === null) return
  if (own === questions) throw new UsageError(`${flag} ${path} is the dataset. Name another file.`)
  if (await isDatabase(path)) throw new UsageError(`${flag} ${path} is a database. Name another file.`)
}

/** Every SQLite file begins with these words (https://www.sqlite.org/fileformat2.html#magic_header_string). */
const databaseHeader = 'SQLite format 3'

async function isDatabase(path: string): Promise<boolean> {
  if (!(await stat(path)).isFile()) return false
  const file = await open(path).catch(() => null)
  if (!file) return false
  try {
    const { buffer } = await file.read(Buffer.alloc(databaseHeader.length), 0, databaseHeader.length, 0)
    return buffer.toString('latin1') === databaseHeader
  } finally {
    await file.close()
  }
}

/** Opening is the one test that knows of rights, read-only disks and what stands in the way. */
async function tryOut(flag: string, path: string): Promise<void> {
  const before = await stat(path).catch(() => null)
  if (before?.isDirectory()) throw new UsageError(`${flag} ${path} is a folder. Name a file in it.`)
  // Opening a pipe would wait for its reader.
  if (before && !before.isFile()) return
  try {
    await (await open(path, 'a')).close()
  } catch (cause) {
    throw new PathNotFound(`${flag} ${path} cannot be written: ${reasonOf(cause)}.`, { cause })
  }
  if (!before) await rm(path)
}

/** Throws `ReportUnwritten`, once it has tried both. */
export async function writeReport(report: EvalReport, { out, html }: ReportFiles, hide: Redact): Promise<void> {
  // A page holds no control characters; what they part is one word on it.
  const onPage = (text: string) => hide(harmless(text))
  const page = () => htmlReport(redactAll(report, onPage), redactAll(report.comparison ?? null, onPage))
  const files = [
    ...(out === undefined ? [] : [{ path: out, text: `${JSON.stringify(report, null, 2)}\n` }]),
    ...(html === undefined ? [] : [{ path: html, text: page() }]),
  ]
  const lost: string[] = []
  for (const { path, text } of files) {
    await writeFile(path, text).catch((error: unknown) => lost.push(`${path} (${reasonOf(error)})`))
  }
  if (lost.length === 0) return
  throw new ReportUnwritten(
    `The report could not be written to ${lost.join(' and ')}. The same command writes it again without asking.`,
  )
}

const reasons: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'its folder does not exist'],
  ['ENOTDIR', 'its folder is a file'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the disk is read-only'],
  ['ENOSPC', 'the disk is full'],
])

function reasonOf(thrown: unknown): string {
  const error = asError(thrown)
  return ('code' in error && reasons.get(error.code)) || error.message
}
