import type { Settings } from '../../config.ts'

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
