import { randomUUID } from 'node:crypto'
import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { asError } from '../../errors.ts'
import { type Context, fact } from '../../events/index.ts'
import type { Capability, MissingCapability } from '../../models/port/capabilities.ts'
import { StructuredOutputUnsupported, ToolsUnsupported } from '../../models/port/errors.ts'
import { type Prompt, renderPrompt } from '../../prompts.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Exchange, ModelRequest } from './model-call.ts'
import { promptMessages } from './prompted-call.ts'
import { isUnreadCall, withWrittenCalls } from './written-calls.ts'

/** How a model that takes no tools is asked instead: for searches, one a line, which are then made for it. */
export interface ToollessRequest {
  readonly prompt: Prompt
  readonly question: string
}

type Converse = (context: Context, request: ModelRequest) => Promise<Exchange>

/**
 * A model call in the way that the model can take: what is known to be refused is not asked for, and what is refused now
 * is remembered and asked for in plain words, once. All of it is one step, so that a resumed run takes the way that it
 * took before, whatever is known by then.
 */
export function withoutToolsIfNeeded(exchange: Converse): Converse {
  return async (context, request) => {
    let attempts = 0
    const onRequest = () => {
      attempts += 1
    }
    const first = await possible(context, request)
    const tried = await attempt(context, { ...first, onRequest }, exchange)
    if ('exchanged' in tried) return { ...tried.exchanged, ...(isPlain(first, request) && { plain: true }) }
    if (attempts >= mostRequests) throw tried.error
    const second = await possible(context, request, tried.lack)
    const answer = await exchange(context, { ...second, attempts })
    return { ...answer, ...(isPlain(second, request) && { plain: true }) }
  }
}

/** Of one model call, in whatever way: as many as the retries of a call that is not refused. */
const mostRequests = 3

type Attempt = { readonly lack: MissingCapability; readonly error: unknown } | { readonly exchanged: Exchange }

async function attempt(context: Context, request: ModelRequest, exchange: Converse): Promise<Attempt> {
  try {
    const exchanged = await exchange(context, request)
    if (!request.plain || !isFirstUnread(exchanged.reply, request)) return { exchanged }
    const lack: MissingCapability = {
      ability: 'toolCalling',
      code: 'tools_unsupported',
      message: unreadable,
      isKnown: false,
    }
    return { lack, error: new ToolsUnsupported(unreadable) }
  } catch (error) {
    const ability = abilityOf(error, request)
    if (!ability || !request.chat.abilities) throw error
    return { lack: request.chat.abilities.learn(ability, asError(error).message), error }
  }
}

const unreadable = 'It wrote its tool call as text that cannot be read'

/** A model that has used tools before does not lose them for one slip. */
function isFirstUnread(reply: AIMessage, { messages, tools = [] }: ModelRequest): boolean {
  return isUnreadCall(reply, tools) && !messages.some((message) => ToolMessage.isInstance(message))
}

/** What the error says is missing, if it was asked for. */
function abilityOf(error: unknown, { tools = [], responseFormat, plain }: ModelRequest): Capability | null {
  if (error instanceof ToolsUnsupported && tools.length > 0 && plain) return 'toolCalling'
  return error instanceof StructuredOutputUnsupported && responseFormat ? 'structuredOutput' : null
}

/** The request without what the model lacks; `now` is what turned out to be missing just before. */
async function possible(context: Context, request: ModelRequest, now?: MissingCapability): Promise<ModelRequest> {
  const { responseFormat: _, ...unstructured } = request
  const lackOf = (ability: Capability) => (now?.ability === ability ? now : request.chat.abilities?.lack(ability))
  const noSchema = request.responseFormat && lackOf('structuredOutput')
  if (noSchema) await tell(context, request, noSchema)
  const asked = noSchema ? unstructured : request
  const { tools = [], plain } = request
  if (tools.length === 0 || !plain) return asked
  const noTools = lackOf('toolCalling')
  if (!noTools) return { ...asked, read: (reply) => withWrittenCalls(reply, tools, request.messages) }
  await tell(context, request, noTools)
  const { prompt, question } = plain
  const rendered = renderPrompt(prompt, { question })
  const read = (reply: AIMessage) => withSearches(reply, question, tools)
  return { ...asked, tools: [], prompt: rendered, messages: promptMessages(rendered), read }
}

function isPlain({ tools = [] }: ModelRequest, request: ModelRequest): boolean {
  return tools.length === 0 && (request.tools ?? []).length > 0
}

/** Once a run into its log; a person is told once for as long as it is remembered. */
async function tell(context: Context, { chat }: ModelRequest, { ability, code, message, isKnown }: MissingCapability) {
  const said = `${instead[ability]} (${chat.name}): ${message}`
  const isSaid = context.log?.().some((each) => each.type === 'notice' && each.payload.message === said)
  if (isSaid) return
  await fact(context, 'notice', { code, message: said, ...(isKnown && { known: true }) })
  chat.abilities?.told(ability)
}

const instead = {
  toolCalling: 'Without tool calls, the model is asked for searches in plain words',
  structuredOutput: 'Without a JSON schema, the model is asked for JSON in plain words',
} as const

/** A model that cannot call tools searches with the first of these that is on offer. */
const searchTools = ['pdf_retrieval', 'web_search']

/** As many as a model is asked for. */
const mostSearches = 3
/** What is longer is no search but an essay, or an excuse. Characters. */
const longestSearch = 200

/**
 * A reply to the plain question for searches, as the calls that it stands for; without a usable line, a search for the
 * question itself. As it is, if there is nothing to search with.
 */
export function withSearches(reply: AIMessage, question: string, tools: readonly Tool[]): AIMessage {
  const name = searchTools.find((each) => tools.some((tool) => tool.name === each))
  if (!name) return reply
  const lines = reply.response_metadata.finish_reason === 'refusal' ? [] : searchesIn(reply.text)
  const queries = lines.length > 0 ? lines : [question]
  const tool_calls = queries.map((query) => ({ id: `call_${randomUUID()}`, name, args: { query } }))
  const { id = '', content, usage_metadata, response_metadata } = reply
  const message = new AIMessage({ id, content, tool_calls, response_metadata })
  return usage_metadata ? Object.assign(message, { usage_metadata }) : message
}

/** The lines that are searches, without bullets, numbers and quotation marks, each once. */
export function searchesIn(text: string): string[] {
  const lines = text.split('\n').map(bare).filter(isSearch)
  // Several sentences are an answer or an excuse, and searching for one finds itself.
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
  const isWordy = /\p{L}{2}|\p{N}/u.test(line)
  const isFrame = /:$|^```|^[<[{]|[>\]}]$/.test(line)
  return isWordy && !isFrame && line.length <= longestSearch && !/\p{Ll}{3}[.!]\s+\S+\s/u.test(line)
}
