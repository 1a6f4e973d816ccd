import { extname } from 'node:path'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { type ApprovalAnswer, type RunResult, UsageError } from '../../index.ts'
import { refusal } from '../access/refusals.ts'
import { choice } from '../api/shapes.ts'
import { bodyOf, type Protocol, type Served, saidIn, speaking, wordsOf } from '../protocol/protocol.ts'
import { type Frame, type RunView, sendRun } from '../protocol/stream.ts'

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  toolCallId: z.string().optional(),
  approval: z
    .looseObject({ id: z.string(), approved: z.boolean().optional(), reason: z.string().optional() })
    .optional(),
})
const message = z.looseObject({
  id: z.string().min(1).max(255).optional().catch(undefined),
  role: z.string(),
  parts: z.array(part),
})
const request = z.looseObject({ id: z.string(), messages: z.array(message).min(1), quaero: choice.nullish() })

const done: Frame = { data: '[DONE]' }

const aiSdk: Protocol = {
  refusal: ({ code, message }) => refusal(code, message),
  failure: ({ message }) => [{ data: { type: 'error', errorText: message } }, done],
}

/** The UI message stream of the AI SDK, version 1: what `useChat` sends and reads. The chat's id is the thread's. */
export function aiSdkRoutes(): Hono<Served> {
  const app = speaking(aiSdk, new Hono<Served>())
  app.post('/', async (c) => send(c, await eventsFor(c, await bodyOf(c.req, request))))
  app.get('/:id/stream', async (c) => {
    const { engine } = c.var
    const unfinished = await engine.runs({ threadId: c.req.param('id'), unfinished: true })
    const working = unfinished.findLast(({ status }) => status === 'running')
    return working ? send(c, engine.follow(working.runId)) : c.body(null, 204)
  })
  return app
}

/** The run that the last message begins; or the one that goes on with the person's answers in it. */
async function eventsFor(
  { var: { engine } }: Context<Served>,
  { id: threadId, messages, quaero }: z.output<typeof request>,
) {
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
  return engine.stream(question, { threadId, approve: 'ask', ...quaero, ...(id !== undefined && { messageId: id }) })
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

function send(c: Context<Served>, events: Parameters<typeof sendRun>[2]): Promise<Response> {
  c.header('x-vercel-ai-ui-message-stream', 'v1')
  return sendRun(c, aiSdk, events, messageView())
}

/** Tools as they are called; the text once it is verified; then its sources. */
function messageView(): RunView {
  let isBegun = false
  return {
    *frames(step) {
      if (!isBegun) yield { data: { type: 'start', messageId: `${step.event.runId}-answer` } }
      isBegun = true
      if (step.kind === 'phase' && !step.isOver)
        yield { data: { type: 'data-status', data: { agent: step.agent }, transient: true } }
      if (step.kind === 'tool' && step.state === 'started') yield toolInput(step.callId, step.tool, step.args)
      if (step.kind !== 'approval') return
      for (const { id, name, args } of step.approvals) {
        yield toolInput(id, name, args)
        yield { data: { type: 'tool-approval-request', approvalId: id, toolCallId: id } }
      }
    },
    *closing(result) {
      for (const data of answerParts(result)) yield { data }
      yield done
    },
  }
}

function toolInput(toolCallId: string | undefined, toolName: string | undefined, input: unknown): Frame {
  return { data: { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true } }
}

function* answerParts(result: RunResult): Generator<object> {
  const { runId, threadId, citations, status, error } = result
  const { confidence, abstained, sentences, unsupported, limitedTo } = result
  const text = saidIn(result)
  if (text !== '') {
    yield { type: 'text-start', id: runId }
    for (const delta of wordsOf(text)) yield { type: 'text-delta', id: runId, delta }
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
  const messageMetadata = { runId, threadId, confidence, abstained, sentences, unsupported, limitedTo }
  yield { type: 'finish', finishReason: 'stop', messageMetadata }
}
