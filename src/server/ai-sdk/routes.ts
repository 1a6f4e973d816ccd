import { extname } from 'node:path'
import { type Context, Hono } from 'hono'
import type { SSEStreamingApi } from 'hono/streaming'
import { z } from 'zod'
import { type ApprovalAnswer, type RunResult, type StreamEvent, UsageError } from '../../index.ts'
import { describeError } from '../access/refusals.ts'
import { eventStream } from '../api/event-stream.ts'
import type { Served } from '../api/routes.ts'
import { begun } from '../user/begun.ts'

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  toolCallId: z.string().optional(),
  approval: z
    .looseObject({ id: z.string(), approved: z.boolean().optional(), reason: z.string().optional() })
    .optional(),
})
const request = z.looseObject({
  id: z.string(),
  messages: z
    .array(
      z.looseObject({
        id: z.string().min(1).max(255).optional().catch(undefined),
        role: z.string(),
        parts: z.array(part),
      }),
    )
    .min(1),
})

/** The UI message stream of the AI SDK, version 1: what `useChat` sends and reads. The chat's id is the thread's. */
export function aiSdkRoutes(): Hono<Served> {
  const app = new Hono<Served>()
  app.onError((error, c) => {
    const { status, body, headers } = describeError(error)
    return c.json(body, status, headers)
  })
  app.post('/', async (c) => {
    const parsed = request.safeParse(await c.req.json().catch(() => null))
    if (!parsed.success)
      throw new UsageError('The request is none of "useChat": it needs an id and messages with parts.')
    return send(c, (await begun(await eventsFor(c, parsed.data))).all)
  })
  app.get('/:id/stream', async (c) => {
    const working = (await c.var.engine.runs({ threadId: c.req.param('id'), unfinished: true })).findLast(
      ({ status }) => status === 'running',
    )
    return working ? send(c, c.var.engine.follow(working.runId)) : c.body(null, 204)
  })
  return app
}

/** The run that the last message begins; or the one that goes on with the person's answers in it. */
async function eventsFor({ var: { engine } }: Context<Served>, { id: threadId, messages }: z.output<typeof request>) {
  const { id, role, parts } = messages.at(-1) ?? { role: '', parts: [] }
  const answers = answersIn(parts)
  if (role === 'assistant' && Object.keys(answers).length > 0) {
    const waiting = (await engine.runs({ threadId })).findLast(({ status }) => status === 'requires_action')
    if (!waiting) throw new UsageError('No run of this chat waits for an approval.')
    return engine.resume(waiting.runId, answers)
  }
  const words = parts.map(({ text = '' }) => text).join('')
  const question = role === 'user' ? words.trim() : ''
  if (question === '') throw new UsageError('The last message holds no question.')
  return engine.stream(question, { threadId, approve: 'ask', ...(id !== undefined && { messageId: id }) })
}

function answersIn(parts: readonly z.output<typeof part>[]): Readonly<Record<string, ApprovalAnswer>> {
  return Object.fromEntries(
    parts.flatMap(({ approval }) => {
      if (approval?.approved === undefined) return []
      const { id, approved, reason } = approval
      return [[id, { approved, ...(reason !== undefined && { reason }) }]]
    }),
  )
}

/** Tools as they are called; the text once it is verified; then its sources. */
function send(c: Context<Served>, events: AsyncIterable<StreamEvent>): Response {
  c.header('x-vercel-ai-ui-message-stream', 'v1')
  const sendTo = async (out: SSEStreamingApi) => {
    const write = (chunk: unknown) => out.writeSSE({ data: JSON.stringify(chunk) })
    let runId = ''
    for await (const event of events) {
      if (runId === '') await write({ type: 'start', messageId: `${event.runId}-answer` })
      runId = event.runId
      for (const chunk of chunksOf(event)) await write(chunk)
    }
    for (const chunk of closingOf(await c.var.engine.result(runId))) await write(chunk)
    await out.writeSSE({ data: done })
  }
  return eventStream(c, sendTo, {
    async onError(error, out) {
      await out.writeSSE({
        data: JSON.stringify({ type: 'error', errorText: describeError(error).body.error.message }),
      })
      await out.writeSSE({ data: done })
    },
  })
}

const done = '[DONE]'

function* chunksOf(event: StreamEvent): Generator<unknown> {
  if (event.type === 'agent.started') yield { type: 'data-status', data: { agent: event.agent }, transient: true }
  if (event.type === 'tool.started') {
    const { callId, tool, args } = event.payload
    yield { type: 'tool-input-available', toolCallId: callId, toolName: tool, input: args, dynamic: true }
  }
  if (event.type === 'approval.requested') {
    for (const { id, name, args } of event.payload.approvals) {
      yield { type: 'tool-input-available', toolCallId: id, toolName: name, input: args, dynamic: true }
      yield { type: 'tool-approval-request', approvalId: id, toolCallId: id }
    }
  }
}

function* closingOf(result: RunResult): Generator<unknown> {
  const { runId, threadId, answer, clarification, citations, status, error } = result
  const { confidence, abstained, sentences, unsupported } = result
  const text = answer || clarification || ''
  if (text !== '') {
    yield { type: 'text-start', id: runId }
    for (const delta of text.match(/\S+\s*/g) ?? []) yield { type: 'text-delta', id: runId, delta }
    yield { type: 'text-end', id: runId }
  }
  for (const citation of citations) {
    const mediaType = extname(citation.source) === '.pdf' ? 'application/pdf' : 'text/plain'
    const { label: title, source: filename } = citation
    yield {
      type: 'source-document',
      sourceId: `${runId}:${citation.marker}`,
      mediaType,
      title,
      filename,
      providerMetadata: { quaero: citation },
    }
  }
  if (status === 'failed') yield { type: 'error', errorText: error?.message ?? 'The run failed.' }
  yield {
    type: 'finish',
    finishReason: 'stop',
    messageMetadata: { runId, threadId, confidence, abstained, sentences, unsupported },
  }
}
