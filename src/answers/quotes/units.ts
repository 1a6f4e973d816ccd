import type { Evidence } from '../../events/index.ts'
import { sentences } from '../../library/language/sentences.ts'
import { isRow } from '../../library/language/table.ts'
import { tokens } from '../../library/language/terms.ts'
import { contentForms } from '../word-forms.ts'

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
  const figures = text.match(/\d[\d.,'’\u00a0\u202f ]*/g)?.map(digitsOf) ?? []
  return new Set([...contentForms(text).map((form) => form.slice(0, BEGINNING)), ...figures])
}

/** "29,239" and "29.239" are one figure; what stands behind a decimal mark stays. */
function digitsOf(figure: string): string {
  return figure.replace(/\D/g, '')
}

const unitsByEvidence = new WeakMap<Evidence, readonly Unit[]>()

/** The units of a passage. Rows are whole lines; what has fewer than two words is none. */
export function unitsOf(evidence: Evidence): readonly Unit[] {
  const known = unitsByEvidence.get(evidence)
  if (known) return known
  const { text } = evidence.observation
  const units = linesAndSentences(text)
    .filter((each) => tokens(each).length >= 2)
    .map((each): Unit => ({ evidence, text: each, forms: formsOf(each) }))
  unitsByEvidence.set(evidence, units)
  return units
}

function linesAndSentences(text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line) => (isRow(line) ? [line.trim()] : sentences(line).map(({ start, end }) => line.slice(start, end))))
}
