import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { RunFilter, StreamEvent } from '../../index.ts'
import type { Served } from '../protocol/protocol.ts'
import { begun, type Frame, sendFrames } from '../protocol/stream.ts'
import { endpoint, events, ownApi, routes, wantsEvents } from './endpoint.ts'
import * as shapes from './shapes.ts'

const run = z.object({ runId: z.string() })

/** Questions, and the runs that answer them. */
export function questionRoutes() {
  const app = routes()
  addQuestions(app)
  addRuns(app)
  addScores(app)
  return app
}

/** What is answered with a result or with events. */
function addQuestions(app: ReturnType<typeof routes>): void {
  endpoint(app, {
    route: 'post /ask',
    summary: 'Answers a question: as JSON, or with "Accept: text/event-stream" as events',
    body: shapes.question,
    answer: shapes.result,
    otherwise: events,
    handle: async (c, { body: { question, ...options } }) => reply(c, c.var.engine.stream(question, options)),
  })
  endpoint(app, {
    route: 'post /runs/{runId}/resume',
    summary: 'Answers approvals, or resumes an interrupted run; as JSON or as events',
    params: run,
    body: shapes.answers,
    answer: shapes.result,
    otherwise: events,
    handle: async (c, { params: { runId }, body: { answers } }) => reply(c, c.var.engine.resume(runId, answers), runId),
  })
}

/** Runs that were begun. */
function addRuns(app: ReturnType<typeof routes>): void {
  endpoint(app, {
    route: 'get /runs',
    summary: 'Lists runs, newest first',
    query: shapes.paging.omit({ search: true }).extend({ threadId: z.string().optional() }),
    answer: z.object({ runs: z.array(shapes.runSummary), next: shapes.next }),
    handle: async (c, { query: { threadId, ...paging } }) => {
      const filter = threadId === undefined ? {} : { threadId }
      const read = async (part: Pick<RunFilter, 'limit' | 'offset'>) =>
        (await c.var.engine.runs({ ...filter, ...part })).toReversed()
      const { items: runs, next } = await shapes.pageOf(read, paging)
      return { runs, next }
    },
  })
  endpoint(app, {
    route: 'get /runs/{runId}',
    summary: 'The result of a run, or how it stands',
    params: run,
    answer: shapes.result,
    handle: (c, { params: { runId } }) => c.var.engine.result(runId),
  })
  endpoint(app, {
    route: 'get /runs/{runId}/events',
    summary: 'Events after a position of the log, then those that come; "Last-Event-ID" names the position too',
    params: run,
    query: z.object({ after: z.coerce.number().int().min(0).optional() }),
    otherwise: events,
    handle: async (c, { params: { runId }, query }) => {
      const after = query.after ?? Number.parseInt(c.req.header('last-event-id') ?? '0', 10)
      return sendEvents(c, c.var.engine.follow(runId, { after: Number.isInteger(after) ? after : 0 }))
    },
  })
  endpoint(app, {
    route: 'post /runs/{runId}/cancel',
    summary: 'Ends a run for good',
    params: run,
    answer: run,
    handle: async (c, { params: { runId } }) => {
      await c.var.engine.cancel(runId)
      return { runId }
    },
  })
}

/** What people and programs think of an answer. */
function addScores(app: ReturnType<typeof routes>): void {
  endpoint(app, {
    route: 'get /runs/{runId}/scores',
    summary: 'The scores of a run',
    params: run,
    answer: z.object({ scores: z.array(shapes.scored) }),
    handle: async (c, { params: { runId } }) => ({ scores: await c.var.engine.scores(runId) }),
  })
  endpoint(app, {
    route: 'post /runs/{runId}/scores',
    summary: 'Gives a run a score, in place of one of the same name',
    params: run,
    body: shapes.newScore,
    answer: shapes.scored,
    handle: (c, { params: { runId }, body }) => c.var.engine.score(runId, body),
  })
  endpoint(app, {
    route: 'put /runs/{runId}/note',
    summary: 'Writes the note on an answer, in place of the one before; an empty text removes it',
    params: run,
    body: z.strictObject({ text: z.string() }),
    answer: z.object({ note: shapes.result.shape.note.unwrap().nullable() }),
    handle: async (c, { params: { runId }, body }) => ({ note: await c.var.engine.note(runId, body.text) }),
  })
}

/** The run as events if those are asked for, else its result once it has ended or waits. */
async function reply(c: Context<Served>, run: AsyncIterable<StreamEvent>, known?: string) {
  return wantsEvents(c) ? sendEvents(c, run) : c.var.engine.resultOf(run, known)
}

/** Waits for the first event, so that a refusal is an HTTP error; the run's id and place stand in the headers. */
async function sendEvents(c: Context<Served>, run: AsyncIterable<StreamEvent>): Promise<Response> {
  const { first, events } = await begun(run)
  if (first) c.header('Content-Location', `/api/runs/${first.runId}`)
  return sendFrames(c, ownApi, framesOf(events))
}

/**
 * `event` is the type, `id` the position in the run's log. Deltas have no id: after a reconnection the first delta of a
 * message holds its whole text so far (`soFar`).
 */
async function* framesOf(events: AsyncIterable<StreamEvent>): AsyncGenerator<Frame> {
  for await (const event of events) {
    const id = 'position' in event && { id: String(event.position) }
    yield { ...id, event: event.type, data: event }
  }
}
