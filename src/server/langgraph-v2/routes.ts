import { Hono } from 'hono'
import { z } from 'zod'
import { StepFold } from '../../events/run-steps.ts'
import { langgraph } from '../langgraph/objects.ts'
import { conversationOf } from '../langgraph/states.ts'
import { bodyOf, type Served, speaking } from '../protocol/protocol.ts'
import { type Frame, sendFrames } from '../protocol/stream.ts'
import type { UserEngine } from '../user/user-engine.ts'
import { carryOut, command } from './commands.ts'
import { type ProtocolEvent, RunEvents } from './run-events.ts'

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
