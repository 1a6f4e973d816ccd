import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { programFile } from '../../config.ts'
import { asError } from '../../errors.ts'
import type { Event } from '../../events/index.ts'
import { type OtlpBackend, type RunLine, type TraceLabels, type Tracing, withinTime } from '../../tracing/index.ts'
import type { LangfuseAccess } from '../access.ts'

/** What the thread is given when it starts. */
export interface TraceSetup {
  readonly langfuse: LangfuseAccess | null
  readonly otlp: OtlpBackend | null
  readonly labels: TraceLabels
  readonly secrets: readonly string[]
}

/** What the thread is sent. */
export type TraceRequest =
  | { readonly kind: 'lines'; readonly lines: readonly TracedLine[] }
  | { readonly kind: 'flush' | 'close'; readonly id: number }

/** What the thread sends. */
export type TraceReply =
  | { readonly kind: 'notice'; readonly of: 'langfuse' | 'otlp'; readonly message: string }
  | { readonly kind: 'done'; readonly id: number }

export interface TracedLine {
  readonly line: RunLine
  readonly log?: readonly Event[]
}

export interface TraceThreadOptions {
  readonly onLangfuseFailure: (message: string) => void
  readonly onNotice: (message: string) => void
}

/** Lines of this time are sent together: each message to the thread wakes it. Milliseconds. */
const togetherMs = 250
/** How long the end of a process waits for traces. Milliseconds. */
const closeMs = 3000

/**
 * Writes traces in a thread of its own, so that serialising and sending them takes no time of the answers. It starts with
 * the first line of a run, does not keep the process alive, and is not started again if it fails.
 */
export class TraceThread implements Tracing {
  readonly #setup: TraceSetup
  readonly #options: TraceThreadOptions
  readonly #waiting = new Map<number, () => void>()
  #worker: Worker | null = null
  #isOver = false
  #lines: TracedLine[] = []
  #requests = 0

  constructor(setup: TraceSetup, options: TraceThreadOptions) {
    this.#setup = setup
    this.#options = options
  }

  readonly tracer: Tracing['tracer'] = (line, log) => {
    if (this.#isOver) return
    this.#lines.push({ line, ...(log && { log }) })
    if (this.#lines.length === 1) setTimeout(() => this.#sendLines(), togetherMs).unref()
  }

  flush(): Promise<void> {
    return this.#request('flush')
  }

  async close(): Promise<void> {
    await this.#request('close')
    this.#isOver = true
    await this.#worker?.terminate().catch(() => {})
  }

  /** Asks the thread to send what it has; waits within bounds. */
  async #request(kind: 'flush' | 'close'): Promise<void> {
    this.#sendLines()
    if (!this.#worker || this.#isOver) return
    this.#requests += 1
    const id = this.#requests
    const done = new Promise<void>((resolve) => this.#waiting.set(id, resolve))
    this.#post({ kind, id })
    await withinTime(done, closeMs)
    this.#waiting.delete(id)
  }

  #sendLines(): void {
    const lines = this.#lines
    this.#lines = []
    if (lines.length > 0 && !this.#isOver) this.#post({ kind: 'lines', lines })
  }

  #post(request: TraceRequest): void {
    this.#worker ??= this.#start()
    try {
      this.#worker.postMessage(request)
    } catch {
      // The arguments of a tool call may hold what cannot be copied, such as a function.
      this.#worker.postMessage(JSON.parse(JSON.stringify(request)))
    }
  }

  #start(): Worker {
    const worker = startWorker(this.#setup)
    worker.unref()
    worker.on('message', (reply: TraceReply) => this.#receive(reply))
    worker.on('error', (error) => this.#end(asError(error).message))
    worker.on('exit', () => this.#end('it exited'))
    return worker
  }

  #receive(reply: TraceReply): void {
    if (reply.kind === 'done') this.#waiting.get(reply.id)?.()
    else if (reply.of === 'langfuse') this.#options.onLangfuseFailure(reply.message)
    else this.#options.onNotice(reply.message)
  }

  #end(cause: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#lines = []
    for (const resolve of this.#waiting.values()) resolve()
    this.#options.onNotice(
      `Traces do not arrive: the thread that sends them failed (${cause}). Answers are not affected.`,
    )
  }
}

function startWorker(workerData: TraceSetup): Worker {
  const file = programFile('langfuse/traces/trace-worker')
  if (!file.endsWith('.ts')) return new Worker(file, { workerData })
  // A checkout's TypeScript needs its loader, which Node.js 20 does not take as an option of a thread.
  const url = JSON.stringify(pathToFileURL(file))
  const code = `import('tsx/esm/api').then(({ register }) => { register(); return import(${url}) })`
  return new Worker(code, { workerData, eval: true, execArgv: [] })
}
