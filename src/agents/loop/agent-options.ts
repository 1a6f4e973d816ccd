import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import type { ChatModel } from '../../models/port/model.ts'
import type { Prompt, RenderedPrompt } from '../../prompts.ts'

/** What every agent that asks a model is made of. */
export interface ModelAgentOptions {
  readonly chat: ChatModel
  readonly prompt: Prompt
  readonly temperature: number | null
  /** How many earlier messages the model sees. */
  readonly maxHistory: number
}

/** A rendered prompt as the messages that begin a model call. */
export function promptMessages({ system, user }: RenderedPrompt) {
  return [new SystemMessage(system), new HumanMessage(user)]
}
