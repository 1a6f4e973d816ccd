import { isDeepStrictEqual } from 'node:util'
import { type Context, Hono, type HonoRequest } from 'hono'
import { z } from 'zod'
import { AlreadyExists, type ThreadRecord } from '../../index.ts'
import { bodyOf, type Served } from '../protocol/protocol.ts'
import type { UserEngine } from '../user/user-engine.ts'
import { threadMetadata, threadStatus } from './objects.ts'
import { statesOf, threadOf } from './states.ts'

const metadata = z.record(z.string(), z.unknown())

const threadCreate = z.looseObject({
  thread_id: z.string().nullish(),
  metadata: metadata.nullish(),
  if_exists: z.string().nullish(),
})

/** What threads are looked up by; what is absent selects all. */
const threadSearch = z.looseObject({
  metadata: metadata.nullish(),
  ids: z.array(z.string()).nullish(),
  status: z.string().nullish(),
  sort_by: z.enum(['thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at']).nullish().catch(null),
  sort_order: z.string().nullish(),
  limit: z.number().int().min(0).max(1000).nullish(),
  offset: z.number().int().min(0).nullish(),
  select: z.array(z.string()).nullish(),
})
type ThreadSearch = z.output<typeof threadSearch>

const limited = z.looseObject({ limit: z.number().int().min(1).max(1000).nullish() })
const changed = z.looseObject({ metadata: metadata.nullish() })
const pruned = z.looseObject({ thread_ids: z.array(z.string()), strategy: z.string().nullish() })

/** Threads, and their states, as LangGraph's SDK makes, finds and reads them. */
export function threadRoutes(): Hono<Served> {
  const app = new Hono<Served>()
  app.post('/threads', async (c) => c.json(await create(c.var.engine, c.req)))
  app.post('/threads/search', async (c) => {
    const query = await bodyOf(c.req, threadSearch)
    const found = await find(c.var.engine, query)
    c.header('X-Pagination-Total', String(found.length))
    const page = found.slice(query.offset ?? 0, (query.offset ?? 0) + (query.limit ?? 10))
    const threads = await Promise.all(page.map((record) => threadOf(c.var.engine, record)))
    return c.json(threads.map((thread) => selected(thread, query.select)))
  })
  app.post('/threads/count', async (c) => c.json((await find(c.var.engine, await bodyOf(c.req, threadSearch))).length))
  app.post('/threads/prune', async (c) => {
    const { thread_ids: ids, strategy } = await bodyOf(c.req, pruned)
    // The states of a thread follow from its log, and take no room of their own.
    if (strategy !== 'keep_latest') for (const id of ids) await c.var.engine.deleteThread(id)
    return c.json({ pruned_count: ids.length })
  })
  app.get('/threads/:thread', async (c) => c.json(await threadOf(c.var.engine, await recordOf(c))))
  app.patch('/threads/:thread', async (c) => {
    const { metadata } = await bodyOf(c.req, changed)
    const record = await recordOf(c)
    if (metadata) await c.var.engine.setThreadMetadata(record.threadId, { ...record.metadata, ...metadata })
    if (c.req.header('prefer') === 'return=minimal') return c.body(null, 204)
    return c.json(await threadOf(c.var.engine, await recordOf(c)))
  })
  app.delete('/threads/:thread', async (c) => {
    await c.var.engine.deleteThread(c.req.param('thread'))
    return c.body(null, 204)
  })
  app.post('/threads/:thread/copy', async (c) => {
    const { engine } = c.var
    const { threadId, turns, metadata } = await recordOf(c)
    if (turns === 0) return c.json(await threadOf(engine, await engine.createThread({ metadata })))
    const copy = await engine.fork(threadId, {})
    await engine.setThreadMetadata(copy, metadata)
    return c.json(await threadOf(engine, await engine.thread(copy)))
  })
  return app.route('/', stateRoutes())
}

function stateRoutes(): Hono<Served> {
  const app = new Hono<Served>()
  const latest = async (c: Context<Served, '/threads/:thread'>) =>
    c.json((await statesOf(c.var.engine, c.req.param('thread'), 1))[0])
  app.get('/threads/:thread/state', latest)
  app.post('/threads/:thread/state/checkpoint', latest)
  app.get('/threads/:thread/state/:checkpoint', async (c) => {
    const states = await statesOf(c.var.engine, c.req.param('thread'), Number.MAX_SAFE_INTEGER - 1)
    const state = states.find(({ checkpoint }) => checkpoint.checkpoint_id === c.req.param('checkpoint'))
    return state ? c.json(state) : c.json({ detail: 'There is no such checkpoint.' }, 404)
  })
  app.on(['POST', 'PATCH'], '/threads/:thread/state', (c) =>
    c.json({ detail: 'The state follows from the log, and cannot be set.' }, 422),
  )
  app.post('/threads/:thread/history', async (c) => {
    const { limit } = await bodyOf(c.req, limited)
    return c.json(await statesOf(c.var.engine, c.req.param('thread'), limit ?? 10))
  })
  app.get('/threads/:thread/history', async (c) => c.json(await statesOf(c.var.engine, c.req.param('thread'))))
  return app
}

function recordOf(c: Context<Served, '/threads/:thread'>): Promise<ThreadRecord> {
  return c.var.engine.thread(c.req.param('thread'))
}

async function create(engine: UserEngine, request: HonoRequest) {
  const { thread_id: id, metadata, if_exists: ifExists } = await bodyOf(request, threadCreate)
  try {
    const named = { ...(id && { threadId: id }), ...(metadata && { metadata }) }
    return await threadOf(engine, await engine.createThread(named))
  } catch (error) {
    if (!(error instanceof AlreadyExists) || ifExists !== 'do_nothing' || !id) throw error
    return threadOf(engine, await engine.thread(id))
  }
}

/** Threads that a search means, in its order; latest activity first, if it names none. */
async function find(engine: UserEngine, query: ThreadSearch): Promise<readonly ThreadRecord[]> {
  const { ids, metadata, status, sort_by: by, sort_order: order } = query
  const statuses = new Map((await engine.runs()).map((run) => [run.threadId, threadStatus(run)]))
  const statusOf = ({ threadId }: ThreadRecord) => statuses.get(threadId) ?? threadStatus(undefined)
  const wanted = Object.entries(metadata ?? {})
  const found = (await engine.threads()).filter((record) => {
    const own = threadMetadata(record.metadata)
    const isNamed = !ids || ids.includes(record.threadId)
    return (
      isNamed &&
      (!status || statusOf(record) === status) &&
      wanted.every(([key, value]) => isDeepStrictEqual(own[key], value))
    )
  })
  if (!by) return found
  const keys = {
    thread_id: ({ threadId }: ThreadRecord) => threadId,
    status: statusOf,
    created_at: ({ createdAt }: ThreadRecord) => createdAt,
    updated_at: ({ updatedAt }: ThreadRecord) => updatedAt,
    state_updated_at: ({ updatedAt }: ThreadRecord) => updatedAt,
  }
  const key = keys[by]
  const rising = found.toSorted((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0))
  return order === 'asc' ? rising : rising.reverse()
}

/** The fields that a client asked for. */
function selected<T extends object>(whole: T, fields: ThreadSearch['select']): Partial<T> {
  if (!fields) return whole
  const part: Partial<T> = {}
  for (const name in whole) if (fields.includes(name)) part[name] = whole[name]
  return part
}
