import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { RunNotFound, type RunResult, type StreamEvent, UsageError } from '../../index.ts'
import { describeError } from '../access/refusals.ts'
import type { UserEngine } from '../access/user-engine.ts'
import type { Served } from '../api/routes.ts'
import { messagesOf, type QuestionIds, valuesAfter } from './conversations.ts'
import { type Frame, Frames, positionIn } from './frames.ts'
import { interruptsOf, run, wireMessages } from './objects.ts'
import { answersOf, modesOf, questionOf, type RunCreate, runCreate } from './requests.ts'

const heartbeatMs = 5_000

/** Runs as LangGraph's SDK starts, streams, joins, lists and cancels them. */
export function runRoutes(ids: QuestionIds): Hono<Served> {
  const app = new Hono<Served>()
  for (const path of ['/threads/:thread/runs/stream', '/runs/stream']) {
    app.post(path, async (c) => {
      const request = await read(c)
      return send(c, { request, ids, ...(await begin(c, request, ids)) })
    })
  }
  for (const path of ['/threads/:thread/runs/wait', '/runs/wait']) {
    app.post(path, async (c) => {
      const { runId, rest } = await begin(c, await read(c), ids)
      for await (const _ of rest);
      return c.json(await finalValues(c, runId, ids), 200, placeOf(c, runId))
    })
  }
  for (const path of ['/threads/:thread/runs', '/runs']) {
    app.post(path, async (c) => {
      const { runId, threadId, rest } = await begin(c, await read(c), ids)
      void leave(rest)
      return c.json(run({ runId, threadId, status: 'running', startedAt: null, endedAt: null }), 200, placeOf(c, runId))
    })
  }
  app.get('/threads/:thread/runs', async (c) => {
    const limit = Number(c.req.query('limit') ?? 10)
    const runs = await c.var.engine.runs({ threadId: c.req.param('thread') })
    return c.json(runs.toReversed().slice(0, limit).map(run))
  })
  app.get('/threads/:thread/runs/:run', async (c) => c.json(run(await runOf(c))))
  app.get('/threads/:thread/runs/:run/stream', async (c) => {
    const { runId } = await runOf(c)
    const after = positionIn(c.req.header('last-event-id'))
    const request: RunCreate = { stream_mode: c.req.queries('stream_mode') ?? ['values', 'messages-tuple'] }
    const rest = c.var.engine.follow(runId, { after: after.position })
    return send(c, { request, ids, runId, rest, after })
  })
  app.get('/threads/:thread/runs/:run/join', async (c) => {
    const { runId } = await runOf(c)
    for await (const _ of c.var.engine.follow(runId));
    return c.json(await finalValues(c, runId, ids))
  })
  app.post('/threads/:thread/runs/:run/cancel', async (c) => {
    const { runId } = await runOf(c)
    await c.var.engine.cancel(runId)
    if (c.req.query('wait') !== '1') return c.body(null, 202)
    for await (const _ of c.var.engine.follow(runId));
    return c.body(null, 204)
  })
  return app
}

async function read(c: Context): Promise<RunCreate> {
  const parsed = runCreate.safeParse(await c.req.json().catch(() => null))
  if (parsed.success) return parsed.data
  throw new UsageError(
    parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the request'}: ${message}`).join('; '),
  )
}

interface Begun {
  readonly runId: string
  readonly threadId: string
  readonly rest: AsyncIterable<StreamEvent>
}

/** Starts a run, or resumes the one that waits; the first event has come, so that a refusal is an HTTP error. */
async function begin(c: Context<Served>, request: RunCreate, ids: QuestionIds): Promise<Begun> {
  const { engine } = c.var
  const threadId = c.req.param('thread') ?? randomUUID()
  const { command } = request
  if (command?.resume !== undefined || command?.goto !== undefined) {
    const waiting = (await engine.runs({ threadId })).findLast(({ status }) => status === 'requires_action')
    if (!waiting) throw new UsageError('No run of this thread waits for the person.')
    const { runId } = waiting
    if (command.goto !== undefined) await engine.cancel(runId)
    const events =
      command.goto === undefined
        ? engine.resume(runId, answersOf(await engine.result(runId), command.resume))
        : engine.follow(runId)
    return { runId, threadId, rest: events }
  }
  const { question, id } = questionOf(request)
  // A client that repeats a request after a lost connection gets the same run.
  const options = {
    threadId,
    approve: 'ask',
    ...(id !== null && id.length <= 200 && { idempotencyKey: `${threadId} ${id}` }),
  } as const
  const events = engine.stream(question, options)[Symbol.asyncIterator]()
  const first = await events.next()
  if (first.done) throw new RunNotFound('The run did not begin.')
  const { runId } = first.value
  if (id !== null) ids.keep(runId, id)
  return { runId, threadId, rest: joined(first.value, events) }
}

async function* joined(first: StreamEvent, rest: AsyncIterator<StreamEvent>): AsyncIterable<StreamEvent> {
  try {
    yield first
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/** Leaves a stream at its first event; the run goes on. */
async function leave(events: AsyncIterable<StreamEvent>): Promise<void> {
  for await (const _ of events) return
}

interface Sending extends Pick<Begun, 'runId' | 'rest'> {
  readonly request: RunCreate
  readonly ids: QuestionIds
  readonly after?: ReturnType<typeof positionIn>
}

async function send(c: Context<Served>, sending: Sending): Promise<Response> {
  const { runId, request } = sending
  const { engine } = c.var
  const frames = await framesFor(c, sending)
  for (const [name, value] of Object.entries(placeOf(c, runId))) c.header(name, value)
  return streamSSE(c, async (out) => {
    // One line feed: after a blank line the SDK would read an event without a name.
    const beat = setInterval(() => void out.write(': heartbeat\n'), heartbeatMs)
    if (request.on_disconnect === 'cancel') out.onAbort(() => void engine.cancel(runId).catch(() => {}))
    for await (const { id, event, data } of framesOf(sending, frames, engine)) {
      if (out.aborted) break
      await out.writeSSE({ ...(id !== '' && { id }), event, data: JSON.stringify(data) })
    }
    clearInterval(beat)
  })
}

/** The frames of a run to its end; an error is the last of them. */
async function* framesOf({ runId, rest }: Sending, frames: Frames, engine: UserEngine): AsyncIterable<Frame> {
  try {
    for await (const event of rest) yield* frames.of(event)
    yield* frames.closing(await engine.result(runId))
  } catch (error) {
    const { code, message } = describeError(error).body.error
    yield { id: '', event: 'error', data: { error: code, message } }
  }
}

async function framesFor(c: Context<Served>, { runId, request, ids, after = beginning }: Sending): Promise<Frames> {
  const { threadId } = await placeIn(c, runId)
  const all = await messagesOf(c.var.engine, threadId)
  const own = all.findIndex((each) => each.runId === runId)
  const before = wireMessages(own < 0 ? all : all.slice(0, own), ids)
  return new Frames({ modes: modesOf(request), before, ids, after })
}

const beginning = { position: 0, characters: 0 }

/** Where the client finds the run, and comes back to its stream. */
function placeOf(c: Context, runId: string) {
  const base = c.req.param('thread') === undefined ? '' : `/threads/${c.req.param('thread')}`
  return { 'Content-Location': `${base}/runs/${runId}`, Location: `${base}/runs/${runId}/stream` }
}

async function placeIn(c: Context<Served>, runId: string): Promise<{ readonly threadId: string }> {
  const named = c.req.param('thread')
  return named === undefined ? { threadId: (await c.var.engine.summary(runId)).threadId } : { threadId: named }
}

async function runOf(c: Context<Served>) {
  const summary = await c.var.engine.summary(c.req.param('run') ?? '')
  if (summary.threadId === c.req.param('thread')) return summary
  throw new RunNotFound('There is no such run.')
}

async function finalValues(c: Context<Served>, runId: string, ids: QuestionIds) {
  const result: RunResult = await c.var.engine.result(runId)
  if (result.status === 'failed')
    return { __error__: { error: result.error?.code ?? 'failed', message: result.error?.message ?? '' } }
  const values = await valuesAfter(c.var.engine, result.threadId, ids, result)
  const interrupts = interruptsOf(result)
  return interrupts.length > 0 ? { ...values, __interrupt__: interrupts } : values
}
