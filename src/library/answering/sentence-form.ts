import { contentStems } from '../language/terms.ts'
import type { TableRow } from '../table.ts'
import { type AnswerKind, type Question, wantsClockTime, wantsNumber } from './question.ts'

/** What the form of a sentence or row is judged by. */
export interface Formed {
  readonly text: string
  readonly kind: 'text' | 'table' | 'references'
  readonly row: TableRow | null
  readonly isCaption: boolean
  /** It holds the kind of thing that the question asks for. */
  readonly bears: boolean
}

// Set by hand: the question sets hold neither tables nor bibliographies.
const WEIGHTS = {
  saysNothingNew: -0.1,
  isQuestion: -0.2,
  captionInPlaceOfNumber: -0.15,
  reference: -0.2,
  pointsElsewhere: -0.2,
  rowInPlaceOfDefinition: -0.3,
  rowWithoutFigure: -0.15,
  namesAuthors: 0.5,
  lacksClockTime: -0.6,
  lacksName: -0.3,
} as const

/** What speaks for or against a sentence by its form alone; `content` are the stems of its content words. */
export function formOf(
  { text, kind, row, isCaption, bears }: Formed,
  asked: Question,
  content: readonly string[],
): number {
  const saysNew = content.filter((word) => !asked.stems.includes(word)).length >= 3
  const marks: readonly (readonly [boolean, number])[] = [
    [!row && !saysNew, WEIGHTS.saysNothingNew],
    [text.endsWith('?'), WEIGHTS.isQuestion],
    [isCaption && wantsNumber(asked.kind), WEIGHTS.captionInPlaceOfNumber],
    [kind === 'references', WEIGHTS.reference],
    [POINTER.test(text), WEIGHTS.pointsElsewhere],
    [row !== null && asked.kind === 'definition', WEIGHTS.rowInPlaceOfDefinition],
    [row !== null && wantsNumber(asked.kind) && !bears, WEIGHTS.rowWithoutFigure],
    [namesAuthors(text, asked.kind), WEIGHTS.namesAuthors],
    [wantsClockTime(asked) && !bears, WEIGHTS.lacksClockTime],
    [WHO_HOLDS.test(asked.text) && !namesSomebody(text, asked), WEIGHTS.lacksName],
  ]
  return marks.reduce((sum, [applies, weight]) => sum + (applies ? weight : 0), 0)
}

/** "Who is the site lead?", not "Who is eligible?". */
const WHO_HOLDS = /^\W*who(?:['’]s| is| was| are| were) (?:the|our|your|its|their)\b/i

/** A name that the question does not say, other than a role: "the Tenant", "(Address of …)". */
function namesSomebody(text: string, { stems: asked }: Question): boolean {
  const names = text.match(/(?<!\b(?:the|an?|this|that|any|each)\s|[(“"]\s?)\b\p{Lu}[\p{L}'’-]+/giu) ?? []
  return names.some((name) => /^\p{Lu}/u.test(name) && contentStems(name).some((word) => !asked.includes(word)))
}

/** A line of names and nothing else, as below a title, where authors are asked for. */
export function namesAuthors(text: string, kind: AnswerKind): boolean {
  if (kind !== 'author') return false
  const words = text.split(/[\s,;]+/).filter((word) => !/^(and|&|von|van|de|der|la)$/i.test(word))
  return words.length >= 2 && words.length <= 40 && words.every((word) => /^\p{Lu}[\p{L}.'’-]*\d*$/u.test(word))
}

/**
 * The first sentence under a heading that names just what is asked for, which seldom repeats it; or one that says what
 * it "is" or "means".
 */
export function isDefinition(
  { text, section, opens }: { readonly text: string; readonly section: string | null; readonly opens: boolean },
  { kind, stems: asked }: Question,
): boolean {
  if (kind !== 'definition' || asked.length === 0) return false
  const heading = contentStems(section?.split(' > ').at(-1) ?? '')
  const isHeaded =
    heading.length > 0 && heading.every((word) => asked.includes(word)) && asked.every((word) => heading.includes(word))
  if (isHeaded && opens) return true
  const said = DEFINES.exec(text)?.[1]
  const subject = said === undefined ? [] : contentStems(said)
  return subject.length > 0 && subject.length <= asked.length + 1 && asked.every((word) => subject.includes(word))
}

const DEFINES =
  /^((?:\S+\s){1,6}?)(?:is|are|means?|refers? to|denotes?|stands for) (?:an?|the|one|any|that|what|when)\b/i

// "Figure 5 shows the components": the sentence says where something is, not what it is.
const POINTER =
  /^(figure|fig\.|table|section|appendix|algorithm)\s*[A-Z]?\d[\d.]*\s+(shows?|illustrates?|presents?|depicts?|lists?|summari[sz]es?|gives?|describes?|provides?|reports?|compares?)\b/i
