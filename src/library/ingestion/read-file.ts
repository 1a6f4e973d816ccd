import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { packageRoot, programFile, type Settings } from '../../config.ts'
import { asError, DocumentUnreadable } from '../../errors.ts'
import type { DocumentBatch } from '../port/document.ts'
import type { RecognisedForm } from '../readers/common/read-options.ts'
import { detectFormat } from '../readers/read-document.ts'
import { overBudget, overused, useOf } from './processes/process-watch.ts'
import type { DocumentHead, ReaderMessage, ReadReply, ReadRequest } from './reader-process.ts'

export interface FileContent extends DocumentHead {
  /** Each is sent when the one before it is taken. */
  readonly batches: AsyncIterable<DocumentBatch>
}

/** Reads files in separate processes, so that a hostile file harms only its reader. */
export interface FileReader {
  /**
   * Waits for a free reader, which is reserved until `use` is done. Throws `DocumentUnreadable`, or the signal's
   * reason. `use` may be called a second time if the files before have worn out the reader.
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
  /** For bytes that a program made of the file. */
  readonly recognised?: RecognisedForm | undefined
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
      const exchange = await exchangeWith(reader, settings, file)
      const first = await exchange(openingMessages(file, settings))
      const batches = batchesFrom(first, exchange, () => {
        isReusable = true
      })
      if (!first.head) throw crashed('it answered something else')
      return await use({ ...first.head, batches })
    } finally {
      pool.putBack(reader, isReusable)
    }
  }

  return {
    async read(file, use) {
      if (!file.recognised) {
        checkSize(file.bytes.length, settings)
        // What the first bytes give away needs no process.
        detectFormat(file.path, file.bytes)
      }
      return attempt(file, use).catch((error: unknown) => {
        // The files before may have worn out its process: the file gets one try in a new one.
        if (error instanceof DocumentUnreadable && error.cause === wornOut) return attempt(file, use)
        throw error
      })
    },
    close: pool.close,
  }
}

const bytesAtOnce = 1_000_000

function* openingMessages(
  { path, bytes, documentId, passwords = [], recognised }: FileToRead,
  settings: Settings['library'],
): Generator<ReaderMessage> {
  const limits = { pages: settings.pagesPerFile, characters: settings.textMegabytes * 1_000_000 }
  const request: ReadRequest = { path, documentId, size: bytes.length, options: { passwords, limits, recognised } }
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
    // Its failure is reported only if the batch is asked for.
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
  putBack(reader: Reader, isReusable: boolean): void
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
    putBack(reader, isReusable) {
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

function startReader(settings: Settings['library']): ChildProcess {
  const file = programFile('library/ingestion/reader-process')
  const child = fork(file, {
    execArgv: [
      `--max-old-space-size=${settings.memoryMegabytes}`,
      ...(file.endsWith('.ts') ? ['--import', 'tsx'] : []),
    ],
    cwd: packageRoot(),
    // Code that reads files from strangers gets no keys.
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // Without a listener, an error between two files would end the parent.
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

type Answer = Exclude<ReadReply, { error: unknown }>
type Exchange = (messages: Iterable<ReaderMessage>) => Promise<Answer>

/** A file of this size has `secondsPerFile`, a larger one in proportion more. */
const bytesInTime = 5_000_000
/** Of `secondsPerFile`, what the smallest file has: few bytes should not keep a reader busy for long. */
const leastShare = 1 / 3

function secondsFor(size: number, { secondsPerFile }: Settings['library']): number {
  const share = size / bytesInTime
  return secondsPerFile * Math.max(share, leastShare + (1 - leastShare) * share)
}

/**
 * How much longer than its time a file may take where the machine is busy; where the system does not tell how long the
 * process has worked, it is not longer at all.
 */
const longestWait = 10

/** Sends messages and waits for one reply. The time that the process works is counted over all of them. */
async function exchangeWith(
  { process: child, files }: Reader,
  settings: Settings['library'],
  { bytes, signal }: FileToRead,
): Promise<Exchange> {
  const limitMs = 1000 * secondsFor(bytes.length, settings)
  const late = overBudget(`It took longer than ${Number((limitMs / 1000).toPrecision(2))} s to read`, 'secondsPerFile')
  const excess = { megabytes: tooMuchMemory(settings), workedMs: late }
  const before = await useOf(child.pid)
  const longestMs = before ? longestWait * limitMs : limitMs
  const most = { megabytes: settings.memoryMegabytes, workedMs: (before?.workedMs ?? 0) + limitMs }

  /** Waits for the reply, the end of the process, its limits or the signal. */
  const ask = async (messages: Iterable<ReaderMessage>): Promise<ReadReply> => {
    const over = new AbortController()
    const untilOver = { signal: over.signal }
    const reply = once(child, 'message', untilOver).then(([answer]): ReadReply => answer)
    const fail = (error: () => unknown) => () => Promise.reject(error())
    try {
      return await Promise.race([
        reply,
        sendAll(child, messages, settings).then(() => reply),
        once(child, 'exit', untilOver).then(([code, by]) => Promise.reject(exitReason(code, by, settings))),
        sleep(longestMs, undefined, untilOver).then(fail(() => late)),
        overused(child.pid, most, over.signal).then((what) => Promise.reject(excess[what])),
        ...(signal ? [once(signal, 'abort', untilOver).then(fail(() => signal.reason))] : []),
      ])
    } catch (error) {
      signal?.throwIfAborted()
      const failure = error instanceof DocumentUnreadable ? error : crashed(asError(error).message)
      if (files === 0 || failure === late) throw failure
      throw new DocumentUnreadable(failure.code, failure.message, { cause: wornOut })
    } finally {
      over.abort()
    }
  }

  return async (messages) => {
    signal?.throwIfAborted()
    setReferenced(child, true)
    const reply = await ask(messages).finally(() => setReferenced(child, false))
    if ('error' in reply) throw new DocumentUnreadable(reply.error.code, reply.error.message)
    return reply
  }
}

/** Sends one message after the other, so that no more than one waits in memory. */
async function sendAll(
  child: ChildProcess,
  messages: Iterable<ReaderMessage>,
  settings: Settings['library'],
): Promise<void> {
  for (const message of messages) {
    const error = await new Promise<Error | null>((resolve) => child.send(message, resolve))
    if (!error) continue
    if (child.pid === undefined) throw crashed(error.message)
    if (child.exitCode !== null || child.signalCode !== null) {
      throw exitReason(child.exitCode, child.signalCode, settings)
    }
    // Its exit event reports the failure.
    child.kill('SIGKILL')
    return
  }
}

function exitReason(
  code: number | null,
  signal: NodeJS.Signals | null,
  settings: Settings['library'],
): DocumentUnreadable {
  // V8 aborts the process when its heap is full.
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
