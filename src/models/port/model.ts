import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { Settings } from '../../config.ts'
import type { EvidencePassage } from '../../events/index.ts'

/** A piece of a tool call, as the model writes it. `index` tells the calls of one reply apart. */
export interface ToolCallPiece {
  readonly index: number
  readonly id?: string
  readonly name?: string
  readonly args: string
}

/** Receives the pieces of tool calls as they come: a call option, since a model may yield only whole, checked calls. */
export type OnToolCallPiece = (piece: ToolCallPiece) => Promise<void>

/** Prices in US dollars per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
}

/** A LangChain chat model, and what is known about it. */
export interface ChatModel {
  /** `rules`: answers from the documents alone, by the `AgentTask` of the call, and reads no prompt. */
  readonly kind: 'rules' | 'language'
  /** For the log and the result, for instance `openai:gpt-5-mini` or `extractive`. */
  readonly name: string
  readonly model: BaseChatModel
  /** Tokens that fit into one call; null if unknown. */
  readonly contextWindow: number | null
  /** null if unknown: then costs are reported as unknown, never as zero. */
  readonly price: Price | null
  /** False for a model that accepts no temperature but its own. */
  readonly takesTemperature?: boolean
  /** What its endpoint does not support. Without it, there are no fallbacks. */
  readonly abilities?: Abilities
  /** The same model at an endpoint that is not asked: each reply is a few words. */
  readonly rehearsal?: () => ChatModel
}

/** What a request may ask of a model that not every model, or its server, can do. Quaero has a fallback for each. */
export type Capability = 'toolCalling' | 'structuredOutput'

/** Why a model is not asked for something. */
export interface MissingCapability {
  /** What the endpoint said, or which setting forbids it. */
  readonly message: string
  /** True where no report is needed: it was reported before, or is a setting. */
  readonly isKnown: boolean
}

/** What is known of one model, shared by all that ask it, and changed by what its endpoint refuses. */
export interface Abilities {
  readonly missing: Map<Capability, MissingCapability>
  /** False where the endpoint does not know the option that requests the token counts of an answer. */
  countsTokens: boolean
}

type AbilitySettings = Pick<Settings['endpoint'], Capability>

/** The abilities of each model by its name. */
export function rememberAbilities(settings: AbilitySettings): (model: string) => Abilities {
  const known = new Map<string, Abilities>()
  return (model) => {
    const abilities = known.get(model) ?? abilitiesBy(settings)
    known.set(model, abilities)
    return abilities
  }
}

/** Nothing is missing but what the settings turn off. */
export function abilitiesBy(settings: AbilitySettings): Abilities {
  const off = (['toolCalling', 'structuredOutput'] as const).filter((capability) => settings[capability] === 'off')
  const missing = off.map((each) => [each, { message: `endpoint.${each} is off`, isKnown: true }] as const)
  return { missing: new Map(missing), countsTokens: true }
}

/**
 * How many tokens a text has, roughly: four characters a token in Latin script, one in others. For where no endpoint has
 * counted; no tokenizer is ever fetched.
 */
export function estimateTokens(text: string): number {
  const wide = text.match(/[\u0370-\uffff]/g)?.length ?? 0
  return Math.ceil((text.length - wide) / charactersPerToken) + wide
}

const charactersPerToken = 4

/** The facts that fill the prompt, as data: the call option `agentTask`, for models that answer by rule. */
export type AgentTask =
  | {
      /** A hook's own question; `hook` is its name. */
      readonly agent: 'hook'
      readonly hook: string
    }
  | {
      readonly agent: 'orchestrator'
      readonly question: string
      readonly history: readonly HistoryMessage[]
      readonly documents: readonly string[] | null
    }
  | {
      readonly agent: 'clarification'
      readonly question: string
      readonly missingContext: readonly string[]
      readonly candidates: readonly string[]
    }
  | {
      readonly agent: 'research'
      /** The specialist that works on it; `question` is then its task. */
      readonly specialist?: string
      readonly question: string
      /** Documents that the question is limited to; null for all. */
      readonly documents?: readonly string[] | null
    }
  | {
      readonly agent: 'synthesis'
      readonly question: string
      readonly evidence: readonly EvidencePassage[]
      /** Documents that the question is limited to; null for all. */
      readonly documents?: readonly string[] | null
    }
  | {
      /** Claims of an answer, which are read beside the words that they rest on. */
      readonly agent: 'secondReading'
      readonly question: string
    }

/** What a model of the kind `rules` returns with an answer, in its reply's `response_metadata`. */
export interface RuleReply {
  /** Probability that the answer is right, 0 to 1. */
  readonly confidence: number
  /** What cannot be quoted: what is known of the files but stands nowhere in them, what was asked for and not found. */
  readonly remarks: readonly string[]
}

export interface HistoryMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
  /** Of an answer, or of a question back: the question it replies to, as it stood alone. */
  readonly question?: string
  /** Of an answer: the titles of the documents it cites, in the order of its footnotes. */
  readonly cited?: readonly string[]
  /** Of a question back: what it offered to choose from. */
  readonly candidates?: readonly string[]
}
