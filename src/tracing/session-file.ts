import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import type { Event } from '../events/index.ts'
import { privateFile } from '../private-files.ts'
import { hiddenLog, hiddenText } from './log-text.ts'
import { readMark, type SessionFormat } from './session-format.ts'
import { type SessionTurn, sessionTurn } from './session-turn.ts'

/** The logs of a thread's runs, the oldest first, one at a time, to bound the memory. */
export type ThreadLogs = AsyncIterable<readonly Event[]>

/** The content of a thread's session file, piece by piece. */
export async function* sessionText(format: SessionFormat, threadId: string, logs: ThreadLogs): AsyncGenerator<string> {
  let isFirst = true
  for await (const kept of logs) {
    const turn = sessionTurn(hiddenLog(kept))
    if (!turn) continue
    if (isFirst) yield format.head(hiddenText(threadId), turn)
    isFirst = false
    yield format.entry(turn)
  }
}

/**
 * Adds a turn to the end of a session file, or replaces the same turn there. Credentials are already hidden in it. Only the
 * end of the file is read. False if the turn cannot be added: then the whole file must be written.
 */
export async function addTurn(
  path: string,
  format: SessionFormat,
  threadId: string,
  turn: SessionTurn,
): Promise<boolean> {
  const { turn: number, runId } = turn.record
  const file = await openExisting(path)
  if (!file) {
    if (number !== 1) return false
    await replaceFile(path, [format.head(hiddenText(threadId), turn), format.entry(turn)])
    return true
  }
  try {
    const last = await lastEntry(file, format)
    const isSame = last?.turn === number && last.runId === runId
    const isNext = last?.turn === number - 1 && last.isWhole
    if (!last || (!isSame && !isNext)) return false
    await writeEntry(file, isSame ? last.from : last.to, format.entry(turn), format)
    return true
  } finally {
    await file.close()
  }
}

/** Replaces a file at once: readers see the old or the new one. Without any text, the file is removed. */
export async function replaceFile(path: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const fresh = `${path}.${process.pid}.tmp`
  let isEmpty = true
  try {
    const file = await open(fresh, 'w', privateFile)
    try {
      for await (const piece of pieces) {
        await file.writeFile(piece)
        isEmpty = false
      }
    } finally {
      await file.close()
    }
    await (isEmpty ? rm(path, { force: true }) : rename(fresh, path))
  } finally {
    await rm(fresh, { force: true })
  }
}

async function openExisting(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r+')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

interface LastEntry {
  readonly turn: number
  readonly runId: string
  readonly isWhole: boolean
  /** Bytes from the beginning of the file. */
  readonly from: number
  readonly to: number
}

const firstLook = 64 * 1024

/** The last entry. The file is read from its end. */
async function lastEntry(file: FileHandle, format: SessionFormat): Promise<LastEntry | null> {
  const { size } = await file.stat()
  const wanted = Buffer.from(`\n${format.marker}`)
  for (let look = firstLook; ; look *= 4) {
    const tail = Buffer.alloc(Math.min(look, size))
    await file.read(tail, 0, tail.length, size - tail.length)
    const at = tail.lastIndexOf(wanted)
    if (at >= 0) {
      const entry = tail.subarray(at + 1).toString()
      const mark = readMark(entry.slice(0, entry.indexOf('\n') + 1 || undefined))
      return mark && { ...mark, isWhole: format.isWhole(entry), from: size - tail.length + at + 1, to: size }
    }
    if (tail.length === size) return null
  }
}

/** Writes the entry, then its seal, if the format has one. An incomplete entry is removed. */
async function writeEntry(file: FileHandle, from: number, entry: string, { seal }: SessionFormat): Promise<void> {
  const bytes = Buffer.from(seal ? entry.slice(0, seal.at) + seal.open + entry.slice(seal.at + 1) : entry)
  await file.truncate(from)
  try {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, from + done)
      done += bytesWritten
    }
    if (seal) await file.write(entry.charAt(seal.at), from + seal.at)
  } catch (error) {
    await file.truncate(from).catch(() => {})
    throw error
  }
}
