import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import type { Event } from '../events/index.ts'
import { hiddenLog, hiddenText } from './harmless.ts'
import { readMark, type SessionFormat } from './session-format.ts'
import { sessionTurn } from './session-turn.ts'

/** The logs of a thread's runs, the oldest first, one at a time, so that a long thread does not fill the memory. */
export type ThreadLogs = AsyncIterable<readonly Event[]>

/** A thread's session log as text, piece by piece: what its file holds. */
export async function* sessionText(format: SessionFormat, threadId: string, logs: ThreadLogs): AsyncGenerator<string> {
  let isFirst = true
  for await (const kept of logs) {
    const log = hiddenLog(kept)
    const turn = sessionTurn(log)
    if (!turn) continue
    if (isFirst) yield format.head(hiddenText(threadId), turn)
    isFirst = false
    yield format.entry(turn, log)
  }
}

/**
 * Adds a turn to the end of a session file, or puts it in the place of what the file says of the same turn at its end.
 * The log is one in which credentials are hidden. Only the end of the file is read, however long it is. False where the file is not one to which the turn can be added:
 * then it must be written anew.
 */
export async function addTurn(
  path: string,
  format: SessionFormat,
  threadId: string,
  log: readonly Event[],
): Promise<boolean> {
  const turn = sessionTurn(log)
  if (!turn) return true
  const file = await openExisting(path)
  if (!file)
    return (
      turn.turn === 1 && (await replaceFile(path, [format.head(hiddenText(threadId), turn), format.entry(turn, log)]))
    )
  try {
    const last = await lastEntry(file, format)
    const isSame = last?.turn === turn.turn && last.runId === turn.runId
    const isNext = last?.turn === turn.turn - 1 && last.isWhole
    if (!last || (!isSame && !isNext)) return false
    await writeEntry(file, isSame ? last.from : last.to, format.entry(turn, log), format)
    return true
  } finally {
    await file.close()
  }
}

/** Writes a file as a whole: whoever reads it sees the old one or the new one. Without any text, there is no file. */
export async function replaceFile(path: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<true> {
  const fresh = `${path}.${process.pid}.tmp`
  let isEmpty = true
  try {
    const file = await open(fresh, 'w')
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
  return true
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

/** The last entry, looked for from the end of the file. */
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

/** The entry first, unsealed if the format has a seal, and then the seal. What cannot be written is taken back. */
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
