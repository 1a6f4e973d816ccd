import type { Observation } from '../events/index.ts'
import { isStopWord, tokens } from '../library/language/terms.ts'

/** A quoted document: what is known of it, and how its first page begins. */
export interface QuotedDocument {
  readonly observation: Observation
  readonly head: string
}

/**
 * The sentence without the names of the documents that it quotes, so that "2023" in “Annual Report 2023” is no figure that
 * a quote must state. A name is a whole title or file name, or a label in front of a colon ("- **Version 2, May 2023**:
 * …") that says nothing but what the document is called, or repeats a line from the beginning of its first page. The
 * label must name every document that is quoted: with words or numbers of another one it is checked like the rest.
 */
export function withoutDocumentNames(sentence: string, documents: readonly QuotedDocument[]): string {
  const names = documents.flatMap(({ observation }) => wholeNames(observation))
  const rest = names.reduce((text, name) => text.replaceAll(name, ' '), sentence)
  const label = labelsOf(rest).find((each) => documents.every((document) => isNameOf(each, document)))
  return label === undefined ? rest : rest.slice(label.length)
}

/** A label is no longer than this. */
const LONGEST = 160

/** What stands in front of each colon, the longest first. */
function labelsOf(sentence: string): readonly string[] {
  return Array.from(sentence.slice(0, LONGEST).matchAll(/:[”"’')\]*]{0,4}\s/gu), ({ 0: colon, index }) =>
    sentence.slice(0, index + colon.length),
  ).reverse()
}

/** Words that may stand in any label. */
const GENERAL: ReadonlySet<string> = new Set(
  'document documents paper report article file note version edition dated published year title'.split(' '),
)

function isNameOf(label: string, { observation, head }: QuotedDocument): boolean {
  const words = wordsOf(label)
  const told = words.filter((word) => !isStopWord(word) && !GENERAL.has(word))
  if (told.length === 0) return false
  const own = new Set(namesOf(observation).flatMap(wordsOf))
  const isLine = head.split(/[\n|]/).some((line) => wordsOf(line).join(' ') === words.join(' '))
  return isLine || told.every((word) => own.has(word))
}

function wordsOf(text: string): readonly string[] {
  return tokens(text).map(({ word }) => word)
}

/** What a document is called, and of when and by whom it is. */
function namesOf({ title, source, authors, year }: Observation): readonly string[] {
  return [title ?? '', fileName(source), ...authors, year === null ? '' : `${year}`]
}

function wholeNames({ title, source }: Observation): readonly string[] {
  return [title ?? '', fileName(source)].filter((name) => wordsOf(name).length > 1)
}

function fileName(source: string): string {
  return source.split(/[/\\]/).at(-1) ?? ''
}
