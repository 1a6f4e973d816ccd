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
  const chosen = [...(candidates.given ?? [])]
  const held = new Set(chosen.flatMap((located) => [...formsOf(located.quote), ...identityOf(located)]))
  const telling = [...wanted].filter((form) => !checks.known.has(form))
  const measured = telling.length > 0 ? telling : [...wanted]
  const shareOf = (forms: ReadonlySet<string>) =>
    measured.filter((form) => forms.has(form)).length / (measured.length || 1)
  const tryWith = (found: readonly Located[]) =>
    checks.whyNot(found) ?? (shareOf(held) < checks.leastShare ? NOTHING_FOUND : null)
  let problem = chosen.length > 0 ? tryWith(chosen) : NOTHING_FOUND
  for (let spans = 0; spans < mostSpans && problem !== null; spans += 1) {
    const missing = missingFigures(wanted, held)
    // What contradicts the sentence does so beside any other span too; a quote that was given may lack a figure only.
    const isDecided = candidates.given?.length || shareOf(held) >= checks.leastShare
    if (chosen.length > 0 && missing.size === 0 && isDecided) break
    const option = best(options, held, chosen.length > 0 && missing)
    const located = await option?.locate()
    if (!option) break
    options.splice(options.indexOf(option), 1)
    if (!located) continue
    chosen.push(located)
    for (const form of [...option.forms, ...identityOf(located)]) held.add(form)
    const why = tryWith(chosen)
    if (why === null) return { found: chosen, problem: null }
    problem = chosen.length === 1 ? why : problem
    const clause = chosen.length === 1 ? await clauseFor(option, shareOf, checks) : null
    if (clause) return { found: [clause], problem: null }
  }
  return problem === null ? { found: chosen, problem } : { found: [], problem }
}

const NOTHING_FOUND = 'no passage bears it out'

/** A part of a sentence that holds at least half of the words, where the rest of it speaks of something else. */
async function clauseFor(
  { clauses }: Option,
  shareOf: (forms: ReadonlySet<string>) => number,
  { whyNot }: Checks,
): Promise<Located | null> {
  for (const { forms, locate } of clauses) {
    const located = shareOf(forms) >= MOST_OF_IT ? await locate() : null
    if (located && whyNot([located]) === null) return located
  }
  return null
}

const MOST_OF_IT = 0.5

interface Span {
  readonly forms: ReadonlySet<string>
  readonly locate: () => Promise<Located | null>
}

interface Option extends Span {
  /** What it shares with the sentence, and how telling each of these forms is. */
  readonly shared: ReadonlyMap<string, number>
  readonly clauses: readonly Span[]
}

function optionsFor(
  wanted: ReadonlySet<string>,
  { quotes = [], passages }: Candidates,
  { sources, about }: Checks,
): Option[] {
  const spanOf = (text: string, evidence: Evidence) => ({
    forms: formsOf(text),
    locate: () => locateIn(text, evidence, sources),
  })
  const units = [
    ...quotes.map((located) => ({ forms: formsOf(located.quote), locate: async () => located, clauses: [] })),
    ...passages
      .flatMap(unitsOf)
      .filter(isAbout(about))
      .map(({ text, evidence, forms, clauses }) => ({
        ...spanOf(text, evidence),
        forms,
        clauses: clauses.map((clause) => spanOf(clause, evidence)),
      })),
  ]
  const counts = new Map<string, number>()
  const sharing = units.flatMap((unit) => {
    const shared = [...unit.forms].filter((form) => wanted.has(form))
    for (const form of shared) counts.set(form, (counts.get(form) ?? 0) + 1)
    return shared.length > 0 ? [{ ...unit, shared }] : []
  })
  const weightOf = (form: string) =>
    Math.log(1 + units.length / (counts.get(form) ?? 1)) * (/^\d/.test(form) ? FIGURE : 1)
  return sharing.map((unit) => ({ ...unit, shared: new Map(unit.shared.map((form) => [form, weightOf(form)])) }))
}

function isAbout(words: ReadonlySet<string> = new Set()) {
  return ({ forms }: { readonly forms: ReadonlySet<string> }) =>
    words.size === 0 || [...forms].some((form) => words.has(form))
}

/** How much more telling a figure is than a word of the same rarity. */
const FIGURE = 1.5
/** Of two spans that share the same, the shorter. */
const LENGTH = 0.01

function missingFigures(wanted: ReadonlySet<string>, held: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...wanted].filter((form) => /^\d/.test(form) && !held.has(form)))
}

/** The option that adds most. A further one adds a word, and a figure where one is missing. */
function best(
  options: readonly Option[],
  held: ReadonlySet<string>,
  missing: ReadonlySet<string> | false,
): Option | null {
  let most: { readonly option: Option; readonly gain: number } | null = null
  for (const option of options) {
    const added = [...option.shared].filter(([form]) => !held.has(form))
    const addsFigure = added.some(([form]) => missing && missing.has(form))
    if (missing && !(added.some(([form]) => !/^\d/.test(form)) && (missing.size === 0 || addsFigure))) continue
    const gain = added.reduce((sum, [, weight]) => sum + weight, 0) - LENGTH * option.forms.size
    if (gain > 0 && gain > (most?.gain ?? 0)) most = { option, gain }
  }
  return most?.option ?? null
}

/** Title, section and header name what a span is about. */
function identityOf({ observation: { title, section, table, year } }: Located): ReadonlySet<string> {
  return formsOf([title, section, table, year].filter((each) => each != null).join('\n'))
}
