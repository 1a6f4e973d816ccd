import { type ChildProcess, execFile, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { packageRoot, programFile, type Settings } from '../../config.ts'
import { DocumentUnreadable } from '../../errors.ts'
import type { ReadDocument } from '../document.ts'
import { detectFormat } from '../readers/read-document.ts'
import type { ReadReply, ReadRequest } from './reader-process.ts'

/** Reads files in processes of their own, so that a hostile file can hurt nothing but its reader. */
export interface FileReader {
  /** Waits for a free reader. Throws `DocumentUnreadable`, or the signal's reason. */
  read(path: string, bytes: Uint8Array, options?: FileReaderOptions): Promise<ReadDocument>
  /** Ends the processes. What is being read fails. */
  close(): void
}

export interface FileReaderOptions {
  readonly passwords?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Starts processes when they are first needed, at most `settings.readers`, and keeps them for many files; one that
 * failed, or went over its budget of memory or time, is replaced.
 */
export function createFileReader(settings: Settings['library']): FileReader {
  const pool = readerPool(settings)

  const attempt = async (request: ReadRequest, signal?: AbortSignal): Promise<ReadDocument> => {
    const reader = await pool.take()
    let isReusable = false
    try {
      signal?.throwIfAborted()
      const reply = await ask(reader, request, settings, signal)
      if ('error' in reply) throw new DocumentUnreadable(reply.error.code, reply.error.message)
      isReusable = true
      return reply.document
    } finally {
      pool.giveBack(reader, isReusable)
    }
  }

  return {
    async read(path, bytes, { passwords = [], signal } = {}) {
      checkSize(bytes.length, settings)
      // What the first bytes give away needs no process.
      detectFormat(path, bytes)
      const limits = { pages: settings.pagesPerFile, characters: settings.textMegabytes * 1_000_000 }
      const request = { path, bytes, options: { passwords, limits } }
      return attempt(request, signal).catch((error: unknown) => {
        // Its process may have been worn out by the files before: the file gets one try in a fresh one.
        if (error instanceof DocumentUnreadable && error.cause === wornOut) return attempt(request, signal)
        throw error
      })
    },
    close: pool.close,
  }
}

interface Reader {
  readonly process: ChildProcess
  /** Files that it has read. */
  readonly files: number
}

interface ReaderPool {
  take(): Promise<Reader>
  giveBack(reader: Reader, isReusable: boolean): void
  close(): void
}

function readerPool(settings: Settings['library']): ReaderPool {
  const idle: Reader[] = []
  const alive = new Set<ChildProcess>()
  const waiting: (() => void)[] = []
  let free = settings.readers
  let isClosed = false
  return {
    async take() {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      if (isClosed) throw crashed('the library was closed')
      const reader = idle.pop() ?? { process: startReader(settings), files: 0 }
      alive.add(reader.process)
      return reader
    },
    giveBack(reader, isReusable) {
      if (isReusable && alive.has(reader.process)) idle.push({ ...reader, files: reader.files + 1 })
      else {
        alive.delete(reader.process)
        reader.process.kill('SIGKILL')
      }
      const next = waiting.shift()
      if (next) next()
      else free += 1
    },
    close() {
      isClosed = true
      for (const child of alive) child.kill('SIGKILL')
      alive.clear()
      idle.length = 0
      for (const next of waiting.splice(0)) next()
    },
  }
}

/** Throws `DocumentUnreadable` (`over_budget`) if a file is larger than allowed. */
export function checkSize(size: number, settings: Settings['library']): void {
  if (size <= settings.megabytesPerFile * 1_000_000) return
  const megabytes = Math.ceil(size / 1_000_000)
  throw overBudget(
    `It is ${megabytes} MB large, more than the ${settings.megabytesPerFile} allowed`,
    'megabytesPerFile',
  )
}

function overBudget(what: string, setting: string): DocumentUnreadable {
  return new DocumentUnreadable('over_budget', `${what}. Split it, or raise library.${setting}`)
}

function startReader(settings: Settings['library']): ChildProcess {
  const file = programFile('library/ingestion/reader-process')
  const child = fork(file, {
    // The sources run as they are in development; what is installed is JavaScript.
    execArgv: [
      `--max-old-space-size=${settings.memoryMegabytes}`,
      ...(file.endsWith('.ts') ? ['--import', 'tsx'] : []),
    ],
    cwd: packageRoot(),
    // No keys for code that reads files from strangers.
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // Without a listener, an error between two files (or while it is being killed) would end the parent.
  child.on('error', () => {})
  setReferenced(child, false)
  return child
}

/** Only a process that is reading keeps its parent alive. */
function setReferenced(child: ChildProcess, isReferenced: boolean): void {
  if (isReferenced) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
  }
}

const watchEveryMs = 100
const wornOut = 'the process had read other files before'

function worn({ code, message }: DocumentUnreadable): DocumentUnreadable {
  return new DocumentUnreadable(code, message, { cause: wornOut })
}

/** Sends one request and waits for its reply, the end of the process, its budget or the signal. */
function ask(
  { process: child, files }: Reader,
  request: ReadRequest,
  settings: Settings['library'],
  signal: AbortSignal | undefined,
): Promise<ReadReply> {
  setReferenced(child, true)
  const ending = new AbortController()
  return new Promise<ReadReply>((resolve, reject) => {
    const fail = (error: DocumentUnreadable): void => reject(files > 0 ? worn(error) : error)
    const onExit = (code: number | null, by: NodeJS.Signals | null): void => fail(exitReason(code, by, settings))
    child.once('message', resolve).once('exit', onExit)
    const onAbort = (): void => reject(signal?.reason)
    signal?.addEventListener('abort', onAbort)
    const clock = setTimeout(
      () => reject(overBudget(`It took longer than ${settings.secondsPerFile} s to read`, 'secondsPerFile')),
      settings.secondsPerFile * 1000,
    )
    const watch = setInterval(() => void checkMemory(child, settings).catch(fail), watchEveryMs)
    ending.signal.addEventListener('abort', () => {
      clearTimeout(clock)
      clearInterval(watch)
      child.off('message', resolve).off('exit', onExit)
      signal?.removeEventListener('abort', onAbort)
    })
    child.send(request, (error) => {
      if (!error) return
      const { pid, exitCode, signalCode } = child
      // A process that is still there is ended, which its exit event tells.
      if (pid !== undefined && exitCode === null && signalCode === null) child.kill('SIGKILL')
      else fail(pid === undefined ? crashed(error.message) : exitReason(exitCode, signalCode, settings))
    })
  }).finally(() => {
    ending.abort()
    setReferenced(child, false)
  })
}

function exitReason(
  code: number | null,
  signal: NodeJS.Signals | null,
  settings: Settings['library'],
): DocumentUnreadable {
  // V8 aborts when its heap is full.
  if (signal === 'SIGABRT' || code === 134) return tooMuchMemory(settings)
  return crashed(signal ?? `exit code ${code}`)
}

function crashed(how: string): DocumentUnreadable {
  return new DocumentUnreadable(
    'reader_crashed',
    `The process that read it ended early (${how}). Try again; if that does not help, export the file again`,
  )
}

function tooMuchMemory(settings: Settings['library']): DocumentUnreadable {
  return overBudget(`It needs more than ${settings.memoryMegabytes} MB of memory to read`, 'memoryMegabytes')
}

// The heap limit does not bound buffers and WebAssembly, so the whole process is watched from outside.
async function checkMemory(child: ChildProcess, settings: Settings['library']): Promise<void> {
  const kilobytes = child.pid === undefined ? 0 : await residentKilobytes(child.pid)
  if (kilobytes > settings.memoryMegabytes * 1024) throw tooMuchMemory(settings)
}

async function residentKilobytes(pid: number): Promise<number> {
  try {
    const status = process.platform === 'linux' ? await readFile(`/proc/${pid}/status`, 'utf8') : await psStatus(pid)
    return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0)
  } catch {
    // The process is gone, which its exit event tells; or this system cannot be asked.
    return 0
  }
}

function psStatus(pid: number): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], (error, stdout) =>
      error ? reject(error) : resolve(`VmRSS: ${stdout.trim()}`),
    )
  })
}
