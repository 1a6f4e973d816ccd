import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { RunEnded, RunNotFound } from '../../index.ts'
import { bodyOf, type Served } from '../protocol/protocol.ts'
import { type Frame, framesOfRun, sendFrames } from '../protocol/stream.ts'
import type { UserEngine } from '../user/user-engine.ts'
import { type BegunRun, begin, modesOf, type RunCreate, runCreate } from './begin.ts'
import { Frames, positionIn } from './frames.ts'
import { interruptsOf, langgraph, run } from './objects.ts'
import { conversationOf, messagesOf, valuesAfter } from './states.ts'

const cancelled = z.looseObject({ thread_id: z.string().nullish(), run_ids: z.array(z.string()).nullish() })

/** Runs as LangGraph's SDK starts, streams, joins, lists and cancels them. */
export function runRoutes(): Hono<Served> {
  const app = new Hono<Served>()
  const started = async (c: Context<Served>) => {
    const request = await bodyOf(c.req, runCreate)
    return { request, ...(await begin(c.var.engine, request, c.req.param('thread'))) }
  }
  for (const path of ['/threads/:thread/runs/stream', '/runs/stream']) {
    app.post(path, async (c) => send(c, await started(c)))
  }
  for (const path of ['/threads/:thread/runs/wait', '/runs/wait']) {
    app.post(path, async (c) => {
      const { runId, events } = await started(c)
      return c.json(await finalValues(c.var.engine, events, runId), 200, placeOf(c, runId))
    })
  }
  for (const path of ['/threads/:thread/runs', '/runs']) {
    app.post(path, async (c) => {
      const begun = await started(c)
      return c.json(await newRun(c, begun), 200, placeOf(c, begun.runId))
    })
  }
  app.post('/runs/batch', async (c) => {
    const begun: BegunRun[] = []
    try {
      for (const request of await bodyOf(c.req, z.array(runCreate).max(100)))
        begun.push(await begin(c.var.engine, request))
    } catch (error) {
      // Nobody is told of these.
      await Promise.allSettled(begun.map(({ runId }) => cancelUnlessEnded(c.var.engine, runId)))
      throw error
    }
    return c.json(await Promise.all(begun.map((each) => newRun(c, each))))
  })
  app.post('/runs/cancel', async (c) => {
    const { thread_id: threadId, run_ids: ids } = await bodyOf(c.req, cancelled)
    const { engine } = c.var
    const named = ids ?? (threadId ? (await engine.runs({ threadId, unfinished: true })).map(({ runId }) => runId) : [])
    for (const runId of named) await cancelUnlessEnded(engine, runId)
    return c.body(null, 204)
  })
  return app.route('/', knownRunRoutes())
}

/** Runs that are there already. */
function knownRunRoutes(): Hono<Served> {
  const app = new Hono<Served>()
  app.get('/threads/:thread/runs', async (c) => {
    const limit = numberOf(c.req.query('limit'), 10)
    const offset = numberOf(c.req.query('offset'), 0)
    const runs = await c.var.engine.runs({ threadId: c.req.param('thread'), limit: limit + offset })
    const status = c.req.query('status')
    const listed = runs.toReversed().slice(offset).map(run)
    return c.json(listed.filter((each) => status === undefined || each.status === status))
  })
  app.get('/threads/:thread/runs/:run', async (c) => c.json(run(await runOf(c))))
  app.delete('/threads/:thread/runs/:run', (c) =>
    c.json({ detail: 'A run belongs to the log of its thread: delete the thread.' }, 422),
  )
  app.get('/threads/:thread/runs/:run/stream', async (c) => {
    const { runId, threadId } = await runOf(c)
    const after = positionIn(c.req.header('last-event-id'))
    const request: RunCreate = {
      stream_mode: c.req.queries('stream_mode') ?? ['values', 'messages-tuple'],
      on_disconnect: isYes(c.req.query('cancel_on_disconnect')) ? 'cancel' : 'continue',
    }
    const events = c.var.engine.follow(runId, { after: after.position })
    return send(c, { request, runId, threadId, events, after })
  })
  app.get('/threads/:thread/stream', async (c) => {
    const threadId = c.req.param('thread')
    const { engine } = c.var
    await engine.thread(threadId)
    const modes = new Set(c.req.queries('stream_mode') ?? ['values', 'messages-tuple'])
    return sendFrames(c, langgraph, framesOfThread(engine, threadId, modes))
  })
  app.get('/threads/:thread/runs/:run/join', async (c) => {
    const { runId } = await runOf(c)
    return c.json(await finalValues(c.var.engine, c.var.engine.follow(runId), runId))
  })
  app.post('/threads/:thread/runs/:run/cancel', async (c) => {
    const { runId } = await runOf(c)
    await c.var.engine.cancel(runId)
    if (!isYes(c.req.query('wait'))) return c.body(null, 202)
    await c.var.engine.resultOf(c.var.engine.follow(runId))
    return c.body(null, 204)
  })
  return app
}

function isYes(flag: string | undefined): boolean {
  return flag === '1' || flag === 'true'
}

function numberOf(text: string | undefined, otherwise: number): number {
  const number = Number(text ?? otherwise)
  return Number.isSafeInteger(number) && number >= 0 && number <= 1_000_000 ? number : otherwise
}

async function cancelUnlessEnded(engine: UserEngine, runId: string): Promise<void> {
  await engine.cancel(runId).catch((error: unknown) => {
    if (!(error instanceof RunEnded)) throw error
  })
}

async function newRun(c: Context<Served>, { runId }: BegunRun) {
  return run({ ...(await c.var.engine.summary(runId)), endedAt: null })
}

interface Sending extends Pick<BegunRun, 'runId' | 'threadId' | 'events'> {
  readonly request: RunCreate
  readonly after?: ReturnType<typeof positionIn>
}

async function send(c: Context<Served>, sending: Sending): Promise<Response> {
  const { runId, threadId, events, request, after = positionIn(undefined) } = sending
  const { engine } = c.var
  const conversation = await conversationOf(engine, threadId, runId)
  const frames = new Frames({ ...conversation, modes: modesOf(request), after })
  for (const [name, value] of Object.entries(placeOf(c, runId))) c.header(name, value)
  let isWhole = false
  const cancel = () => isWhole || void engine.cancel(runId).catch(() => {})
  if (request.on_disconnect === 'cancel') c.var.left.signal.addEventListener('abort', cancel)
  const all = async function* () {
    try {
      yield* framesOfRun(engine, events, frames, runId)
    } finally {
      isWhole = !c.var.left.signal.aborted
    }
  }
  return sendFrames(c, langgraph, all())
}

/** The frames of a thread's latest run, and of those that come, until the reader leaves. */
async function* framesOfThread(engine: UserEngine, threadId: string, modes: ReadonlySet<string>): AsyncIterable<Frame> {
  const ended = new Set<string>()
  for await (const run of engine.runsAsTheyCome(threadId)) {
    const { runId } = run
    if (ended.has(runId)) continue
    const conversation = await conversationOf(engine, threadId, runId)
    const frames = new Frames({ ...conversation, modes, after: positionIn(undefined) })
    yield* framesOfRun(engine, engine.follow(runId), frames, runId)
    if ((await engine.result(runId)).status !== 'requires_action') ended.add(runId)
  }
}

/** Where the client finds the run, and comes back to its stream. */
function placeOf(c: Context, runId: string) {
  const base = c.req.param('thread') === undefined ? '' : `/threads/${c.req.param('thread')}`
  return { 'Content-Location': `${base}/runs/${runId}`, Location: `${base}/runs/${runId}/stream` }
}

async function runOf(c: Context<Served>) {
  const summary = await c.var.engine.summary(c.req.param('run') ?? '')
  if (summary.threadId === c.req.param('thread')) return summary
  throw new RunNotFound('There is no such run.')
}

async function finalValues(engine: UserEngine, events: BegunRun['events'], runId: string) {
  const result = await engine.resultOf(events, runId)
  if (result.status === 'failed')
    return { __error__: { error: result.error?.code ?? 'failed', message: result.error?.message ?? '' } }
  const values = valuesAfter(await messagesOf(engine, result.threadId), result)
  const interrupts = interruptsOf(result)
  return interrupts.length > 0 ? { ...values, __interrupt__: interrupts } : values
}
