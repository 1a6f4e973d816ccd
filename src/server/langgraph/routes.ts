import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import type { RunSummary } from '../../index.ts'
import { describeError } from '../access/refusals.ts'
import type { UserEngine } from '../access/user-engine.ts'
import type { Served } from '../api/routes.ts'
import { messagesOf, QuestionIds, valuesAfter } from './conversations.ts'
import { assistant, assistantId, drawnGraph, graphId, thread, threadState, wireMessages } from './objects.ts'
import { runRoutes } from './run-routes.ts'

/** Paths of LangGraph's Agent Server; each needs the person's token. */
export const langgraphPaths = ['/info', '/assistants', '/threads', '/runs']

/**
 * The calls of LangGraph's SDK, `useStream` and the interfaces built on them, over the same engine: a thread is a thread,
 * a turn is a run and a checkpoint. Threads may be named before their first run, and are empty until then.
 */
export function langgraphRoutes(version: string): Hono<Served> {
  const ids = new QuestionIds()
  const app = new Hono<Served>()
  app.onError((error, c) => {
    const { status, body, headers } = describeError(error)
    const { code, message } = body.error
    return c.json({ error: code, message, detail: message }, status, headers)
  })
  app.get('/info', (c) => c.json({ version, flags: { assistants: true, crons: false, langsmith: false } }))
  app.post('/assistants/search', (c) => c.json([assistant()]))
  app.post('/assistants/count', (c) => c.json(1))
  app.get('/assistants/:id', (c) =>
    isOurs(c.req.param('id')) ? c.json(assistant()) : c.json({ detail: 'There is one assistant: quaero.' }, 404),
  )
  app.get('/assistants/:id/graph', (c) => c.json(drawnGraph()))
  app.get('/assistants/:id/subgraphs', (c) => c.json({}))
  app.get('/assistants/:id/schemas', (c) =>
    c.json({
      graph_id: graphId,
      input_schema: messages,
      output_schema: messages,
      state_schema: messages,
      config_schema: {},
      context_schema: {},
    }),
  )
  app.post('/threads', async (c) => {
    const { thread_id: given } = await bodyOf<{ thread_id?: string }>(c.req.raw)
    return c.json(await threadOf(c.var.engine, given ?? randomUUID(), ids))
  })
  app.post('/threads/search', async (c) => {
    const { limit = 10, offset = 0 } = await bodyOf<{ limit?: number; offset?: number }>(c.req.raw)
    const all = await c.var.engine.threads()
    c.header('X-Pagination-Total', String(all.length))
    return c.json(
      await Promise.all(all.slice(offset, offset + limit).map(({ threadId }) => threadOf(c.var.engine, threadId, ids))),
    )
  })
  app.post('/threads/count', async (c) => c.json((await c.var.engine.threads()).length))
  app.get('/threads/:thread', async (c) => c.json(await threadOf(c.var.engine, c.req.param('thread'), ids)))
  app.patch('/threads/:thread', async (c) => c.json(await threadOf(c.var.engine, c.req.param('thread'), ids)))
  app.delete('/threads/:thread', async (c) => {
    await c.var.engine.deleteThread(c.req.param('thread'))
    return c.body(null, 204)
  })
  app.post('/threads/:thread/copy', async (c) => {
    return c.json(await threadOf(c.var.engine, await c.var.engine.fork(c.req.param('thread'), {}), ids))
  })
  app.get('/threads/:thread/state', async (c) =>
    c.json((await statesOf(c.var.engine, c.req.param('thread'), ids, 1))[0]),
  )
  app.get('/threads/:thread/state/:checkpoint', async (c) => {
    const states = await statesOf(c.var.engine, c.req.param('thread'), ids)
    const state = states.find(({ checkpoint }) => checkpoint.checkpoint_id === c.req.param('checkpoint'))
    return state ? c.json(state) : c.json({ detail: 'There is no such checkpoint.' }, 404)
  })
  app.post('/threads/:thread/state/checkpoint', async (c) =>
    c.json((await statesOf(c.var.engine, c.req.param('thread'), ids, 1))[0]),
  )
  app.post('/threads/:thread/state', (c) =>
    c.json({ detail: 'The state follows from the log, and cannot be set.' }, 422),
  )
  app.post('/threads/:thread/history', async (c) => {
    const { limit = 10 } = await bodyOf<{ limit?: number }>(c.req.raw)
    return c.json(await statesOf(c.var.engine, c.req.param('thread'), ids, limit))
  })
  app.get('/threads/:thread/history', async (c) => c.json(await statesOf(c.var.engine, c.req.param('thread'), ids)))
  return app.route('/', runRoutes(ids))
}

const messages = { type: 'object', properties: { messages: { type: 'array', items: { type: 'object' } } } }

function isOurs(id: string): boolean {
  return id === graphId || id === assistantId
}

/** Fields of a request that may be left out; an empty body is an empty request. */
async function bodyOf<T extends object>(request: Request): Promise<Partial<T>> {
  const body: unknown = await request.json().catch(() => ({}))
  // Only fields of plain kinds are read, and a wrong one behaves as an absent one.
  return (typeof body === 'object' && body !== null ? body : {}) as Partial<T>
}

async function threadOf(engine: UserEngine, threadId: string, ids: QuestionIds) {
  const all = await messagesOf(engine, threadId)
  const now = new Date().toISOString()
  const about = {
    createdAt: all[0]?.createdAt ?? now,
    updatedAt: all.at(-1)?.createdAt ?? now,
    values: { messages: wireMessages(all, ids) },
  }
  return thread(threadId, about, (await engine.runs({ threadId })).at(-1))
}

/** A state for each turn, the newest first; one empty state for a thread without turns. */
async function statesOf(engine: UserEngine, threadId: string, ids: QuestionIds, limit = 10) {
  const runs = (await engine.runs({ threadId })).toReversed().slice(0, limit)
  if (runs.length === 0) return [threadState(threadId, { messages: [] }, null, new Date().toISOString(), null)]
  return Promise.all(
    runs.map(async ({ runId, startedAt, status }: RunSummary, index) => {
      const isAtWork = status === 'running' || status === 'queued'
      const result = isAtWork ? null : await engine.result(runId)
      const values = await valuesAfter(engine, threadId, ids, result)
      return threadState(threadId, values, result, startedAt ?? '', runs[index + 1]?.runId ?? null)
    }),
  )
}
