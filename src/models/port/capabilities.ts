import type { Settings } from '../../config.ts'

/** What a request may ask of a model that not every model, or its server, can do. There is a plain way around each. */
export type Capability = 'toolCalling' | 'structuredOutput'

/** Why a model is not asked for something. */
export interface MissingCapability {
  readonly ability: Capability
  /** The code of the error that told of it. */
  readonly code: 'tools_unsupported' | 'structured_output_unsupported'
  /** For a person; what the endpoint said, or which setting forbids it. */
  readonly message: string
  /** True where nobody needs to be told: it was told before, or is a setting. */
  readonly isKnown: boolean
}

/** What is known of one model: nothing is missing until its endpoint says so, or a setting does. */
export interface Abilities {
  readonly lack: (ability: Capability) => MissingCapability | undefined
  /** Remembers what the endpoint has refused, so that it is not asked for again. */
  readonly learn: (ability: Capability, message: string) => MissingCapability
  /** Remembers that a person was told. */
  readonly told: (ability: Capability) => void
  /** True for a model whose answers have begun in the middle of its reasoning. */
  readonly reasonsFirst: () => boolean
  readonly learnReasoningFirst: () => void
  /** False where the endpoint does not know the option by which the tokens of an answer are asked for. */
  readonly countsTokens: () => boolean
  readonly learnCountsNoTokens: () => void
}

/** The abilities of each model by its name: one memory for all that ask the same model. */
export function rememberAbilities(settings: AbilitySettings): (model: string) => Abilities {
  const known = new Map<string, Abilities>()
  return (model) => {
    const abilities = known.get(model) ?? abilitiesOf(settings)
    known.set(model, abilities)
    return abilities
  }
}

type AbilitySettings = Pick<Settings['endpoint'], Capability>

function abilitiesOf(settings: AbilitySettings): Abilities {
  const lacks = new Map<Capability, MissingCapability>()
  let reasonsFirst = false
  let countsTokens = true
  for (const ability of ['toolCalling', 'structuredOutput'] as const) {
    const message = `endpoint.${ability} is off`
    if (settings[ability] === 'off') lacks.set(ability, { ability, code: codes[ability], message, isKnown: true })
  }
  return {
    lack: (ability) => lacks.get(ability),
    learn: (ability, message) => {
      const lack: MissingCapability = { ability, code: codes[ability], message, isKnown: false }
      lacks.set(ability, lack)
      return lack
    },
    told: (ability) => {
      const lack = lacks.get(ability)
      if (lack) lacks.set(ability, { ...lack, isKnown: true })
    },
    reasonsFirst: () => reasonsFirst,
    learnReasoningFirst: () => {
      reasonsFirst = true
    },
    countsTokens: () => countsTokens,
    learnCountsNoTokens: () => {
      countsTokens = false
    },
  }
}

const codes = { toolCalling: 'tools_unsupported', structuredOutput: 'structured_output_unsupported' } as const
