import { Hono } from 'hono'
import type { Served } from '../api/routes.ts'
import type { Frame } from '../langgraph/frames.ts'
import { refusing } from '../langgraph/refusing.ts'
import { bodyOf } from '../langgraph/requests.ts'
import { sse } from '../langgraph/sse.ts'
import { conversationOf } from '../langgraph/states.ts'
import type { UserEngine } from '../user/user-engine.ts'
import { carryOut } from './commands.ts'
import { command, type Subscription, subscription } from './requests.ts'
import { type ProtocolEvent, RunEvents } from './run-events.ts'

/**
 * Version 2 of LangGraph's protocol: commands to a thread, and its events as one stream across its runs. A thread without
 * a run is there as soon as somebody asks on it.
 */
export function langgraphV2Routes(): Hono<Served> {
  const app = refusing(new Hono<Served>())
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
    return sse(c, framesOf(engine, threadId, wanted))
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
  let events = new RunEvents([])
  let after = 0
  for await (const run of engine.runsAsTheyCome(threadId)) {
    if (run.runId !== runId) {
      runId = run.runId
      events = new RunEvents((await conversationOf(engine, threadId, runId)).before)
      after = 0
    }
    for await (const event of engine.follow(runId, { after })) {
      if ('position' in event) after = event.position
      yield* events.of(event)
    }
  }
}

function isWanted({ method, seq }: ProtocolEvent, { channels, namespaces, since }: Subscription): boolean {
  const channel = method === 'input.requested' ? 'input' : method
  const isRoot = !namespaces || namespaces.some((prefix) => prefix.length === 0)
  return channels.includes(channel) && isRoot && seq > (since ?? 0)
}
