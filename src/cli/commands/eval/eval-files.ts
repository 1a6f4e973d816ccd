import { open, rm, stat, writeFile } from 'node:fs/promises'
import { type EvalReport, htmlReport } from '../../../eval/index.ts'
import { asError, PathNotFound, TerminalError, UsageError } from '../../../index.ts'

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
export async function requireWritable({ out, html }: ReportFiles): Promise<void> {
  if (out !== undefined && out === html) throw new UsageError(`--out and --html name the same file, ${out}.`)
  if (out !== undefined) await tryOut('--out', out)
  if (html !== undefined) await tryOut('--html', html)
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
export async function writeReport(report: EvalReport, { out, html }: ReportFiles): Promise<void> {
  const files = [
    ...(out === undefined ? [] : [{ path: out, text: `${JSON.stringify(report, null, 2)}\n` }]),
    ...(html === undefined ? [] : [{ path: html, text: htmlReport(report, report.comparison ?? null) }]),
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
