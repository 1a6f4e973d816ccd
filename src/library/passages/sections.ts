import { stems } from '../language/terms.ts'
import type { Passage } from '../port/document.ts'

interface InSections {
  readonly section: string | null
  readonly sections?: Passage['sections'] | undefined
}

/** The section of a place on a passage's page, which is the one that begins last before it; null above the first heading. */
export function sectionAt({ section, sections = [] }: InSections, place: number): string | null {
  const [, name = section] = sections.findLast(([start]) => start <= place) ?? []
  return name || null
}

/** The section of a passage that holds the most of some words, by their weights; of equals the one that names the passage. */
export function sectionNearest(passage: Passage, weights: ReadonlyMap<string, number>): string | null {
  const { section, sections = [], start: from, text } = passage
  if (sections.length === 0) return section
  const held = sections.map(([start, name], at) => {
    const own = new Set(stems(text.slice(start - from, (sections[at + 1]?.[0] ?? Infinity) - from)))
    return { name, weight: [...own].reduce((sum, word) => sum + (weights.get(word) ?? 0), 0) }
  })
  const most = Math.max(...held.map(({ weight }) => weight))
  const best = held.filter(({ weight }) => weight === most)
  return best.some(({ name }) => name === section) ? section : best[0]?.name || null
}
