import type { Evidence } from '../../events/index.ts'
import { type Located, locateIn, type Sources } from '../quotes/locate-quotes.ts'
import { formsOf, unitsOf } from '../quotes/units.ts'

/** What a sentence may rest on. */
export interface Candidates {
  /** Quotes that were given for it, which are always among the spans. */
  readonly given?: readonly Located[]
  /** Quotes that were given for it or for other sentences. */
  readonly quotes?: readonly Located[]
  /** Passages in which the program looks for more. */
  readonly passages: readonly Evidence[]
}

export interface Checks {
  readonly sources: Sources
  /** Why these quotes do not support the sentence; null if they do. */
  readonly whyNot: (found: readonly Located[]) => string | null
  /** Words that tell nothing new: those of the question and of the documents' titles. */
  readonly known: ReadonlySet<string>
  /** The share of the sentence's telling words that must stand in what was found, or name its place. */
  readonly leastShare: number
  /** What is found must share a word with these; any will do if there are none. */
  readonly about?: ReadonlySet<string>
}

/** The spans that bear a sentence out, or why there are none. */
export type Support =
  | { readonly found: readonly Located[]; readonly problem: null }
  | { readonly found: readonly Located[]; readonly problem: string }

const mostSpans = 3

/**
 * The fewest spans that bear a sentence out. The quotes that were given for it, or else the span that shares most with it,
 * are always among them: where these say the opposite, another that happens to pass proves nothing.
 */
export async function findEvidence(sentence: string, candidates: Candidates, checks: Checks): Promise<Support> {
  const wanted = formsOf(sentence)
  const options = optionsFor(wanted, candidates, checks)
  const { given = [] } = candidates
  const chosen = [...given]
  const held = formsOfAll(given)
  const isShared = sharing(wanted, checks)
  const whyNot = () => checks.whyNot(chosen) ?? (isShared(held, checks.leastShare) ? null : NOTHING_FOUND)
  const isEnough = (found: readonly Located[]) =>
    checks.whyNot(found) === null && isShared(formsOfAll(found), checks.leastShare)
  const add = async (missing: ReadonlySet<string> | null): Promise<boolean> => {
    const next = await takeBest(options, held, missing)
    if (!next) return false
    chosen.push(next.located)
    for (const form of [...next.option.forms, ...identityOf(next.located)]) held.add(form)
    return true
  }
  if (given.length === 0) await add(null)
  if (chosen.length === 0) return { found: [], problem: NOTHING_FOUND }
  const problem = whyNot()
  if (problem === null && given.length === 0) return { found: chosen, problem }
  // What contradicts the sentence does so beside any other span too: only a figure may still be missing.
  for (let spans = 1; spans < mostSpans; spans += 1) {
    const missing = missingFigures(wanted, held)
    if (missing.size === 0 || !(await add(missing))) break
    if (whyNot() === null) return { found: withoutNeedless(chosen, given, isEnough), problem: null }
  }
  return { found: [], problem: problem ?? NOTHING_FOUND }
}

/** Without spans that later ones made needless; those that were given stay. */
function withoutNeedless(
  chosen: readonly Located[],
  given: readonly Located[],
  isEnough: (found: readonly Located[]) => boolean,
): readonly Located[] {
  return chosen.reduce((kept, each) => {
    const others = kept.filter((other) => other !== each)
    return !given.includes(each) && others.length > 0 && isEnough(others) ? others : kept
  }, chosen)
}

function formsOfAll(found: readonly Located[]): Set<string> {
  return new Set(found.flatMap((located) => [...formsOf(located.quote), ...identityOf(located)]))
}

/** Takes the best option that its page really has. */
async function takeBest(options: Option[], held: ReadonlySet<string>, missing: ReadonlySet<string> | null) {
  for (let option = best(options, held, missing); option; option = best(options, held, missing)) {
    options.splice(options.indexOf(option), 1)
    const located = await option.locate()
    if (located) return { option, located }
  }
  return null
}

type IsShared = (forms: ReadonlySet<string>, least: number) => boolean

/** Whether some forms hold this share of a sentence's telling ones: those that question and titles do not give. */
function sharing(wanted: ReadonlySet<string>, { known }: Checks): IsShared {
  const telling = [...wanted].filter((form) => !known.has(form))
  const measured = telling.length > 0 ? telling : [...wanted]
  return (forms, least) => measured.filter((form) => forms.has(form)).length >= least * measured.length
}

const NOTHING_FOUND = 'no passage bears it out'

interface Option {
  readonly forms: ReadonlySet<string>
  readonly locate: () => Promise<Located | null>
  /** What it shares with the sentence, and how telling each of these forms is. */
  readonly shared: ReadonlyMap<string, number>
  /** A quote that the writer gave. */
  readonly isGiven: boolean
}

function optionsFor(
  wanted: ReadonlySet<string>,
  { quotes = [], passages }: Candidates,
  { sources, about }: Checks,
): Option[] {
  const units = [
    ...quotes.map((located) => ({ forms: formsOf(located.quote), locate: async () => located, isGiven: true })),
    ...passages
      .flatMap(unitsOf)
      .filter(isAbout(about))
      .map(({ text, evidence, forms }) => ({ forms, locate: () => locateIn(text, evidence, sources), isGiven: false })),
  ]
  const counts = new Map<string, number>()
  const related = units.flatMap((unit) => {
    const shared = [...unit.forms].filter((form) => wanted.has(form))
    for (const form of shared) counts.set(form, (counts.get(form) ?? 0) + 1)
    return shared.length > 0 ? [{ ...unit, shared }] : []
  })
  const weightOf = (form: string) =>
    Math.log(1 + units.length / (counts.get(form) ?? 1)) * (/^\d/.test(form) ? FIGURE : 1)
  return related.map((unit) => ({ ...unit, shared: new Map(unit.shared.map((form) => [form, weightOf(form)])) }))
}

function isAbout(words: ReadonlySet<string> = new Set()) {
  return ({ forms }: { readonly forms: ReadonlySet<string> }) =>
    words.size === 0 || [...forms].some((form) => words.has(form))
}

/** How much more telling a figure is than a word of the same rarity. */
const FIGURE = 1.5
/** Of two spans that share the same, a given quote, else the shorter. */
const LENGTH = 0.01

function missingFigures(wanted: ReadonlySet<string>, held: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...wanted].filter((form) => /^\d/.test(form) && !held.has(form)))
}

/** The option that adds most. Where figures are missing, it adds one of them, and a word. */
function best(
  options: readonly Option[],
  held: ReadonlySet<string>,
  missing: ReadonlySet<string> | null,
): Option | null {
  let most: { readonly option: Option; readonly gain: number } | null = null
  for (const option of options) {
    const added = [...option.shared].filter(([form]) => !held.has(form))
    const isWanted = missing === null || addsFigure(added, missing)
    const gain = added.reduce((sum, [, weight]) => sum + weight, option.isGiven ? 0 : -LENGTH * option.forms.size)
    if (isWanted && gain > (most?.gain ?? 0)) most = { option, gain }
  }
  return most?.option ?? null
}

function addsFigure(
  added: readonly (readonly [form: string, weight: number])[],
  missing: ReadonlySet<string>,
): boolean {
  return added.some(([form]) => missing.has(form)) && added.some(([form]) => !/^\d/.test(form))
}

/** Title, section and header name what a span is about. */
function identityOf({ observation: { title, section, table, year } }: Located): ReadonlySet<string> {
  return formsOf([title, section, table, year].filter((each) => each != null).join('\n'))
}
