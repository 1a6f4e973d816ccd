import { randomUUID } from 'node:crypto'
import { type AIMessage, ToolMessage } from '@langchain/core/messages'
import { z } from 'zod'
import { asError } from '../../errors.ts'
import { type Context, fact } from '../../events/index.ts'
import {
  type Capability,
  type MissingCapability,
  StructuredOutputUnsupported,
  ToolsUnsupported,
} from '../../models/index.ts'
import { type Prompt, renderPrompt } from '../../prompts.ts'
import type { Tool } from '../../tools/index.ts'
import { withCalls } from './history.ts'
import { jsonIn } from './json-in-text.ts'
import { callsOf, finishReasonOf } from './messages.ts'
import type { Exchange, ModelRequest } from './model-call.ts'
import { promptMessages } from './prompted-call.ts'

/** How a model that takes no tools is asked instead: for searches, one a line, which are then made as tool calls. */
export interface ToollessRequest {
  readonly prompt: Prompt
  readonly question: string
}

type Converse = (context: Context, request: ModelRequest) => Promise<Exchange>

const writtenCall: MissingCapability = { message: 'It wrote its tool call as text', isKnown: false }

/**
 * Makes a model call without what the model is known to lack. A capability that is refused now is remembered, and the call
 * repeated once without it. All of it is one step, so that a resumed run finds the same steps, whatever is known by then.
 */
export function withFallbacks(exchange: Converse): Converse {
  return async (context, request) => {
    const ask = async (asked: ModelRequest) => {
      const answer = await exchange(context, asked)
      return asked.tools === request.tools ? answer : { ...answer, plain: true }
    }
    const first = await supported(context, request)
    let noTools: MissingCapability | undefined
    try {
      const answer = await ask(first)
      if (!isWrittenCall(answer.reply, first)) return answer
      noTools = writtenCall
    } catch (error) {
      if (!learn(error, first)) throw error
    }
    return ask(await supported(context, request, noTools))
  }
}

const namedCall = z.object({ name: z.string() })

/**
 * True where a model begins with a tool call that is written as text, in the form it was trained on, and not parsed by its
 * server: Hermes and Qwen, Mistral, or JSON. One that has used tools before does not lose them for such a reply.
 */
function isWrittenCall(reply: AIMessage, { messages, plain, tools = [] }: ModelRequest): boolean {
  if (!plain || callsOf(reply).length > 0 || reply.invalid_tool_calls?.length) return false
  if (messages.some((message) => ToolMessage.isInstance(message))) return false
  const names = jsonIn(reply.text).map((value) => namedCall.safeParse([value].flat()[0]).data?.name)
  return /<tool_call>|\[TOOL_CALLS\]/.test(reply.text) || tools.some(({ name }) => names.includes(name))
}

/** Remembers the capability that the error says is missing; false if it is about something else. */
function learn(error: unknown, { chat, tools = [], plain, responseFormat }: ModelRequest): boolean {
  const noTools = error instanceof ToolsUnsupported && tools.length > 0 && plain !== undefined
  const noSchema = error instanceof StructuredOutputUnsupported && responseFormat !== undefined
  if (!chat.abilities || !(noTools || noSchema)) return false
  const missing = { message: asError(error).message, isKnown: false }
  chat.abilities.missing.set(noTools ? 'toolCalling' : 'structuredOutput', missing)
  return true
}

/** The request without what the model lacks. */
async function supported(
  context: Context,
  request: ModelRequest,
  noTools = request.chat.abilities?.missing.get('toolCalling'),
): Promise<ModelRequest> {
  const { responseFormat, ...unstructured } = request
  const noSchema = responseFormat && request.chat.abilities?.missing.get('structuredOutput')
  if (noSchema) await notify(context, request, 'structuredOutput', noSchema)
  const asked = noSchema ? unstructured : request
  const { tools = [], plain } = request
  if (tools.length === 0 || !plain || !noTools) return asked
  await notify(context, request, 'toolCalling', noTools)
  const { question } = plain
  const prompt = renderPrompt(plain.prompt, { question })
  const read = (reply: AIMessage) => withSearches(reply, question, tools)
  return { ...asked, tools: [], prompt, messages: promptMessages(prompt), read }
}

const fallbacks = {
  toolCalling: {
    code: 'tools_unsupported',
    text: 'Without tool calls, the model is asked for searches in plain words',
  },
  structuredOutput: {
    code: 'structured_output_unsupported',
    text: 'Without a JSON schema, the model is asked for JSON in plain words',
  },
} as const

/** Logs the fallback once a run; the notice is shown to the person only the first time. */
async function notify(
  context: Context,
  { chat }: ModelRequest,
  capability: Capability,
  { message: why, isKnown }: MissingCapability,
) {
  const { code, text } = fallbacks[capability]
  const message = `${text} (${chat.name}): ${why}`
  if (context.log?.().some((each) => each.type === 'notice' && each.payload.message === message)) return
  await fact(context, 'notice', { code, message, ...(isKnown && { known: true }) })
  const missing = chat.abilities?.missing
  if (missing?.has(capability)) missing.set(capability, { message: why, isKnown: true })
}

/** A model that cannot call tools searches with the first of these that is on offer. */
const searchTools = ['pdf_retrieval', 'web_search']

/** As many as a model is asked for. */
const mostSearches = 3
/** A longer line is an answer or an excuse. Characters. */
const longestSearch = 200

/** The reply with a search call for each usable line; without one, for the question itself. */
function withSearches(reply: AIMessage, question: string, tools: readonly Tool[]): AIMessage {
  const name = searchTools.find((each) => tools.some((tool) => tool.name === each))
  if (!name) return reply
  const lines = finishReasonOf(reply) === 'refusal' ? [] : searchesIn(reply.text)
  const queries = lines.length > 0 ? lines : [question]
  return withCalls(
    reply,
    queries.map((query) => ({ id: `call_${randomUUID()}`, name, args: { query } })),
  )
}

/** The lines that are searches, without bullets, numbers and quotation marks, each once. */
export function searchesIn(text: string): string[] {
  const lines = text.split('\n').map(bare).filter(isSearch)
  return [...new Set(lines)].slice(0, mostSearches)
}

function bare(line: string): string {
  return line
    .trim()
    .replace(/^(?:[-*•]|\d{1,2}[.)])\s+/, '')
    .replace(/^["'“«„`]+|(?<!["'”»“`])["'”»“`]+$/g, '')
    .trim()
}

function isSearch(line: string): boolean {
  const hasWord = /\p{L}{2}|\p{N}/u.test(line)
  const isFrame = /:$|^```|^[<[{]|[>\]}]$/.test(line)
  // A search for a sentence of the model's own answer would find that answer.
  const isSentences = /\p{Ll}{3}[.!]\s+\S+\s/u.test(line)
  return hasWord && !isFrame && !isSentences && line.length <= longestSearch
}
