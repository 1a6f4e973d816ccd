import { setTimeout as wait } from 'node:timers/promises'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Queue, StreamEvent } from '../index.ts'

/** Counts of this process, and how full the queue of all workers is, as Prometheus reads them. */
export interface Metrics {
  observe(event: StreamEvent): void
  /** The text of `/metrics`. */
  text(): Promise<string>
  readonly contentType: string
}

/** `queue` is null where the storage has none. */
export function metrics(queue: Pick<Queue, 'figures'> | null): Metrics {
  const registers = [new Registry()]
  const working = new Gauge({ name: 'quaero_runs_working', help: 'Runs at work', registers })
  const tokens = new Counter({
    name: 'quaero_tokens_total',
    help: 'Tokens of model calls',
    labelNames: ['direction'],
    registers,
  })
  const cost = new Counter({ name: 'quaero_cost_usd_total', help: 'Known costs of model calls. US dollars', registers })
  const readQueue = queue && queueGauges(queue, registers, working)
  const observeRun = runSeconds(registers, queue ? null : working)
  const observeModel = modelSeconds(registers)
  const isNew = newOnly()
  return {
    contentType: registers[0]?.contentType ?? 'text/plain',
    async text() {
      await readQueue?.()
      return registers[0]?.metrics() ?? ''
    },
    observe(event) {
      if (!isNew(event)) return
      observeRun(event)
      observeModel(event)
      if (event.type === 'model.completed') {
        const { inputTokens, outputTokens, costUsd } = event.payload.usage
        tokens.inc({ direction: 'input' }, inputTokens ?? 0)
        tokens.inc({ direction: 'output' }, outputTokens ?? 0)
        cost.inc(costUsd ?? 0)
      }
    },
  }
}

/** Runs of which it is remembered how far they were counted: more than any client asks for again. */
const mostRemembered = 10_000

function dropOldest(runs: Map<string, unknown>): void {
  const [oldest] = runs.keys()
  if (runs.size > mostRemembered && oldest !== undefined) runs.delete(oldest)
}

/** True for an event of a log the first time it comes: several readers of a run, and those that come back, bring it again. */
function newOnly(): (event: StreamEvent) => boolean {
  const counted = new Map<string, number>()
  return (event) => {
    if (!('position' in event)) return false
    const { runId, position } = event
    const isNew = position > (counted.get(runId) ?? 0)
    const last = Math.max(position, counted.get(runId) ?? 0)
    counted.delete(runId)
    counted.set(runId, last)
    dropOldest(counted)
    return isNew
  }
}

/** Counts runs as they end, and how long their attempts took; `working` shows those that have begun, if it is given. */
function runSeconds(registers: Registry[], working: Gauge | null): (event: StreamEvent) => void {
  const ended = new Counter({
    name: 'quaero_runs_total',
    help: 'Runs that ended or wait, by status',
    labelNames: ['status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'quaero_run_seconds',
    help: 'From the beginning of an attempt to its end',
    buckets: [0.1, 0.3, 1, 3, 10, 30, 100, 300],
    registers,
  })
  const begun = new Map<string, number>()
  return ({ type, runId, timestamp }) => {
    const at = Date.parse(timestamp)
    if (type === 'run.started') {
      begun.set(runId, at)
      dropOldest(begun)
    }
    if (ends.has(type)) {
      const since = begun.get(runId)
      begun.delete(runId)
      ended.inc({ status: type.slice('run.'.length) })
      if (since !== undefined) seconds.observe((at - since) / 1000)
    }
    working?.set(begun.size)
  }
}

const ends: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.interrupted'])

/** Makes the histogram of model calls that complete; the function that is returned sees all events. */
function modelSeconds(registers: Registry[]): (event: StreamEvent) => void {
  const seconds = new Histogram({
    name: 'quaero_model_seconds',
    help: 'From a model call to the end of its reply, with what was tried again',
    labelNames: ['model'],
    buckets: [0.1, 0.3, 1, 3, 10, 30, 100],
    registers,
  })
  const open = new Map<string, { readonly model: string; readonly at: number }>()
  return (event) => {
    const at = Date.parse(event.timestamp)
    if (event.type === 'model.started') open.set(event.id, { model: event.payload.model, at })
    if (!modelEnds.has(event.type) || !('causationId' in event)) return
    const { type, causationId = '' } = event
    const begun = open.get(causationId)
    if (type === 'model.completed' && begun) seconds.observe({ model: begun.model }, (at - begun.at) / 1000)
    open.delete(causationId)
  }
}

const modelEnds: ReadonlySet<string> = new Set(['model.completed', 'model.failed', 'model.interrupted'])

/** Makes the gauges of a queue; the function that is returned reads them again. */
function queueGauges(queue: Pick<Queue, 'figures'>, registers: Registry[], atWork: Gauge): () => Promise<void> {
  const runs = new Gauge({
    name: 'quaero_queue_runs',
    help: 'Runs in the queue, by whether they wait for a worker or are at work',
    labelNames: ['state'],
    registers,
  })
  const oldest = new Gauge({
    name: 'quaero_queue_oldest_seconds',
    help: 'How long the oldest run has waited for a worker; 0 if none waits',
    registers,
  })
  const stored = new Gauge({
    name: 'quaero_stored_runs',
    help: 'Runs of the database that have not ended, in the queue or not, by status',
    labelNames: ['state'],
    registers,
  })
  const workers = new Gauge({
    name: 'quaero_queue_workers',
    help: 'Workers that are connected',
    registers,
  })
  const files = new Gauge({
    name: 'quaero_queue_files',
    help: 'Uploaded files in the queue, by whether they wait for a worker or are read',
    labelNames: ['state'],
    registers,
  })
  return async () => {
    runs.reset()
    stored.reset()
    files.reset()
    workers.remove()
    atWork.remove()
    oldest.remove()
    // Where the database is away, the gauges have no values; /ready tells why.
    const now = await soon(() => queue.figures())
    if (!now) return
    runs.set({ state: 'waiting' }, now.waiting)
    runs.set({ state: 'working' }, now.working)
    atWork.set(now.working)
    oldest.set(now.oldestSeconds ?? 0)
    workers.set(now.workers)
    const { running, requires_action, interrupted } = now.outside
    const byState = { queued: now.waiting, running: now.working + running, requires_action, interrupted }
    for (const [state, count] of Object.entries(byState)) stored.set({ state }, count)
    files.set({ state: 'waiting' }, now.files.waiting)
    files.set({ state: 'working' }, now.files.working)
  }
}

/** How long a probe of health or figures may wait for the storage. */
const longestMs = 1000

/** What the work returns; null if it fails, or takes longer than a probe may wait. */
export async function soon<T>(work: () => Promise<T>): Promise<T | null> {
  const late = new AbortController()
  const overdue = wait(longestMs, null, { signal: late.signal }).catch(() => null)
  const done = work().catch(() => null)
  const result = await Promise.race([done, overdue])
  late.abort()
  return result
}
