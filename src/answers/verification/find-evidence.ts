import type { Evidence } from '../../events/index.ts'
import { type Located, locateIn, type Sources } from '../quotes/locate-quotes.ts'
import { formsOf, unitsOf } from '../quotes/units.ts'

/** What a sentence may rest on: quotes that were given for it, and passages in which the program looks for more. */
export interface Candidates {
  readonly quotes: readonly Located[]
  readonly passages: readonly Evidence[]
}

export interface Checks {
  readonly sources: Sources
  /** Why these quotes do not support the sentence; null if they do. */
  readonly whyNot: (found: readonly Located[]) => string | null
  /** The share of the sentence's words that must stand in what was found, or name its place. */
  readonly leastShare: number
}

/** The spans that bear a sentence out, or why there are none. */
export type Support =
  | { readonly found: readonly Located[]; readonly problem: null }
  | { readonly found: readonly []; readonly problem: string }

const mostSpans = 3

/**
 * The fewest spans that bear a sentence out. The span that shares most with it is always among them: where that one says
 * the opposite, another that happens to pass proves nothing.
 */
export async function findEvidence(sentence: string, candidates: Candidates, checks: Checks): Promise<Support> {
  const wanted = formsOf(sentence)
  const options = optionsFor(wanted, candidates, checks.sources)
  const chosen: Located[] = []
  const held = new Set<string>()
  let problem = NOTHING_FOUND
  for (let spans = 0; spans < mostSpans; spans += 1) {
    const option = best(options, held, spans > 0)
    if (!option) break
    const located = await option.locate()
    options.splice(options.indexOf(option), 1)
    if (!located) continue
    chosen.push(located)
    for (const form of [...option.forms, ...identityOf(located)]) held.add(form)
    const share = [...wanted].filter((form) => held.has(form)).length / Math.max(1, wanted.size)
    const why = checks.whyNot(chosen) ?? (share < checks.leastShare ? NOTHING_FOUND : null)
    if (why === null) return { found: chosen, problem: null }
    if (spans === 0) problem = why
  }
  return { found: [], problem }
}

const NOTHING_FOUND = 'no passage bears it out'

interface Option {
  /** What it shares with the sentence, and how telling each of these forms is. */
  readonly shared: ReadonlyMap<string, number>
  readonly forms: ReadonlySet<string>
  readonly locate: () => Promise<Located | null>
}

function optionsFor(wanted: ReadonlySet<string>, { quotes, passages }: Candidates, sources: Sources): Option[] {
  const units = [
    ...quotes.map((located) => ({ forms: formsOf(located.quote), locate: async () => located })),
    ...passages.flatMap(unitsOf).map((unit) => ({
      forms: unit.forms,
      locate: () => locateIn(unit.text, unit.evidence, sources),
    })),
  ]
  const counts = new Map<string, number>()
  const sharing = units.flatMap((unit) => {
    const shared = [...unit.forms].filter((form) => wanted.has(form))
    for (const form of shared) counts.set(form, (counts.get(form) ?? 0) + 1)
    return shared.length > 0 ? [{ ...unit, shared }] : []
  })
  const weightOf = (form: string) => Math.log(1 + units.length / (counts.get(form) ?? 1)) * (/^\d/.test(form) ? FIGURE : 1)
  return sharing.map((unit) => ({ ...unit, shared: new Map(unit.shared.map((form) => [form, weightOf(form)])) }))
}

/** How much more telling a figure is than a word of the same rarity. */
const FIGURE = 1.5
/** Of two spans that share the same, the shorter. */
const LENGTH = 0.01

/** The option that adds most; a further one must share two forms with the sentence, and add a word. */
function best(options: readonly Option[], held: ReadonlySet<string>, isFurther: boolean): Option | null {
  let most: { readonly option: Option; readonly gain: number } | null = null
  for (const option of options) {
    const added = [...option.shared].filter(([form]) => !held.has(form))
    if (isFurther && (option.shared.size < 2 || !added.some(([form]) => !/^\d/.test(form)))) continue
    const gain = added.reduce((sum, [, weight]) => sum + weight, 0) - LENGTH * option.forms.size
    if (gain > 0 && gain > (most?.gain ?? 0)) most = { option, gain }
  }
  return most?.option ?? null
}

/** Title, section and header name what a span is about. */
function identityOf({ observation: { title, section, table, year } }: Located): ReadonlySet<string> {
  return formsOf([title, section, table, year].filter((each) => each != null).join('\n'))
}
