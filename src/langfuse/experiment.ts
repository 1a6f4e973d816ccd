import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { event, type ScoreValue } from '../events/index.ts'
import { type Redact, redactAll } from '../redact.ts'
import { openTracing, rootSpanIdOf, type TraceLabels, traceIdOf } from '../tracing/index.ts'
import { type LangfuseAccess, publicAddress } from './access.ts'
import { LangfuseApi } from './api.ts'
import { LangfuseUnavailable } from './failure.ts'
import { postScore, stableId } from './scores.ts'
import { spanBackend } from './span-backend.ts'

/** A dataset whose questions are about to be asked. */
export interface Experiment {
  readonly dataset: string
  /** Unique: Langfuse adds to a run of the same name. */
  readonly run: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly items: readonly ExperimentItem[]
}

/** One question. */
export interface ExperimentItem {
  /** Unique within the dataset. */
  readonly id: string
  readonly input: string
  readonly expectedOutput: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  /** The run that answers it; its trace follows from this id. */
  readonly runId: string
}

/** What Langfuse knows of an experiment. */
export const begunExperiment = z.strictObject({
  id: z.string(),
  run: z.string(),
  dataset: z.string(),
  datasetId: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  url: z.string(),
  /** Ids of the runs that are linked to it in Langfuse. */
  runs: z.array(z.string()),
})
export type BegunExperiment = z.output<typeof begunExperiment>

/** Why a question has no run. */
export interface RefusedQuestion {
  readonly threadId: string
  readonly code: string
  readonly message: string
}

/** What became of a question. */
export interface ItemResult {
  readonly item: ExperimentItem
  /** Absent if it has a run. */
  readonly refused?: RefusedQuestion
  readonly scores: Readonly<Record<string, ScoreValue>>
}

const requestTimeoutMs = 5000
/** Requests at the same time. */
const width = 4
const mostRetries = 4
const longestWaitMs = 60_000
const transient: ReadonlySet<number | null> = new Set([429, 502, 503, 504])
/** The server is newer, and reads experiments from spans alone. */
const unknown: ReadonlySet<number | null> = new Set([404, 405, 410])

/** Experiments in Langfuse: announced before their questions are asked, scored afterwards. */
export class LangfuseExperiments {
  readonly #access: LangfuseAccess
  readonly #labels: TraceLabels
  readonly #redact: Redact

  constructor(access: LangfuseAccess, { labels, redact }: { readonly labels: TraceLabels; readonly redact: Redact }) {
    this.#access = access
    this.#labels = labels
    this.#redact = redact
  }

  /**
   * Makes the dataset, its items and a run that links each to its trace; or links what `before` does not have. Throws
   * `LangfuseUnavailable` at the first request that fails.
   */
  async begin(given: Experiment, before: BegunExperiment | null, outer: AbortSignal): Promise<BegunExperiment> {
    const experiment = redactAll(given, this.#redact)
    return this.#sending(outer, async (send) => {
      const begun = before ?? (await this.#announce(experiment, send))
      const missing = experiment.items.filter(({ runId }) => !begun.runs.includes(runId))
      const id = await link(missing, begun, send)
      const runs = [...begun.runs, ...missing.map(({ runId }) => runId)]
      return { ...begun, ...(id !== null && !before && { id, url: `${begun.url}/runs/${id}` }), runs }
    })
  }

  /** The attributes with which the spans of a run belong to an experiment. */
  attributesOf(experiment: BegunExperiment, given: ExperimentItem): Readonly<Record<string, string>> {
    const item = redactAll(given, this.#redact)
    const { id, run, dataset, datasetId, metadata } = experiment
    return {
      'langfuse.experiment.id': id,
      'langfuse.experiment.name': run,
      'langfuse.experiment.metadata': JSON.stringify(metadata),
      'langfuse.experiment.dataset.id': datasetId,
      'langfuse.experiment.item.id': itemIdOf(dataset, item.id),
      'langfuse.experiment.item.expected_output': JSON.stringify(item.expectedOutput ?? null),
      'langfuse.experiment.item.metadata': JSON.stringify(item.metadata),
      'langfuse.experiment.item.root_observation_id': rootSpanIdOf(item.runId),
    }
  }

  /** Sends the scores, and a trace of each question that was refused. Throws `LangfuseUnavailable`. */
  async finish(
    experiment: BegunExperiment,
    results: readonly ItemResult[],
    { scores, signal }: { readonly scores: Readonly<Record<string, ScoreValue>>; readonly signal: AbortSignal },
  ): Promise<void> {
    const refused = results.flatMap(({ item, refused: why }) => {
      return why ? [{ ...why, ...item, attributes: this.attributesOf(experiment, item) }] : []
    })
    const options = { labels: this.#labels, redact: this.#redact }
    if (refused.length > 0) await traceRefused(refused, this.#access, options)
    const idOf = (itemId: string, name: string) => stableId('experiment score', experiment.id, itemId, name)
    const ofItems = results.flatMap((result) =>
      Object.entries(result.scores).map(([name, value]) => {
        return { id: idOf(result.item.id, name), traceId: traceIdOf(result.item.runId), name, value }
      }),
    )
    const ofRun = Object.entries(scores).map(([name, value]) => {
      return { id: idOf('', name), datasetRunId: experiment.id, name, value }
    })
    const api = this.#api()
    await this.#sending(signal, (_, failed) =>
      forEach([...ofItems, ...ofRun], (score) => retried(() => postScore(api, score, failed), failed)),
    )
  }

  async #announce({ dataset, run, metadata, items }: Experiment, send: Send): Promise<BegunExperiment> {
    const { id: datasetId, projectId } = await send({
      method: 'POST',
      path: ['v2', 'datasets'],
      body: { name: dataset },
      answer: z.object({ id: z.string(), projectId: z.string() }),
      what: 'a dataset',
    })
    await forEach(items, ({ id, input, expectedOutput, metadata: details }) =>
      send({
        method: 'POST',
        path: ['dataset-items'],
        body: { id: itemIdOf(dataset, id), datasetName: dataset, input, expectedOutput, metadata: details },
        answer: z.object({ id: z.string() }),
        what: 'an item of a dataset',
      }),
    )
    const url = `${publicAddress(this.#access)}/project/${projectId}/datasets/${datasetId}`
    return { id: randomUUID(), run, dataset, datasetId, metadata, url, runs: [] }
  }

  #api(): LangfuseApi {
    return new LangfuseApi(this.#access, { redact: this.#redact, timeoutMs: requestTimeoutMs })
  }

  /** After one failure, the other requests in progress are of no use. */
  async #sending<T>(outer: AbortSignal, work: (send: Send, signal: AbortSignal) => Promise<T>): Promise<T> {
    const failed = new AbortController()
    const signal = AbortSignal.any([outer, failed.signal])
    const api = this.#api()
    try {
      return await work((request) => retried(() => api.request({ ...request, signal }), signal), signal)
    } finally {
      failed.abort()
    }
  }
}

type Send = LangfuseApi['request']

interface Refusal extends RefusedQuestion {
  readonly input: string
  /** The run that it would have had. */
  readonly runId: string
  readonly attributes: Readonly<Record<string, string>>
}

/** Sends a trace of one failed root for each question that was refused. Throws `LangfuseUnavailable`. */
async function traceRefused(
  refused: readonly Refusal[],
  access: LangfuseAccess,
  { labels, redact }: { readonly labels: TraceLabels; readonly redact: Redact },
): Promise<void> {
  const failures: string[] = []
  const onFailure = (message: string) => void failures.push(message)
  const langfuse = spanBackend(access, onFailure)
  const traces = openTracing({ langfuse, otlp: null, labels, redact, onNotice: onFailure })
  for (const { input: question, runId, threadId, code, message, attributes: traceAttributes } of refused) {
    const asked = { threadId, turn: 1, question, documents: null, traceAttributes }
    const created = event('run.created', asked, { correlationId: runId })
    const origin = { correlationId: runId, causationId: created.id }
    const started = event('run.started', { question, model: 'none', attempt: 1 }, origin)
    const failed = event('run.failed', { code, message, recoverable: false }, { ...origin, causationId: started.id })
    traces.tracer({ ...started, runId }, [created])
    traces.tracer({ ...failed, runId })
  }
  await traces.close()
  if (failures[0] !== undefined) throw new LangfuseUnavailable(failures[0])
}

/** Links items to their traces; returns the id of the run, null where the server does not keep any. */
async function link(
  items: readonly ExperimentItem[],
  { run: runName, dataset, metadata }: BegunExperiment,
  send: Send,
): Promise<string | null> {
  const [first, ...others] = items
  if (!first) return null
  const post = ({ id, runId }: ExperimentItem) =>
    send({
      method: 'POST',
      path: ['dataset-run-items'],
      body: { runName, metadata, datasetItemId: itemIdOf(dataset, id), traceId: traceIdOf(runId) },
      answer: z.object({ datasetRunId: z.string() }),
      what: 'an item of an experiment',
    })
  const made = await post(first).catch((error: unknown) => {
    if (error instanceof LangfuseUnavailable && unknown.has(error.status)) return null
    throw error
  })
  if (made) await forEach(others, post)
  return made?.datasetRunId ?? null
}

/** Ids of items are unique in a project, not only in their dataset. */
function itemIdOf(dataset: string, id: string): string {
  return stableId('item', dataset, id)
}

/** Works on all, some at the same time; rejects with the first failure. */
async function forEach<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const waiting = all.values()
  const worker = async () => {
    for (const one of waiting) await work(one)
  }
  await Promise.all(Array.from({ length: width }, worker))
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
