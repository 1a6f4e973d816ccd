import type { Observation } from '../../events/index.ts'
import { headerOf } from '../../library/language/table.ts'
import type { KnownNames } from './names.ts'

/** A quote that stands on its page, and the passage that it stands in. */
export interface LocatedQuote {
  readonly quote: string
  /** Where it begins on its page. */
  readonly start: number
  readonly observation: Observation
  /** The page around the quote. */
  readonly near: string
  /** What stands directly in front of the quote. */
  readonly before: string
  /** How the document's first page begins. */
  readonly head: string
}

/** What is known apart from the quotes. */
export interface Surroundings {
  readonly question: string
  /** Text of all passages, by document; for the names that the question asks about. */
  readonly textOf: (documentId: string) => string
  readonly known: KnownNames
  /** The sentence states what was computed: its words are those of no passage ("the quick ratio"). */
  readonly isComputed?: boolean
}

/** What names the document of a quote: its title, authors, file and first lines. */
export function identityOf({ observation: { title, source, authors, year }, head }: LocatedQuote): string {
  const lines = head.slice(0, IDENTITY).split('\n').slice(0, -1).join('\n')
  return [title, source.split(/[/\\]/).at(-1), ...authors, year, lines].filter((each) => each != null).join('\n')
}

/** The caption and header of the table that a quote stands in; empty for a text. */
export function headerOfTable({ observation: { kind, text } }: LocatedQuote): string {
  if (kind !== 'table') return ''
  const lines = text.split('\n')
  return lines.slice(0, Math.max(0, headerOf(lines).body)).join('\n')
}

/** Characters of a first page that hold title and organisation. */
const IDENTITY = 240
