import { type ChildProcess, fork } from 'node:child_process'
import { packageRoot, programFile, type Settings } from '../../config.ts'
import { DocumentUnreadable } from '../../errors.ts'
import type { DocumentBatch } from '../port/document.ts'
import { detectFormat } from '../readers/read-document.ts'
import { watchMemory } from './memory-watch.ts'
import type { DocumentHead, ReaderMessage, ReadReply, ReadRequest } from './reader-process.ts'

/** A file as its reader hands it over. */
export interface FileContent extends DocumentHead {
  /** Each is sent when the one before it is taken. */
  readonly batches: AsyncIterable<DocumentBatch>
}

/** Reads files in processes of their own, so that a hostile file can hurt nothing but its reader. */
export interface FileReader {
  /**
   * Waits for a free reader, which is then held until `use` is done. Throws `DocumentUnreadable`, or the signal's
   * reason. `use` may be called a second time if the reader dies of the files before.
   */
  read<T>(file: FileToRead, use: (content: FileContent) => Promise<T>): Promise<T>
  /** Ends the processes. What is being read fails. */
  close(): void
}

export interface FileToRead {
  readonly path: string
  readonly bytes: Uint8Array
  readonly documentId: string
  readonly passwords?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Starts processes when they are first needed, at most `settings.readers`, and keeps them for many files; one that
 * failed, or went over its budget of memory or time, is replaced.
 */
export function createFileReader(settings: Settings['library']): FileReader {
  const pool = readerPool(settings)

  const attempt = async <T>(file: FileToRead, use: (content: FileContent) => Promise<T>): Promise<T> => {
    const reader = await pool.take()
    let isReusable = false
    try {
      file.signal?.throwIfAborted()
      const exchange = exchangeWith(reader, settings, file.signal)
      const first = await exchange(openingMessages(file, settings))
      const batches = batchesFrom(first, exchange, () => {
        isReusable = true
      })
      if (!first.head) throw crashed('it answered something else')
      return await use({ ...first.head, batches })
    } finally {
      pool.giveBack(reader, isReusable)
    }
  }

  return {
    async read(file, use) {
      checkSize(file.bytes.length, settings)
      // What the first bytes give away needs no process.
      detectFormat(file.path, file.bytes)
      return attempt(file, use).catch((error: unknown) => {
        // Its process may have been worn out by the files before: the file gets one try in a fresh one.
        if (error instanceof DocumentUnreadable && error.cause === wornOut) return attempt(file, use)
        throw error
      })
    },
    close: pool.close,
  }
}

const bytesAtOnce = 1_000_000

function* openingMessages(
  { path, bytes, documentId, passwords = [] }: FileToRead,
  settings: Settings['library'],
): Generator<ReaderMessage> {
  const limits = { pages: settings.pagesPerFile, characters: settings.textMegabytes * 1_000_000 }
  const request: ReadRequest = { path, documentId, size: bytes.length, options: { passwords, limits } }
  yield request
  for (let at = 0; at < bytes.length; at += bytesAtOnce) yield { bytes: bytes.subarray(at, at + bytesAtOnce) }
}

/** The next batch is made while this one is used. */
async function* batchesFrom(first: Answer, exchange: Exchange, onEnd: () => void): AsyncGenerator<DocumentBatch> {
  for (let answer = first; ; ) {
    if (answer.isLast) {
      onEnd()
      yield answer.batch
      return
    }
    const next = exchange(['next'])
    // Whoever takes no further batch is not told of its failure.
    next.catch(() => {})
    yield answer.batch
    answer = await next
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

const wornOut = 'the process had read other files before'

function worn({ code, message }: DocumentUnreadable): DocumentUnreadable {
  return new DocumentUnreadable(code, message, { cause: wornOut })
}

type Answer = Exclude<ReadReply, { error: unknown }>
type Exchange = (messages: Iterable<ReaderMessage>) => Promise<Answer>

/** Sends messages and waits for one reply. The time that the process works is counted over all of them. */
function exchangeWith(reader: Reader, settings: Settings['library'], signal: AbortSignal | undefined): Exchange {
  let leftMs = settings.secondsPerFile * 1000
  return async (messages) => {
    signal?.throwIfAborted()
    const reply = await ask(reader, messages, { settings, leftMs, signal })
    if ('error' in reply) throw new DocumentUnreadable(reply.error.code, reply.error.message)
    leftMs -= reply.workMs
    return reply
  }
}

interface AskOptions {
  readonly settings: Settings['library']
  readonly leftMs: number
  readonly signal: AbortSignal | undefined
}

/** Waits for the reply, the end of the process, its budget or the signal. */
function ask(
  { process: child, files }: Reader,
  messages: Iterable<ReaderMessage>,
  { settings, leftMs, signal }: AskOptions,
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
      Math.max(0, leftMs),
    )
    const endWatch = watchMemory(child.pid, settings.memoryMegabytes, () => fail(tooMuchMemory(settings)))
    ending.signal.addEventListener('abort', () => {
      clearTimeout(clock)
      endWatch()
      child.off('message', resolve).off('exit', onExit)
      signal?.removeEventListener('abort', onAbort)
    })
    sendAll(child, messages).catch((error: Error) => {
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

/** One after the other, so that no more than one message waits in memory. */
async function sendAll(child: ChildProcess, messages: Iterable<ReaderMessage>): Promise<void> {
  for (const message of messages) {
    await new Promise<void>((resolve, reject) => {
      child.send(message, (error) => (error ? reject(error) : resolve()))
    })
  }
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
