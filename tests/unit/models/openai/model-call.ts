import { type AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { loadConfig, type Settings } from '../../../../src/config.ts'
import {
  type Context,
  type Event,
  type Request,
  type Result,
  silentContext,
  span,
} from '../../../../src/events/index.ts'
import { type OpenAIModelOptions, openaiModel } from '../../../../src/models/openai/openai-model.ts'
import type { ChatModel } from '../../../../src/models/port/model.ts'
import { type Clock, retry } from '../../../../src/runs/hooks/retry.ts'
import type { TestEndpoint } from '../../../fixtures/openai-endpoint.ts'

export const settings: Settings = loadConfig().settings
export const question = [new HumanMessage('What accuracy does the model reach?')]

/** A model on the endpoint, with the default settings except for what a test changes. */
export function modelOn(
  { url }: Pick<TestEndpoint, 'url'>,
  options: Partial<Omit<OpenAIModelOptions, 'endpoint'>> & { readonly endpoint?: Partial<Settings['endpoint']> } = {},
): ChatModel {
  return openaiModel({
    model: 'test-model',
    apiKey: 'sk-canary-7f3a',
    baseUrl: url,
    temperature: null,
    price: null,
    contextWindow: null,
    ...options,
    endpoint: { ...settings.endpoint, ...options.endpoint },
  })
}

/** Streams one answer and puts its chunks together. */
export async function ask(
  { model }: ChatModel,
  messages: readonly BaseMessage[] = question,
  options: object = {},
): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined
  for await (const chunk of await model.stream([...messages], options)) whole = whole ? whole.concat(chunk) : chunk
  if (!whole) throw new Error('The model said nothing')
  return whole
}

/** A clock whose waits pass at once and are remembered. */
export function testClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = []
  let now = 0
  return {
    waits,
    now: () => now,
    async wait(ms, signal) {
      signal.throwIfAborted()
      waits.push(ms)
      now += ms
    },
  }
}

/** One model call as a run makes it: a span with the retry hook around it. */
export async function callWithRetry(
  chat: ChatModel,
  options: { readonly retries?: number; readonly signal?: AbortSignal } = {},
) {
  const { retries = settings.endpoint.retries, signal = new AbortController().signal } = options
  const clock = testClock()
  const events: Event[] = []
  const context: Context = {
    ...silentContext('run-1'),
    hooks: [retry({ retries, budgetMs: settings.endpoint.retryBudgetSeconds * 1000, clock })],
    signal,
    emit: async (event) => void events.push(event),
  }
  const request: Request<'model'> = { model: chat.name, messages: question.length, input: question }
  const outcome = await span(context, 'model', request, async (_, { signal }) => {
    const reply = await ask(chat, question, { signal })
    return { ...modelResult, reply }
  }).then(
    ({ reply }) => ({ reply, error: undefined }),
    (error: unknown) => ({ reply: undefined, error: error as Error & { code?: string } }),
  )
  const retried = events.flatMap((event) => (event.type === 'model.retried' ? [event.payload] : []))
  return { ...outcome, waits: clock.waits, retried }
}

const modelResult: Omit<Result<'model'>, 'reply'> = {
  usage: { inputTokens: null, outputTokens: null, costUsd: null },
  finishReason: null,
  toolCalls: [],
  messageId: 'm1',
  contextPercent: null,
}
