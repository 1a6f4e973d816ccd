import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import type { Context } from '../../events/index.ts'
import { Fenced } from '../../fenced.ts'
import type { ChatModel, HistoryMessage } from '../../models/index.ts'
import { type Prompt, type PromptVariables, type RenderedPrompt, renderPrompt } from '../../prompts.ts'
import { formatHistory, historyLines } from './history.ts'

/** What every agent that asks a model needs. */
export interface ModelAgentOptions {
  readonly chat: ChatModel
  readonly prompt: Prompt
  readonly temperature: number | null
  /** How many earlier messages the model sees. */
  readonly maxHistory: number
}

/** The parts of a model call made of the agent's prompt, the earlier conversation and the prompt's other variables. */
export function promptedCall(
  context: Context,
  { chat, prompt, temperature }: ModelAgentOptions,
  history: readonly HistoryMessage[],
  variables: PromptVariables,
) {
  const rendered = renderPrompt(promptInUse(context, prompt), {
    history: new Fenced(formatHistory(history)),
    ...variables,
  })
  const messages = promptMessages(rendered)
  return { chat, temperature, prompt: rendered, messages, history: historyLines(history) }
}

/** A rendered prompt as the messages that begin a model call. */
export function promptMessages({ system, user }: RenderedPrompt) {
  return [new SystemMessage(system), new HumanMessage(user)]
}

/** The version of a prompt that was chosen at the run's start: all agents and attempts of a run use the same words. */
export function promptInUse({ log }: Pick<Context, 'log'>, prompt: Prompt): Prompt {
  const chosen = log?.().find((event) => event.type === 'prompts.chosen')
  if (chosen?.type !== 'prompts.chosen') return prompt
  const managed = chosen.payload.prompts.find(({ id }) => id === prompt.id)
  if (!managed) return prompt
  const { name, version, system, user } = managed
  return { ...prompt, system, user, langfuse: { name, version } }
}
