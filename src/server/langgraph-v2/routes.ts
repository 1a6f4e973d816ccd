import { Hono } from 'hono'
import { z } from 'zod'
import { StepFold } from '../../events/index.ts'
import { UsageError } from '../../index.ts'
import { AssistantNotFound, EarlierTurn } from '../access/refusals.ts'
import { type BegunRun, begin, resume, runCreate, waitingRun } from '../langgraph/begin.ts'
import { interruptsOf, langgraph } from '../langgraph/objects.ts'
import { conversationOf, statesOf } from '../langgraph/states.ts'
import { bodyOf, read, type Served, speaking } from '../protocol/protocol.ts'
import { type Frame, sendFrames } from '../protocol/stream.ts'
import type { UserEngine } from '../user/user-engine.ts'
import { type ProtocolEvent, RunEvents, sequence } from './run-events.ts'

/** What a client wants to see of a thread. */
const subscription = z.looseObject({
  channels: z.array(z.string()).max(100),
  /** Prefixes of namespaces; all, if absent. Everything here happens in the root, `[]`. */
  namespaces: z.array(z.array(z.string())).max(1000).nullish(),
  since: z.number().nullish(),
})
type Subscription = z.output<typeof subscription>

/**
 * Version 2 of LangGraph's protocol: commands to a thread, and its events as one stream across its runs. A thread without
 * a run is there as soon as somebody asks on it.
 */
export function langgraphV2Routes(): Hono<Served> {
  const app = speaking(langgraph, new Hono<Served>())
  app.post('/threads/:thread/commands', async (c) => {
    const given = await bodyOf(c.req, command)
    return c.json(await carryOut(c.var.engine, c.req.param('thread'), given))
  })
  app.post('/threads/:thread/stream/events', async (c) => {
    const wanted = await bodyOf(c.req, subscription)
    const { engine } = c.var
    const threadId = c.req.param('thread')
    // Throws for what cannot be a thread.
    await engine.runs({ threadId, limit: 1 })
    return sendFrames(c, langgraph, framesOf(engine, threadId, wanted))
  })
  return app
}

async function* framesOf(engine: UserEngine, threadId: string, wanted: Subscription): AsyncIterable<Frame> {
  for await (const event of eventsOf(engine, threadId)) {
    if (isWanted(event, wanted)) yield { id: event.event_id, event: event.method, data: event }
  }
}

/** The events of a thread's latest run, and of those that come, until the reader leaves. */
async function* eventsOf(engine: UserEngine, threadId: string): AsyncIterable<ProtocolEvent> {
  let runId: string | null = null
  let steps = new StepFold()
  let events = new RunEvents([])
  let after = 0
  for await (const run of engine.runsAsTheyCome(threadId)) {
    if (run.runId !== runId) {
      runId = run.runId
      steps = new StepFold()
      events = new RunEvents((await conversationOf(engine, threadId, runId)).before)
      after = 0
    }
    for await (const event of engine.follow(runId, { after })) {
      if ('position' in event) after = event.position
      const step = steps.take(event)
      if (step) yield* events.of(step)
    }
  }
}

function isWanted({ method, seq }: ProtocolEvent, { channels, namespaces, since }: Subscription): boolean {
  const channel = method === 'input.requested' ? 'input' : method
  const isRoot = !namespaces || namespaces.some((prefix) => prefix.length === 0)
  return channels.includes(channel) && isRoot && seq > (since ?? 0)
}

const command = z.looseObject({
  id: z.number().int(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).nullish(),
})

/** A run, as `runCreate` reads it but for this. */
const runStart = z.looseObject({ multitaskStrategy: z.string().nullish() })

const answer = z.looseObject({ interrupt_id: z.string(), response: z.unknown() })
const answers = z.looseObject({ responses: z.array(answer).min(1) })
const inputRespond = z.union(
  [answers.transform(({ responses }) => responses), answer.transform((one) => [one])],
  'an answer with its "interrupt_id", or a list of "responses", is needed',
)

/** A command that cannot be carried out, with the protocol's word for why. */
class CommandRefused extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

interface Done {
  readonly result: unknown
  readonly appliedThrough?: number
}

/** Carries out a command on a thread. The reply says what was wrong with one that cannot be; engine errors are thrown. */
async function carryOut(engine: UserEngine, threadId: string, { id, method, params }: z.output<typeof command>) {
  try {
    const carried = await (commands.get(method) ?? unknown)(engine, threadId, params ?? {})
    const { result, appliedThrough = 0 } = carried
    return { type: 'success', id, result, meta: { thread_id: threadId, applied_through_seq: appliedThrough } }
  } catch (error) {
    const code = codeOf(error)
    if (code === null || !(error instanceof Error)) throw error
    return { type: 'error', id, error: code, message: error.message }
  }
}

function codeOf(error: unknown): string | null {
  if (error instanceof CommandRefused || error instanceof EarlierTurn) return error.code
  return error instanceof UsageError || error instanceof AssistantNotFound ? 'invalid_argument' : null
}

type CarryOut = (engine: UserEngine, threadId: string, params: object) => Promise<Done>

const startRun: CarryOut = async (engine, threadId, params) => {
  const { multitaskStrategy, ...stated } = read(runStart, params)
  const request = read(runCreate, { ...stated, multitask_strategy: multitaskStrategy })
  return begunRun(engine, await begin(engine, request, threadId))
}

const respond: CarryOut = async (engine, threadId, params) => {
  const responses = read(inputRespond, params)
  const waiting = await waitingRun(engine, threadId).catch((error: unknown) => {
    throw error instanceof UsageError ? new CommandRefused('no_such_run', error.message) : error
  })
  const [interrupt] = interruptsOf(await engine.result(waiting.runId))
  const response = responses.find(({ interrupt_id: id }) => id === interrupt?.id)
  if (!response) throw new CommandRefused('no_such_interrupt', 'The run waits for another decision, or for none.')
  return begunRun(engine, await resume(engine, threadId, response.response))
}

const commands: ReadonlyMap<string, CarryOut> = new Map([
  ['run.start', startRun],
  ['input.respond', respond],
  ['state.get', async (engine, threadId) => ({ result: (await statesOf(engine, threadId, 1))[0] })],
])

const unknown: CarryOut = () => {
  const known = [...commands.keys()].join(', ')
  throw new CommandRefused('unknown_command', `There is no such command here; there are ${known}.`)
}

/** The run goes on; whatever comes of it is news to a client that has this reply. */
async function begunRun(engine: UserEngine, begun: BegunRun): Promise<Done> {
  const { runId, first } = begun
  const { turn } = await engine.result(runId)
  const position = first && 'position' in first ? first.position : 1
  return { result: { run_id: runId }, appliedThrough: sequence(turn, position) - 1 }
}
