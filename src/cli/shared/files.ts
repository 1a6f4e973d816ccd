import { existsSync } from 'node:fs'
import { open, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { asError, DocumentUnreadable, PathNotFound, UsageError } from '../../errors.ts'
import type { Input } from '../output/terminal.ts'

/** The bytes of a file that a person has named; `hint` is what else may be given. Throws `PathNotFound`. */
export async function readNamed(path: string, hint = ''): Promise<Buffer> {
  return readFile(path).catch((cause: unknown) => {
    throw new PathNotFound(`${problemWith(path, cause, 'read')}${hint && ` ${hint}`}`, { cause })
  })
}

/** The same as text, decoded as the texts of documents are; "-" is stdin. Throws `PathNotFound`, `UsageError`. */
export async function readNamedText(path: string, { stdin }: Pick<Input, 'stdin'>, hint = ''): Promise<string> {
  const bytes = path === '-' ? await buffer(stdin) : await readNamed(path, hint)
  // Loaded here, since other commands begin without it.
  const { decodeText } = await import('../../library/readers/common/decode-text.ts')
  try {
    return decodeText(bytes)
  } catch (error) {
    if (!(error instanceof DocumentUnreadable)) throw error
    throw new UsageError(`"${path}" cannot be read: it is not text, but binary data.`)
  }
}

/** Opens a file for writing, before what is to stand in it is paid for, and leaves it as it is. Throws `PathNotFound`. */
export async function requireWritable(path: string): Promise<void> {
  const before = await realpath(path).catch(() => null)
  // A pipe would wait for its reader.
  if (before !== null && (await stat(before)).isFIFO()) return
  const file = await open(path, 'a').catch((cause: unknown) => {
    throw new PathNotFound(problemWith(path, cause, 'written'), { cause })
  })
  await file.close()
  // Of a link that led nowhere, what it leads to.
  if (before === null) await rm(await realpath(path))
}

/** Throws `PathNotFound`. */
export async function writeNamed(
  path: string,
  content: Parameters<typeof writeFile>[1],
  options?: { readonly flag: 'wx' },
): Promise<void> {
  await writeFile(path, content, options).catch((cause: unknown) => {
    // What a stream of pieces throws is its own.
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw new PathNotFound(problemWith(path, cause, 'written'), { cause })
  })
}

/** "no such file or directory" of "ENOENT: no such file or directory, open '…'". */
export function reasonOf(error: unknown): string {
  const { message } = asError(error)
  return message.split(/^[A-Z]+: |, /)[1] ?? message
}

function problemWith(path: string, cause: unknown, done: 'read' | 'written'): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'EISDIR') return `"${path}" is a folder, not a file.`
  if (code === 'EACCES' || code === 'EPERM') return `"${path}" may not be ${done} by you.`
  if (code === 'ENOENT' && done === 'read') return `There is no file "${path}".`
  const folder = dirname(path)
  if (code === 'ENOENT' && !existsSync(folder)) return `There is no folder "${folder}" to write "${path}" into.`
  return `"${path}" cannot be ${done}: ${reasonOf(cause)}.`
}
