import { createRoute, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { RunFilter, StreamEvent } from '../../index.ts'
import { begun } from '../user/begun.ts'
import { answers as answered, definite, json, routes, type Served } from './routes.ts'
import * as shapes from './shapes.ts'
import { sendEvents } from './sse.ts'

const run = z.object({ runId: z.string() })
const from = z.object({ after: z.coerce.number().int().min(0).optional() })
const list = shapes.paging.omit({ search: true }).extend({ threadId: z.string().optional() })
const runList = z.object({ runs: z.array(shapes.runSummary), next: shapes.next })
const done = z.object({ runId: z.string() })
const eventStream = {
  description: 'events as in docs/events.md',
  content: { 'text/event-stream': { schema: z.string() } },
}

const resultOrEvents = {
  ...answered(shapes.result),
  200: {
    description: 'the result, or events as in docs/events.md',
    content: { ...answered(shapes.result)[200].content, ...eventStream.content },
  },
}

/** Questions, and the runs that answer them. */
export function questionRoutes() {
  return routes().route('/', questions()).route('/', runs()).route('/', scores())
}

/** What is answered with a result or with events. */
function questions() {
  return routes()
    .openapi(
      createRoute({
        method: 'post',
        path: '/ask',
        summary: 'Answers a question: as JSON, or with "Accept: text/event-stream" as events',
        request: { body: json(shapes.question) },
        responses: resultOrEvents,
      }),
      async (c) => {
        const { question, ...options } = c.req.valid('json')
        const events = c.var.engine.stream(question, definite(options))
        return reply(c, events)
      },
    )
    .openapi(
      createRoute({
        method: 'post',
        path: '/runs/{runId}/resume',
        summary: 'Answers approvals, or resumes an interrupted run; as JSON or as events',
        request: { params: run, body: json(shapes.answers) },
        responses: resultOrEvents,
      }),
      async (c) => {
        const events = c.var.engine.resume(c.req.valid('param').runId, definite(c.req.valid('json').answers))
        return reply(c, events, c.req.valid('param').runId)
      },
    )
}

/** Runs that were begun. */
function runs() {
  return routes()
    .openapi(
      createRoute({
        method: 'get',
        path: '/runs',
        summary: 'Lists runs, newest first',
        request: { query: list },
        responses: answered(runList),
      }),
      async (c) => {
        const { threadId, ...paging } = c.req.valid('query')
        const filter = threadId === undefined ? {} : { threadId }
        const read = async (part: Pick<RunFilter, 'limit' | 'offset'>) =>
          (await c.var.engine.runs({ ...filter, ...part })).toReversed()
        const { items, next } = await shapes.pageFrom(read, paging)
        return c.json({ runs: [...items], next }, 200)
      },
    )
    .openapi(
      createRoute({
        method: 'get',
        path: '/runs/{runId}',
        summary: 'The result of a run, or how it stands',
        request: { params: run },
        responses: answered(shapes.result),
      }),
      async (c) => c.json(await c.var.engine.result(c.req.valid('param').runId), 200),
    )
    .openapi(
      createRoute({
        method: 'get',
        path: '/runs/{runId}/events',
        summary: 'Events after a position of the log, then those that come; "Last-Event-ID" names the position too',
        request: { params: run, query: from },
        responses: { 200: eventStream, default: answered(shapes.result).default },
      }),
      async (c) => {
        const after = c.req.valid('query').after ?? Number.parseInt(c.req.header('last-event-id') ?? '0', 10)
        const events = c.var.engine.follow(c.req.valid('param').runId, { after: Number.isInteger(after) ? after : 0 })
        return sendBegun(c, events)
      },
    )
    .openapi(
      createRoute({
        method: 'post',
        path: '/runs/{runId}/cancel',
        summary: 'Ends a run for good',
        request: { params: run },
        responses: answered(done),
      }),
      async (c) => {
        const { runId } = c.req.valid('param')
        await c.var.engine.cancel(runId)
        return c.json({ runId }, 200)
      },
    )
}

/** What people and programs think of an answer. */
function scores() {
  return routes()
    .openapi(
      createRoute({
        method: 'get',
        path: '/runs/{runId}/scores',
        summary: 'The scores of a run',
        request: { params: run },
        responses: answered(z.object({ scores: z.array(shapes.scored) })),
      }),
      async (c) => c.json({ scores: [...(await c.var.engine.scores(c.req.valid('param').runId))] }, 200),
    )
    .openapi(
      createRoute({
        method: 'post',
        path: '/runs/{runId}/scores',
        summary: 'Gives a run a score, in place of one of the same name',
        request: { params: run, body: json(shapes.newScore) },
        responses: answered(shapes.scored),
      }),
      async (c) => c.json(await c.var.engine.score(c.req.valid('param').runId, definite(c.req.valid('json'))), 200),
    )
}

/** The run as events if those are asked for, else its result once it has ended or waits. */
async function reply(c: Context<Served>, events: AsyncIterable<StreamEvent>, known?: string): Promise<Response> {
  if (prefersEvents(c)) return sendBegun(c, events)
  let runId = known
  for await (const event of events) runId ??= event.runId ?? undefined
  const result = await c.var.engine.result(runId ?? '')
  return c.json(result, 200)
}

function prefersEvents(c: Context): boolean {
  const supports = ['application/json', 'text/event-stream']
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === 'text/event-stream'
}

/** Waits for the first event, so that a refusal is an HTTP error; the run's id and place stand in the headers. */
async function sendBegun(c: Context, events: AsyncIterable<StreamEvent>): Promise<Response> {
  const { first, all } = await begun(events)
  return sendEvents(c, all, first?.runId ? { 'Content-Location': `/api/runs/${first.runId}` } : {})
}
