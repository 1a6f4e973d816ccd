import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { ScoreValue } from '../events/index.ts'
import { type Redact, redactAll } from '../redact.ts'
import { OtlpExporter } from '../tracing/otel/otlp-exporter.ts'
import { rootSpanIdOf, spanIdOf, traceIdOf } from '../tracing/otel/trace-ids.ts'
import { type LangfuseAccess, langfuseEndpoint, publicAddress } from './access.ts'
import { LangfuseApi } from './api.ts'
import { type ItemSpan, sendItemSpans } from './experiment-spans.ts'
import { LangfuseUnavailable } from './failure.ts'
import { postScore, stableId } from './scores.ts'

/** A dataset with the results of all its questions. */
export interface Experiment {
  readonly dataset: string
  /** An earlier run of this name is replaced. */
  readonly run: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly items: readonly ExperimentItem[]
  /** Over all items. */
  readonly scores: Readonly<Record<string, ScoreValue>>
}

/** One question. */
export interface ExperimentItem {
  /** Unique within the dataset. */
  readonly id: string
  readonly input: string
  readonly expectedOutput: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  /** null for a refused question: its item has an own trace with the reason. */
  readonly run: { readonly runId: string; readonly threadId: string | null } | null
  readonly output: string
  readonly startedAt: Date
  readonly endedAt: Date
  /** Why it failed; null if it did not. */
  readonly error: string | null
  readonly scores: Readonly<Record<string, ScoreValue>>
}

export interface ReportedExperiment {
  readonly dataset: string
  readonly run: string
  readonly url: string
}

const requestTimeoutMs = 5000
/** Requests at the same time. */
const width = 4
const mostRetries = 4
const longestWaitMs = 60_000
const transient: ReadonlySet<number | null> = new Set([429, 502, 503, 504])

/** Reports experiments to Langfuse. */
export class LangfuseExperiments {
  readonly #access: LangfuseAccess
  readonly #redact: Redact

  constructor(access: LangfuseAccess, redact: Redact) {
    this.#access = access
    this.#redact = redact
  }

  /**
   * Sends the items of a dataset, a run that links each to its trace, the same links as spans (for servers that read
   * experiments from spans), and scores. Failed items are linked and scored too. Ids are made from names, so a repeat
   * replaces. Throws `LangfuseUnavailable` at the first request that fails.
   */
  async report(given: Experiment, outer: AbortSignal): Promise<ReportedExperiment> {
    // The names are in bodies and in paths, and must be the same in both.
    const experiment = { ...given, dataset: this.#redact(given.dataset), run: this.#redact(given.run) }
    const failed = new AbortController()
    const signal = AbortSignal.any([outer, failed.signal])
    const api = new LangfuseApi(this.#access, { redact: this.#redact, timeoutMs: requestTimeoutMs })
    const send: Send = (request) => retried(() => api.request({ ...request, signal }), signal)
    const { dataset: name, run, items } = experiment
    try {
      const { id: datasetId, projectId } = await send({
        method: 'POST',
        path: ['v2', 'datasets'],
        body: redactAll({ name }, this.#redact),
        answer: z.object({ id: z.string(), projectId: z.string() }),
        what: 'a dataset',
      })
      await forEach(items, (item) =>
        send({
          method: 'POST',
          path: ['dataset-items'],
          body: redactAll(itemBody(item, name), this.#redact),
          answer: z.object({ id: z.string() }),
          what: 'an item of a dataset',
        }),
      )
      const experimentId = await this.#link(experiment, send)
      await this.#sendSpans(items.map((item) => spanOf(item, experiment, { experimentId, datasetId })))
      const scores = scoresOf(experiment, experimentId)
      await forEach(scores, (score) => retried(() => postScore(api, score, signal), signal))
      const path = `project/${projectId}/datasets/${datasetId}/runs/${experimentId}`
      return { dataset: name, run, url: `${publicAddress(this.#access)}/${path}` }
    } finally {
      // After one failure, the other requests in progress are of no use.
      failed.abort()
    }
  }

  /** Links each item to its trace, once, and returns the id of the run. */
  async #link(experiment: Experiment, send: Send): Promise<string> {
    const { dataset, run: runName, items, metadata } = experiment
    const links = items.map((item) => ({ datasetItemId: itemIdOf(dataset, item), traceId: traceOf(experiment, item) }))
    const before = await linkedBefore(['datasets', dataset, 'runs', runName], links, send)
    const missing = links.filter((link) => !before?.datasetRunItems.some((other) => isSame(link, other)))
    const made = await forEach(missing, (link) =>
      send({
        method: 'POST',
        path: ['dataset-run-items'],
        body: { ...link, ...redactAll({ runName, metadata }, this.#redact) },
        answer: z.object({ datasetRunId: z.string() }),
        what: 'an item of an experiment',
      }),
    )
    return made[0]?.datasetRunId ?? before?.id ?? ''
  }

  async #sendSpans(spans: readonly ItemSpan[]): Promise<void> {
    const failures: string[] = []
    const exporter = new OtlpExporter({
      ...langfuseEndpoint(this.#access),
      redact: this.#redact,
      timeoutMs: requestTimeoutMs,
      onFailure: (message) => void failures.push(message),
    })
    await sendItemSpans(spans, exporter)
    if (failures[0] !== undefined) throw new LangfuseUnavailable(failures[0])
  }
}

type Send = LangfuseApi['request']

const link = z.object({ datasetItemId: z.string(), traceId: z.string() })
const datasetRun = z.object({ id: z.string(), datasetRunItems: z.array(link) })
type Link = z.output<typeof link>

/** The existing run of this name; null if there is none. A run of other traces is deleted, to free its name. */
async function linkedBefore(
  path: readonly string[],
  own: readonly Link[],
  send: Send,
): Promise<z.output<typeof datasetRun> | null> {
  const request = { method: 'GET', path, answer: datasetRun, what: 'an experiment' } as const
  const before = await send(request).catch((error: unknown) => {
    if (error instanceof LangfuseUnavailable && error.status !== null && unknown.has(error.status)) return null
    throw error
  })
  if (before?.datasetRunItems.every((each) => own.some((other) => isSame(each, other))) !== false) return before
  await send({ method: 'DELETE', path, answer: z.object({}), what: 'a deleted experiment' })
  return null
}

/** There is no such run, or the server is newer and has no such resource. */
const unknown: ReadonlySet<number> = new Set([404, 405, 410])

function isSame(one: Link, other: Link): boolean {
  return one.datasetItemId === other.datasetItemId && one.traceId === other.traceId
}

function itemBody(item: ExperimentItem, datasetName: string) {
  const { input, expectedOutput, metadata } = item
  return { id: itemIdOf(datasetName, item), datasetName, input, expectedOutput, metadata }
}

/** Ids of items are unique in a project, not only in their dataset. */
function itemIdOf(dataset: string, { id }: Pick<ExperimentItem, 'id'>): string {
  return stableId('item', dataset, id)
}

function traceOf({ dataset, run }: Pick<Experiment, 'dataset' | 'run'>, item: ExperimentItem): string {
  return item.run ? traceIdOf(item.run.runId) : stableId('trace', dataset, run, item.id)
}

function spanOf(
  item: ExperimentItem,
  experiment: Experiment,
  { experimentId, datasetId }: { readonly experimentId: string; readonly datasetId: string },
): ItemSpan {
  const { dataset, run, metadata } = experiment
  const spanId = spanIdOf(stableId('span', dataset, run, item.id))
  return {
    traceId: traceOf(experiment, item),
    spanId,
    parentSpanId: item.run && rootSpanIdOf(item.run.runId),
    threadId: item.run?.threadId ?? null,
    startedAt: item.startedAt,
    endedAt: item.endedAt,
    input: item.input,
    output: item.output,
    error: item.error,
    experiment: {
      'experiment.id': experimentId,
      'experiment.name': run,
      'experiment.metadata': JSON.stringify(metadata),
      'experiment.dataset.id': datasetId,
      'experiment.item.id': itemIdOf(dataset, item),
      'experiment.item.expected_output': JSON.stringify(item.expectedOutput ?? null),
      'experiment.item.metadata': JSON.stringify(item.metadata),
      'experiment.item.root_observation_id': spanId,
    },
  }
}

function scoresOf(experiment: Experiment, datasetRunId: string) {
  const { dataset, run, items, scores } = experiment
  const idOf = (itemId: string, name: string) => stableId('experiment score', dataset, run, itemId, name)
  const ofItems = items.flatMap((item) =>
    Object.entries(item.scores).map(([name, value]) => {
      return { id: idOf(item.id, name), traceId: traceOf(experiment, item), name, value }
    }),
  )
  const ofRun = Object.entries(scores).map(([name, value]) => ({ id: idOf('', name), datasetRunId, name, value }))
  return [...ofItems, ...ofRun]
}

/** Works on all, some at the same time; rejects with the first failure. */
async function forEach<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<readonly R[]> {
  const waiting = all.entries()
  const results: R[] = []
  const worker = async () => {
    for (const [index, one] of waiting) results[index] = await work(one)
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}

/** Retries where the server asks for patience, after the time it names, or longer each time. */
async function retried<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      const isTransient = error instanceof LangfuseUnavailable && transient.has(error.status)
      if (!isTransient || tries === mostRetries) throw error
      await wait(Math.min(longestWaitMs, error.retryAfterMs ?? 1000 * 2 ** tries), undefined, { signal })
    }
  }
}
