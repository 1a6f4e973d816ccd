import { setTimeout as wait } from 'node:timers/promises'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { endsAttempt } from '../events/index.ts'
import type { Queue, StreamEvent, WatchedFolder } from '../index.ts'

/** Counts of this process, and how full the queue of all workers is, as Prometheus reads them. */
export interface Metrics {
  observe(event: StreamEvent): void
  /** Counts sentences of answers that no longer stand, since a document was replaced or removed here. */
  countFallen(sentences: number): void
  /** The text of `/metrics`. */
  text(): Promise<string>
  readonly contentType: string
}

/** `queue` is null where the storage has none; `watched` are the folders that are kept current. */
export function metrics(
  queue: Pick<Queue, 'figures'> | null,
  watched: () => readonly WatchedFolder[] = () => [],
): Metrics {
  const registry = new Registry()
  const working = gauge(registry, 'quaero_runs_working', 'Runs at work')
  const tokens = counter(registry, 'quaero_tokens_total', 'Tokens of model calls', 'direction')
  const cost = counter(registry, 'quaero_cost_usd_total', 'Known costs of model calls. US dollars')
  const fallen = counter(
    registry,
    'quaero_claims_fallen_total',
    'Sentences of answers that a changed document let fall',
  )
  const changes = counter(registry, 'quaero_folder_changes_total', 'What changed in folders that are kept', 'change')
  const readFolders = () => {
    changes.reset()
    for (const { counts } of watched())
      for (const [change, count] of Object.entries(counts)) changes.inc({ change }, count)
  }
  const readQueue = queue && queueGauges(queue, registry, working)
  const observeRun = runSeconds(registry, queue ? null : working)
  const observeModel = modelSeconds(registry)
  const isNew = newOnly()
  return {
    contentType: registry.contentType,
    async text() {
      await readQueue?.()
      readFolders()
      return registry.metrics()
    },
    countFallen: (sentences) => fallen.inc(sentences),
    observe(event) {
      if (!isNew(event)) return
      observeRun(event)
      observeModel(event)
      if (event.type !== 'model.completed') return
      const { inputTokens, outputTokens, costUsd } = event.payload.usage
      tokens.inc({ direction: 'input' }, inputTokens ?? 0)
      tokens.inc({ direction: 'output' }, outputTokens ?? 0)
      cost.inc(costUsd ?? 0)
    },
  }
}

function gauge(registry: Registry, name: string, help: string, ...labelNames: readonly string[]): Gauge {
  return new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] })
}

function counter(registry: Registry, name: string, help: string, ...labelNames: readonly string[]): Counter {
  return new Counter({ name, help, labelNames: [...labelNames], registers: [registry] })
}

function seconds(registry: Registry, name: string, help: string, ...labelNames: readonly string[]): Histogram {
  const buckets = [0.1, 0.3, 1, 3, 10, 30, 100, ...(labelNames.length > 0 ? [] : [300])]
  return new Histogram({ name, help, labelNames: [...labelNames], buckets, registers: [registry] })
}

/** Runs of which it is remembered how far they were counted: more than any client asks for again. */
const mostRemembered = 10_000

/** Remembers it as the newest; the oldest is forgotten where there are very many. */
function remember<T>(runs: Map<string, T>, runId: string, value: T): void {
  runs.delete(runId)
  runs.set(runId, value)
  const [oldest] = runs.keys()
  if (runs.size > mostRemembered && oldest !== undefined) runs.delete(oldest)
}

/** True for an event of a log the first time it comes: several readers of a run, and those that come back, bring it again. */
function newOnly(): (event: StreamEvent) => boolean {
  const counted = new Map<string, number>()
  return (event) => {
    if (!('position' in event)) return false
    const last = counted.get(event.runId) ?? 0
    remember(counted, event.runId, Math.max(event.position, last))
    return event.position > last
  }
}

/** Counts runs as they end, and how long their attempts took; `working` shows those that have begun, if it is given. */
function runSeconds(registry: Registry, working: Gauge | null): (event: StreamEvent) => void {
  const ended = counter(registry, 'quaero_runs_total', 'Runs that ended or wait, by status', 'status')
  const took = seconds(registry, 'quaero_run_seconds', 'From the beginning of an attempt to its end')
  const begun = new Map<string, number>()
  return ({ type, runId, timestamp }) => {
    const at = Date.parse(timestamp)
    if (type === 'run.started') remember(begun, runId, at)
    if (endsAttempt({ type })) {
      const since = begun.get(runId)
      begun.delete(runId)
      ended.inc({ status: type.slice('run.'.length) })
      if (since !== undefined) took.observe((at - since) / 1000)
    }
    working?.set(begun.size)
  }
}

/** How long model calls took that complete. */
function modelSeconds(registry: Registry): (event: StreamEvent) => void {
  const help = 'From a model call to the end of its reply, with what was tried again'
  const took = seconds(registry, 'quaero_model_seconds', help, 'model')
  const open = new Map<string, { readonly model: string; readonly at: number }>()
  return (event) => {
    const at = Date.parse(event.timestamp)
    if (event.type === 'model.started') open.set(event.id, { model: event.payload.model, at })
    if (!/^model\.(?:completed|failed|interrupted)$/.test(event.type) || !('causationId' in event)) return
    const { type, causationId = '' } = event
    const begun = open.get(causationId)
    if (type === 'model.completed' && begun) took.observe({ model: begun.model }, (at - begun.at) / 1000)
    open.delete(causationId)
  }
}

/** Makes the gauges of a queue; the function that is returned reads them again. */
function queueGauges(queue: Pick<Queue, 'figures'>, registry: Registry, atWork: Gauge): () => Promise<void> {
  const state = (name: string, help: string) => gauge(registry, name, help, 'state')
  const runs = state('quaero_queue_runs', 'Runs in the queue, by whether they wait for a worker or are at work')
  const oldestHelp = 'How long the oldest run has waited for a worker; 0 if none waits'
  const oldest = gauge(registry, 'quaero_queue_oldest_seconds', oldestHelp)
  const stored = state('quaero_stored_runs', 'Runs of the database that have not ended, in the queue or not, by status')
  const workers = gauge(registry, 'quaero_queue_workers', 'Workers that are connected')
  const files = state(
    'quaero_queue_files',
    'Uploaded files in the queue, by whether they wait for a worker or are read',
  )
  const show = (of: Gauge, counts: Readonly<Record<string, number>>) => {
    for (const [state, count] of Object.entries(counts)) of.set({ state }, count)
  }
  return async () => {
    for (const each of [runs, stored, files]) each.reset()
    for (const each of [workers, atWork, oldest]) each.remove()
    // Where the database is away, the gauges have no values; /ready tells why.
    const now = await soon(() => queue.figures())
    if (!now) return
    const { waiting, working, outside } = now
    show(runs, { waiting, working })
    atWork.set(working)
    oldest.set(now.oldestSeconds ?? 0)
    workers.set(now.workers)
    const { running, requires_action, interrupted } = outside
    show(stored, { queued: waiting, running: working + running, requires_action, interrupted })
    show(files, { waiting: now.files.waiting, working: now.files.working })
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
