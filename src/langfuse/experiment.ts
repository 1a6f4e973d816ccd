import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { ScoreValue } from '../events/index.ts'
import { type Redact, redactAll } from '../redact.ts'
import { OtlpExporter } from '../tracing/otel/otlp-exporter.ts'
import { rootSpanIdOf, spanIdOf, traceIdOf } from '../tracing/otel/trace-ids.ts'
import { type LangfuseAccess, langfuseEndpoint, publicAddress } from './access.ts'
import { answers, checkedAnswer, LangfuseApi, type LangfuseResources, type RequestBounds } from './api.ts'
import { type ItemSpan, sendItemSpans } from './experiment-spans.ts'
import { LangfuseUnavailable } from './failure.ts'
import { postScore, stableId } from './scores.ts'

/** A dataset whose every question was asked. */
export interface Experiment {
  readonly dataset: string
  /** The same name again takes the place of what was reported under it before. */
  readonly run: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly items: readonly ExperimentItem[]
  /** Over all items. */
  readonly scores: Readonly<Record<string, ScoreValue>>
}

/** One question of it. */
export interface ExperimentItem {
  /** Unique within the dataset. */
  readonly id: string
  readonly input: string
  readonly expectedOutput: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  /** null where no run began: the item then has a trace of its own, which says why. */
  readonly run: { readonly runId: string; readonly threadId: string | null } | null
  readonly output: string
  readonly startedAt: Date
  readonly endedAt: Date
  /** Why it came to nothing; null if it did not. */
  readonly error: string | null
  readonly scores: Readonly<Record<string, ScoreValue>>
}

export interface ReportedExperiment {
  readonly dataset: string
  readonly run: string
  /** Where it can be looked at. */
  readonly url: string
}

/** So long one request may take. */
const requestTimeoutMs = 5000
/** Requests under way at once. */
const width = 4
const mostRetries = 4
const longestWaitMs = 60_000
const worthRepeating: ReadonlySet<number | null> = new Set([429, 502, 503, 504])

/** Reports experiments to Langfuse. */
export class LangfuseExperiments {
  readonly #access: LangfuseAccess
  readonly #redact: Redact

  constructor(access: LangfuseAccess, redact: Redact) {
    this.#access = access
    this.#redact = redact
  }

  /**
   * Items of a dataset, a run that links each to its trace, spans that say so too, for servers that read experiments from
   * spans, and scores. Items that failed are linked and scored like the others. Every id is made of what it names, so
   * that a repeat replaces. Ends at the first request that comes to nothing: throws `LangfuseUnavailable`.
   */
  async report(given: Experiment, outer: AbortSignal): Promise<ReportedExperiment> {
    // Before anything is made of them: they stand in bodies and in paths, and must be the same in both.
    const experiment = { ...given, dataset: this.#redact(given.dataset), run: this.#redact(given.run) }
    const failed = new AbortController()
    const signal = AbortSignal.any([outer, failed.signal])
    const api = new LangfuseApi(this.#access, { redact: this.#redact, timeoutMs: requestTimeoutMs })
    const request: Request = async ({ answer, what }, call) =>
      checkedAnswer(answer, await patiently(() => api.request(call, signal), signal), what)
    const { dataset: name, run, items } = experiment
    try {
      const { id: datasetId, projectId } = await request(
        { answer: answers.dataset, what: 'a dataset' },
        (resources, bounds) => resources.datasets.create(redactAll({ name }, this.#redact), bounds),
      )
      await each(items, (item) =>
        request({ answer: answers.datasetItem, what: 'an item of a dataset' }, (resources, bounds) =>
          resources.datasetItems.create(redactAll(itemBody(item, name), this.#redact), bounds),
        ),
      )
      const experimentId = await this.#link(experiment, request)
      await this.#sendSpans(items.map((item) => spanOf(item, experiment, { experimentId, datasetId })))
      await each(scoresOf(experiment, experimentId), (score) => patiently(() => postScore(api, score, signal), signal))
      const path = `project/${projectId}/datasets/${datasetId}/runs/${experimentId}`
      return { dataset: name, run, url: `${publicAddress(this.#access)}/${path}` }
    } finally {
      // Where one request came to nothing, the others under way are of no use either.
      failed.abort()
    }
  }

  /** Links each item to its trace, once, and returns the id of their run. */
  async #link(experiment: Experiment, request: Request): Promise<string> {
    const { dataset, run: runName, items, metadata } = experiment
    const links = items.map((item) => ({ datasetItemId: itemIdOf(dataset, item), traceId: traceOf(experiment, item) }))
    const before = await linkedBefore({ dataset, runName }, links, request)
    const missing = links.filter((link) => !before?.links.some((other) => isSame(link, other)))
    const made = await each(missing, (link) =>
      request({ answer: answers.datasetRunItem, what: 'an item of an experiment' }, (resources, bounds) =>
        resources.datasetRunItems.create({ ...link, ...redactAll({ runName, metadata }, this.#redact) }, bounds),
      ),
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

type Request = <Schema extends z.ZodType>(
  expected: { readonly answer: Schema; readonly what: string },
  call: (resources: LangfuseResources, bounds: RequestBounds) => PromiseLike<unknown>,
) => Promise<z.output<Schema>>

interface Link {
  readonly datasetItemId: string
  readonly traceId: string
}

interface LinkedBefore {
  readonly id: string
  readonly links: readonly Link[]
}

/** What is linked already under the name. A run of other traces makes way: its name is given to this one. */
async function linkedBefore(
  { dataset, runName }: { readonly dataset: string; readonly runName: string },
  own: readonly Link[],
  request: Request,
): Promise<LinkedBefore | null> {
  const expected = { answer: answers.datasetRun, what: 'an experiment' }
  const before = await request(expected, ({ datasets }, bounds) => datasets.getRun(dataset, runName, bounds)).catch(
    (error: unknown) => {
      if (error instanceof LangfuseUnavailable && error.status !== null && unknown.has(error.status)) return null
      throw error
    },
  )
  if (!before) return null
  const links: readonly Link[] = before.datasetRunItems
  if (links.every((link) => own.some((other) => isSame(link, other)))) return { id: before.id, links }
  const gone = { answer: z.object({}), what: 'the end of an experiment' }
  await request(gone, ({ datasets }, bounds) => datasets.deleteRun(dataset, runName, bounds))
  return null
}

/** There is no such run; or servers of a later time, which do not tell. */
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

/** Does it for all, some at once; ends with the first that fails. */
async function each<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<readonly R[]> {
  const waiting = all.entries()
  const results: R[] = []
  const worker = async () => {
    for (const [index, one] of waiting) results[index] = await work(one)
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}

/** Again, a few times, where the server asks for patience; as long as it says, or longer each time. */
async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      const isPassing = error instanceof LangfuseUnavailable && worthRepeating.has(error.status)
      if (!isPassing || tries === mostRetries) throw error
      await wait(Math.min(longestWaitMs, error.retryAfterMs ?? 1000 * 2 ** tries), undefined, { signal })
    }
  }
}
