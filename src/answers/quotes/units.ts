import type { Evidence } from '../../events/index.ts'
import { sentences } from '../../library/language/sentences.ts'
import { isRow } from '../../library/language/table.ts'
import { tokens } from '../../library/language/terms.ts'
import { contentForms } from '../checks/word-forms.ts'

/** What can be quoted for a sentence: a sentence, list item or table row of a passage. */
export interface Unit {
  readonly evidence: Evidence
  readonly text: string
  /** Its words and figures in the forms in which they are compared. */
  readonly forms: ReadonlySet<string>
}

/** Letters of a word that must agree: endings differ ("Beschäftigte", "beschäftigten"). */
const BEGINNING = 6

/** Words that carry meaning by their beginnings, and figures by their digits. */
export function formsOf(text: string): ReadonlySet<string> {
  const figures = text.match(FIGURES)?.map(digitsOf) ?? []
  return new Set([...contentForms(text).map((form) => form.slice(0, BEGINNING)), ...figures])
}

const FIGURES = /\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?!\d)|\d+(?:[.,]\d+)?/g

/** "29,239" and "29.239" are one figure. */
function digitsOf(figure: string): string {
  return figure.replace(/\D/g, '')
}

const unitsByEvidence = new WeakMap<Evidence, readonly Unit[]>()

/** The units of a passage. Rows are whole lines; a question, and what has fewer than two words, states nothing. */
export function unitsOf(evidence: Evidence): readonly Unit[] {
  const known = unitsByEvidence.get(evidence)
  if (known) return known
  const units = linesAndSentences(evidence.observation.text)
    .filter((text) => tokens(text).length >= 2 && !/[?？]\W{0,3}$/u.test(text))
    .map((text): Unit => ({ evidence, text, forms: formsOf(text) }))
  unitsByEvidence.set(evidence, units)
  return units
}

function linesAndSentences(text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line) => (isRow(line) ? [line.trim()] : sentences(line).map(({ start, end }) => line.slice(start, end))))
}
