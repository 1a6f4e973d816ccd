import { z } from '@hono/zod-openapi'
import { endpoint, routes } from './endpoint.ts'
import * as shapes from './shapes.ts'

const named = z.object({ threadId: z.string() })
const title = z.string().min(1).max(200).nullable().openapi({ description: 'null: the first question' })
const rename = z.strictObject({ title }).openapi('Rename')
const newThread = z.strictObject({ threadId: z.string().optional(), title: title.optional() }).openapi('NewThread')
const fork = z.strictObject({ at: z.number().int().min(1).optional() }).openapi('Fork')

/** Conversations. */
export function threadRoutes() {
  const app = routes()
  addList(app)
  addThread(app)
  return app
}

/** Their list, and a new one. */
function addList(app: ReturnType<typeof routes>): void {
  endpoint(app, {
    route: 'get /threads',
    summary: 'Lists conversations, latest activity first',
    query: shapes.paging,
    answer: z.object({ threads: z.array(shapes.thread), next: shapes.next }),
    handle: async (c, { query }) => {
      const { items: threads, next } = await shapes.pageOf(
        (part) => c.var.engine.threads(part),
        query,
        (thread) => thread.title,
      )
      return { threads, next }
    },
  })
  endpoint(app, {
    route: 'post /threads',
    summary: 'Makes a conversation before its first question',
    body: newThread,
    answer: shapes.thread,
    handle: (c, { body: { title, ...named } }) => c.var.engine.createThread({ ...named, ...(title && { title }) }),
  })
}

/** What it holds, its title, its copy and its end. */
function addThread(app: ReturnType<typeof routes>): void {
  endpoint(app, {
    route: 'get /threads/{threadId}',
    summary: 'A whole conversation',
    params: named,
    answer: named.extend({ title: z.string(), messages: z.array(shapes.message) }),
    handle: async (c, { params }) => {
      const { title, threadId } = await c.var.engine.thread(params.threadId)
      return { threadId, title, messages: await c.var.engine.messages(threadId) }
    },
  })
  endpoint(app, {
    route: 'patch /threads/{threadId}',
    summary: 'Gives a conversation a title',
    params: named,
    body: rename,
    answer: shapes.thread,
    handle: async (c, { params: { threadId }, body }) => {
      await c.var.engine.renameThread(threadId, body.title)
      return c.var.engine.thread(threadId)
    },
  })
  endpoint(app, {
    route: 'post /threads/{threadId}/fork',
    summary: 'Copies a conversation up to a turn into a new one',
    params: named,
    body: fork,
    answer: named,
    handle: async (c, { params, body }) => ({ threadId: await c.var.engine.fork(params.threadId, body) }),
  })
  endpoint(app, {
    route: 'delete /threads/{threadId}',
    summary: 'Deletes a conversation with its runs',
    params: named,
    answer: named,
    handle: async (c, { params: { threadId } }) => {
      await c.var.engine.deleteThread(threadId)
      return { threadId }
    },
  })
}
