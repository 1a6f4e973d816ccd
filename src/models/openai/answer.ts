import { randomUUID } from 'node:crypto'
import { AIMessageChunk, type ToolCallChunk, type UsageMetadata } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { ContentFiltered, EndpointIncompatible, ModelError, StreamTruncated } from '../port/errors.ts'
import type { OnToolCallPiece, ToolCallPiece } from '../port/model.ts'
import type { WireChunk } from './completion-reader.ts'
import { type AssembledCall, assembleToolCalls, type ToolCallDelta } from './tool-calls.ts'

export interface AnswerOptions {
  readonly host: string
  readonly model: string
  /** Ids of tool calls earlier in the conversation; a new call never shares one. */
  readonly takenIds: ReadonlySet<string>
  readonly onToolCallPiece?: OnToolCallPiece | undefined
}

/**
 * The answer in LangChain's chunks, strictly: text at once, without reasoning before it; refusals as text (with the finish
 * reason `refusal`); then all tool calls whole in one chunk with the finish reason; then the usage. `onToolCallPiece`
 * receives the pieces of tool calls as they come. Throws `StreamTruncated` without a finish reason, `EndpointIncompatible` for an empty
 * answer, `ContentFiltered` for one that was withheld. Errors after the finish reason are ignored.
 */
export async function* assembleAnswer(
  chunks: AsyncIterable<readonly WireChunk[]>,
  options: AnswerOptions,
): AsyncGenerator<ChatGenerationChunk> {
  const answer = new Answer()
  const id = `answer-${randomUUID()}`
  try {
    for await (const together of chunks) {
      const text = together.map((chunk) => take(answer, chunk)).join('')
      if (text !== '') yield toChunk({ id, content: text })
      await reportPieces(answer, options)
    }
  } catch (error) {
    if (answer.finishReason === null || !(error instanceof ModelError)) throw error
  }
  const rest = answer.reasoning.flush()
  answer.hasText ||= rest.trim() !== ''
  const { finishReason, calls } = conclude(answer, options)
  const ending = { finish_reason: finishReason, model_name: answer.model ?? options.model }
  yield toChunk({ id, content: rest, tool_call_chunks: calls.map(toCallChunk) }, ending)
  // On its own and last, as LangChain's own models send it.
  if (answer.usage) yield usageChunk(id, answer.usage)
}

class Answer {
  readonly toolCalls = assembleToolCalls()
  /** The pieces of each tool call that were not reported yet, by its index. */
  readonly pieces = new Map<number, ToolCallPiece>()
  readonly reasoning = withoutReasoning()
  hasChoice = false
  hasText = false
  isRefusal = false
  model: string | undefined
  finishReason: string | null = null
  usage: UsageMetadata | undefined
}

/** Adds a chunk; returns the text in it. */
function take(answer: Answer, { model, choices, usage }: WireChunk): string {
  // Azure names none in the chunk that only tells of its filters.
  answer.model ||= model || undefined
  if (usage && usage.prompt_tokens + usage.completion_tokens > 0) answer.usage = toUsage(usage)
  const choice = choices.find(({ index }) => index === 0)
  if (!choice) return ''
  answer.hasChoice = true
  answer.finishReason ??= choice.finishReason
  const { content, refusal, tool_calls } = choice.delta
  for (const { index, id, function: called } of tool_calls ?? []) {
    takePiece(answer, { index, id, name: called?.name, args: called?.arguments ?? '' })
  }
  const text = answer.reasoning.push(content) + (refusal ?? '')
  answer.hasText ||= text.trim() !== ''
  answer.isRefusal ||= Boolean(refusal?.trim())
  return text
}

function takePiece({ toolCalls, pieces }: Answer, delta: ToolCallDelta): void {
  const index = toolCalls.add(delta)
  const { id, name } = delta
  const before = pieces.get(index)
  const args = (before?.args ?? '') + delta.args
  pieces.set(index, { ...before, index, ...(id && { id }), ...(name && { name }), args })
}

/** Pieces that the network brought together are reported together. */
async function reportPieces({ pieces }: Answer, { onToolCallPiece }: AnswerOptions): Promise<void> {
  const taken = [...pieces.values()]
  pieces.clear()
  for (const piece of taken) await onToolCallPiece?.(piece)
}

function toUsage(usage: NonNullable<WireChunk['usage']>): UsageMetadata {
  const { prompt_tokens, completion_tokens, prompt_tokens_details: prompt, completion_tokens_details: written } = usage
  return {
    input_tokens: prompt_tokens,
    output_tokens: completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    input_token_details: prompt ? { cache_read: prompt.cached_tokens } : {},
    output_token_details: written ? { reasoning: written.reasoning_tokens } : {},
  }
}

function conclude(
  { toolCalls, finishReason, hasChoice, hasText, isRefusal }: Answer,
  { host, takenIds }: AnswerOptions,
): { readonly finishReason: string; readonly calls: readonly AssembledCall[] } {
  if (!hasChoice) throw new EndpointIncompatible(`${host} answered without any choice, so there is no answer to read`)
  if (finishReason === null)
    throw new StreamTruncated(`${host} ended its answer in the middle, without a finish reason`)
  if (brokenReasons.has(finishReason)) {
    throw new StreamTruncated(`${host} broke off its answer with the finish reason "${finishReason}"`)
  }
  if (finishReason === 'content_filter') {
    throw new ContentFiltered(`${host} withheld the answer: its content filter objects to the question or the answer`)
  }
  const cut = finishReason === 'length'
  const calls = toolCalls.finish({ cut, takenIds })
  if (!hasText && calls.length === 0 && !cut) {
    throw new EndpointIncompatible(`${host} finished its answer without a word or a tool call`)
  }
  // Endpoints end a refusal like an answer; the reader must not take it for one.
  return { finishReason: isRefusal && !cut ? 'refusal' : finishReason, calls }
}

/** OpenRouter and vLLM end so when the model's server failed or was stopped. */
const brokenReasons: ReadonlySet<string> = new Set(['error', 'abort'])

interface Ending {
  readonly finish_reason: string
  readonly model_name: string
}

interface Fields {
  readonly id: string
  readonly content: string
  readonly tool_call_chunks?: ToolCallChunk[]
}

/** Without the raw tool calls that LangChain's own conversion keeps: it would send them back even if they are invalid. */
function toChunk(fields: Fields, ending?: Ending): ChatGenerationChunk {
  const response_metadata = { model_provider: 'openai', ...ending }
  const message = new AIMessageChunk({ ...fields, response_metadata })
  return new ChatGenerationChunk({ text: fields.content, message, generationInfo: { ...ending } })
}

function usageChunk(id: string, usage: UsageMetadata): ChatGenerationChunk {
  const chunk = toChunk({ id, content: '' })
  // Assigned afterwards because LangChain's types make the field `undefined` and nothing else.
  Object.assign(chunk.message, { usage_metadata: usage })
  return chunk
}

function toCallChunk({ index, id, name, args }: AssembledCall) {
  return { type: 'tool_call_chunk' as const, index, ...(id !== undefined && { id }), name, args }
}

/**
 * Models that reason in the open write their reasoning before the answer, between tags, where no server parses it out:
 * DeepSeek-R1 and Qwen `<think>` (https://docs.vllm.ai/en/latest/features/reasoning_outputs.html), Mistral `[THINK]`.
 * Tags after the beginning may be what the answer is about.
 */
const reasoningTags = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
] as const

/** Removes the reasoning at the beginning of one answer while it streams; `flush` returns what was held back. */
function withoutReasoning() {
  let held = ''
  let end: string | null = null
  let isFound = false
  let isOver = false
  const begin = (): string => {
    const start = held.trimStart()
    const block = reasoningTags.find(([open]) => start.startsWith(open))
    if (block) {
      isFound = true
      end = block[1]
      held = start.slice(block[0].length)
      return skip(end)
    }
    if (reasoningTags.some(([open]) => open.startsWith(start))) return ''
    isOver = true
    return isFound ? start : held
  }
  const skip = (close: string): string => {
    const at = held.indexOf(close)
    // The tag itself may come in pieces.
    held = at < 0 ? held.slice(-close.length) : held.slice(at + close.length)
    if (at < 0) return ''
    end = null
    return begin()
  }
  return {
    push(text: string): string {
      if (isOver || text === '') return text
      held += text
      return end === null ? begin() : skip(end)
    },
    flush(): string {
      const rest = isOver || end !== null ? '' : held
      held = ''
      return rest
    },
  }
}
