import type { Event } from './event.ts'
import { type Changes, changeOf, type Moment } from './status.ts'

export const engineStates = ['bootstrapping', 'ready', 'shutting_down', 'stopped', 'failed'] as const
export type EngineState = (typeof engineStates)[number]

export interface EngineStep {
  /** Of the event that started it. */
  readonly id: string
  readonly step: string
  readonly state: 'running' | 'completed' | 'failed'
  /** ISO 8601. */
  readonly startedAt: string
  /** null while it runs. */
  readonly durationMs: number | null
  readonly detail: string | null
}

/** The status of an engine, derived from its own events and nothing else. */
export interface EngineStatus {
  readonly state: EngineState
  /** The steps of the start, in the order in which they began. */
  readonly steps: readonly EngineStep[]
  /** Files that are being read, outside any run. */
  readonly ingesting: readonly { readonly id: string; readonly source: string }[]
  /** ISO 8601; null before the first event. */
  readonly startedAt: string | null
  /** What the start, or the end, failed of, and at which step of the start. */
  readonly error: { readonly code: string; readonly message: string; readonly step: string | null } | null
}

export const initialEngineStatus: EngineStatus = Object.freeze({
  state: 'bootstrapping',
  steps: Object.freeze([]),
  ingesting: Object.freeze([]),
  startedAt: null,
  error: null,
})

/** The status after all of these events of an engine, from the beginning or from an earlier status. */
export function engineStatusOf(events: Iterable<Event>, from: EngineStatus = initialEngineStatus): EngineStatus {
  let status = from
  for (const event of events) status = reduceEngineStatus(status, event)
  return status
}

/** The next status after one more event. Once the engine has stopped, or could not start, nothing changes it. */
export function reduceEngineStatus(status: EngineStatus, event: Event): EngineStatus {
  if (status.state === 'stopped' || status.state === 'failed') return status
  return { ...status, ...changeOf(changes, status, event) }
}

// The start as a whole is a span without a cause; each of its steps is a span in it.
const changes: Changes<EngineStatus> = {
  'bootstrap.started': ({ steps }, { step }, { id, causationId, timestamp }) =>
    causationId === undefined
      ? { startedAt: timestamp }
      : { steps: [...steps, { id, step, state: 'running', startedAt: timestamp, durationMs: null, detail: null }] },
  'bootstrap.completed': ({ steps }, { detail }, event) =>
    isStep(steps, event) ? { steps: ended(steps, event, 'completed', detail) } : { state: 'ready' },
  'bootstrap.failed': ({ steps }, { code, message }, event) =>
    isStep(steps, event)
      ? { steps: ended(steps, event, 'failed', message) }
      : { state: 'failed', error: { code, message, step: failedStep(steps) } },
  'bootstrap.interrupted': ({ steps }, _, event) =>
    isStep(steps, event) ? { steps: ended(steps, event, 'failed', 'stopped') } : { state: 'stopped' },
  'ingest.started': ({ ingesting }, { source }, { id }) => ({ ingesting: [...ingesting, { id, source }] }),
  'ingest.completed': withoutFile,
  'ingest.failed': withoutFile,
  'ingest.interrupted': withoutFile,
  'shutdown.started': () => ({ state: 'shutting_down' }),
  'shutdown.completed': () => ({ state: 'stopped' }),
  'shutdown.failed': (_, { code, message }) => ({ state: 'failed', error: { code, message, step: null } }),
}

function isStep(steps: EngineStatus['steps'], { causationId }: Moment): boolean {
  return steps.some(({ id }) => id === causationId)
}

function ended(
  steps: EngineStatus['steps'],
  { causationId, timestamp }: Moment,
  state: EngineStep['state'],
  detail: string | null = null,
): EngineStatus['steps'] {
  return steps.map((step) => {
    if (step.id !== causationId) return step
    return { ...step, state, detail, durationMs: Date.parse(timestamp) - Date.parse(step.startedAt) }
  })
}

function failedStep(steps: EngineStatus['steps']): string | null {
  return steps.find(({ state }) => state === 'failed')?.step ?? null
}

function withoutFile({ ingesting }: EngineStatus, _: unknown, { causationId }: Moment): Partial<EngineStatus> {
  return { ingesting: ingesting.filter(({ id }) => id !== causationId) }
}
