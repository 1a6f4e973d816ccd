import { createRoute, z } from '@hono/zod-openapi'
import type { UserEngine } from '../user/user-engine.ts'
import { answers, definite, json, routes } from './routes.ts'
import * as shapes from './shapes.ts'

const named = z.object({ threadId: z.string() })
const title = z.string().min(1).max(200).nullable().openapi({ description: 'null: the first question' })
const rename = z.strictObject({ title }).openapi('Rename')
const newThread = z.strictObject({ threadId: z.string().optional(), title: title.optional() }).openapi('NewThread')
const fork = z.strictObject({ at: z.number().int().min(1).optional() }).openapi('Fork')

/** Conversations. */
export function threadRoutes() {
  return routes().route('/', allThreads()).route('/', oneThread())
}

/** Their list, and a new one. */
function allThreads() {
  return routes()
    .openapi(
      createRoute({
        method: 'get',
        path: '/threads',
        summary: 'Lists conversations, latest activity first',
        request: { query: shapes.paging },
        responses: answers(z.object({ threads: z.array(shapes.thread), next: shapes.next })),
      }),
      async (c) => {
        const { search = '', ...paging } = c.req.valid('query')
        const { engine } = c.var
        const wanted = search.toLowerCase()
        const { items, next } =
          wanted === ''
            ? await shapes.pageFrom((part) => engine.threads(part), paging)
            : shapes.pageOf(
                (await engine.threads()).filter(({ title }) => title.toLowerCase().includes(wanted)),
                paging,
              )
        return c.json({ threads: [...items], next }, 200)
      },
    )
    .openapi(
      createRoute({
        method: 'post',
        path: '/threads',
        summary: 'Makes a conversation before its first question',
        request: { body: json(newThread) },
        responses: answers(shapes.thread),
      }),
      async (c) => {
        const { title, ...named } = definite(c.req.valid('json'))
        return c.json(await c.var.engine.createThread({ ...named, ...(title && { title }) }), 200)
      },
    )
}

/** What it holds, its title, its copy and its end. */
function oneThread() {
  return routes()
    .openapi(
      createRoute({
        method: 'get',
        path: '/threads/{threadId}',
        summary: 'A whole conversation',
        request: { params: named },
        responses: answers(named.extend({ title: z.string(), messages: z.array(shapes.message) })),
      }),
      async (c) => {
        const { title, threadId } = await c.var.engine.thread(c.req.valid('param').threadId)
        const messages = await c.var.engine.messages(threadId)
        return c.json({ threadId, title, messages: messages.map(plain) }, 200)
      },
    )
    .openapi(
      createRoute({
        method: 'patch',
        path: '/threads/{threadId}',
        summary: 'Gives a conversation a title',
        request: { params: named, body: json(rename) },
        responses: answers(shapes.thread),
      }),
      async (c) => {
        const { threadId } = c.req.valid('param')
        await c.var.engine.renameThread(threadId, c.req.valid('json').title)
        return c.json(await c.var.engine.thread(threadId), 200)
      },
    )
    .openapi(
      createRoute({
        method: 'post',
        path: '/threads/{threadId}/fork',
        summary: 'Copies a conversation up to a turn into a new one',
        request: { params: named, body: json(fork) },
        responses: answers(named),
      }),
      async (c) => {
        const { at } = c.req.valid('json')
        const threadId = await c.var.engine.fork(c.req.valid('param').threadId, at === undefined ? {} : { at })
        return c.json({ threadId }, 200)
      },
    )
    .openapi(
      createRoute({
        method: 'delete',
        path: '/threads/{threadId}',
        summary: 'Deletes a conversation with its runs',
        request: { params: named },
        responses: answers(named),
      }),
      async (c) => {
        const { threadId } = c.req.valid('param')
        await c.var.engine.deleteThread(threadId)
        return c.json({ threadId }, 200)
      },
    )
}

/** The same with lists that may be changed, as the schema has them. */
function plain(given: Awaited<ReturnType<UserEngine['messages']>>[number]) {
  const { citations, calculations, sentences, unsupported, ...message } = given
  return {
    ...message,
    ...(citations && { citations: [...citations] }),
    ...(calculations && { calculations: [...calculations] }),
    ...(sentences && { sentences: [...sentences] }),
    ...(unsupported && { unsupported: [...unsupported] }),
  }
}
