import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { z } from 'zod'
import type { BaseAgent } from './agents/index.ts'
import { type AgentName, type Config, type SettingsOverrides, settings } from './config.ts'
import type { Subscriber } from './events/index.ts'
import type { AddProgress, EmbedProgress } from './library/index.ts'
import { callable, checkOptions, type Shape } from './options.ts'
import type { Plugin } from './runs/index.ts'
import type { Tool } from './tools/index.ts'

export interface QuaeroOptions {
  /** A configuration that is already loaded; otherwise it is read from `configFile`, with `settings` laid over it. */
  readonly config?: Config
  readonly configFile?: string
  readonly settings?: SettingsOverrides
  /** Where everything is kept; `:memory:` keeps nothing. */
  readonly dataDir?: string
  /** `openai:<name>`, `extractive`, or a chat model of your own, for all agents. */
  readonly model?: string | BaseChatModel
  /** Files and folders to add if they are new or changed; questions are then limited to them. */
  readonly documents?: readonly string[]
  /**
   * Where the storage has a queue, questions are submitted to it and followed, instead of worked on here; workers, of this
   * process (`queue.work`) or others, answer them.
   */
  readonly queued?: boolean
  /** Hooks change what happens: one plugin, or several in the order given; the first is outermost. */
  readonly hooks?: Plugin | readonly Plugin[]
  /** Subscribers watch what happens. */
  readonly subscribers?: readonly Subscriber[]
  /** Tools of your own, in addition to the built-in ones. */
  readonly tools?: readonly Tool[]
  /** Agents of your own, in place of the built-in ones. */
  readonly agents?: Partial<Readonly<Record<AgentName, BaseAgent>>>
  /** Receives messages that no run depends on, for instance that a subscriber failed. */
  readonly onNotice?: (message: string) => void
  readonly onAddProgress?: (progress: AddProgress) => void
  readonly onEmbedProgress?: (progress: EmbedProgress) => void
}

// A chat model may be one of another copy of LangChain.
const model = z.custom((value) => typeof value === 'string' || isObjectWith(value, ['stream', 'getName']), {
  error: 'a name ("openai:…", "extractive") or a LangChain chat model is needed',
})
const agent = z.custom((value) => isObjectWith(value, ['execute']), { error: 'an agent is needed' }).optional()
const ownAgents = {
  orchestrator: agent,
  clarification: agent,
  research: agent,
  synthesis: agent,
} satisfies Record<AgentName, z.ZodType>

const options = z.strictObject({
  config: z.looseObject({ settings, environment: z.record(z.string(), z.unknown()) }).optional(),
  configFile: z.string().min(1).optional(),
  // Each setting is checked with the rest of the configuration.
  settings: z.record(z.string(), z.unknown()).optional(),
  dataDir: z.string().min(1).optional(),
  model: model.optional(),
  documents: z.array(z.string()).optional(),
  queued: z.boolean().optional(),
  // Hooks and tools have names of their own in what they are refused with.
  hooks: z.unknown().optional(),
  subscribers: z.array(callable).optional(),
  tools: z.array(z.unknown()).optional(),
  agents: z.strictObject(ownAgents).optional(),
  onNotice: callable.optional(),
  onAddProgress: callable.optional(),
  onEmbedProgress: callable.optional(),
} satisfies Shape<QuaeroOptions>)

/** Lets the options of an engine through, or throws `UsageError` with the one that is wrong. */
export function checkQuaeroOptions(given: unknown): void {
  checkOptions('The options of this Quaero', options, given)
}

function isObjectWith(value: unknown, methods: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return methods.every((name) => typeof Reflect.get(value, name) === 'function')
}
