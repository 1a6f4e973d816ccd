import type { PassageIndex } from './passage-index.ts'
import { bearsAnswer, type Question, readQuestion, wantsNumber } from './question.ts'
import { inverseFrequency } from './rank-passages.ts'
import { sentences } from './sentences.ts'
import { stem } from './stem.ts'
import { isRow, readRow, readTable, type Table, type TableRow } from './table.ts'
import { contentStems, stems } from './terms.ts'

/** A passage among which the answer is looked for. */
export interface EvidenceText {
  readonly id: string
  readonly title: string | null
  readonly section: string | null
  readonly kind: 'text' | 'table' | 'references'
  readonly text: string
  /** 0 to 1: how much of what the query asks for the passage holds. */
  readonly score: number
}

/** A sentence or table row that may answer the question. */
export interface RankedSentence {
  /** The passage's id. */
  readonly id: string
  /** `passage.text.slice(start, end) === text` */
  readonly start: number
  readonly end: number
  readonly text: string
  /** A row's cells and the table that gives them their meaning; null for sentences. */
  readonly row: TableRow | null
  /** Greater is better; about 1 is a perfect match. Comparable between questions. */
  readonly score: number
  /** 0 to 1: the share of the question's words that stand in it, rare words counting more. */
  readonly coverage: number
  /** The same, with the title, headings and neighbours that give it its meaning. */
  readonly coverageInContext: number
  /** Whether it holds the kind of thing that the question asks for. */
  readonly bearsAnswer: boolean
  /** The score of its passage, as the search gave it. */
  readonly passageScore: number
}

/** How much each stem of a question counts. */
export type StemWeights = ReadonlyMap<string, number>

/** Looks up how common a question's words are in the whole library. */
export async function stemWeights(index: Pick<PassageIndex, 'frequencies'>, question: Question): Promise<StemWeights> {
  const { passages, of } = await index.frequencies([...new Set(question.words)])
  return new Map(question.words.map((word) => [stem(word), inverseFrequency(of.get(word) ?? 0, passages)]))
}

// Hand-set on XQuAD and COVID-QA; a linear model fitted to the same data was no better.
const WEIGHTS = {
  coverage: 0.5,
  withTitle: 0.1,
  withPrevious: 0.1,
  passage: 0.3,
  bearsAnswer: 0.12,
  pairs: 0.1,
  density: 0.05,
  saysNothingNew: -0.1,
  isQuestion: -0.2,
  labelAsked: 0.2,
  labelShare: 0.2,
  captionInPlaceOfNumber: -0.15,
  reference: -0.2,
  numberMissing: -0.1,
  pointsElsewhere: -0.2,
  defines: 0.3,
  rowInPlaceOfDefinition: -0.3,
  namesAuthors: 0.5,
} as const

/**
 * Orders the sentences and table rows of the evidence by how likely they answer the question, best first. `weights`
 * come from `stemWeights`; without them, words that are rare in the evidence itself count more.
 */
export function rankSentences(
  question: Question | string,
  evidence: readonly EvidenceText[],
  weights?: StemWeights,
): readonly RankedSentence[] {
  const asked = typeof question === 'string' ? readQuestion(question) : question
  const units = evidence.flatMap(unitsOf)
  const best = Math.max(0, ...evidence.map((passage) => passage.score))
  const scorer = { asked, share: coverageOf(asked, weights ?? weighByEvidence(asked, units)), best }
  return units.map((unit) => rate(unit, scorer)).sort((a, b) => b.score - a.score)
}

/** A sentence or row before it is rated. */
interface Unit {
  readonly passage: EvidenceText
  readonly start: number
  readonly end: number
  readonly text: string
  readonly previous: string
  /** Stems of the title and the heading above the passage. */
  readonly headings: readonly string[]
  readonly row: TableRow | null
  readonly isCaption: boolean
}

function unitsOf(passage: EvidenceText): readonly Unit[] {
  const spans = sentences(passage.text)
  const headings = stems(`${passage.title ?? ''} ${passage.section ?? ''}`)
  const lines = spans.map((span) => passage.text.slice(span.start, span.end))
  const table: Table | null = lines.some(isRow) ? readTable(lines) : null
  return spans.flatMap((span, i): Unit[] => {
    const text = lines[i] ?? ''
    const row = table !== null && isRow(text)
    if (row && i < table.body) return []
    return [
      {
        passage,
        ...span,
        text,
        previous: row ? '' : (lines[i - 1] ?? ''),
        headings,
        row: row ? readRow(text, table, lines.slice(0, i)) : null,
        isCaption: !row && passage.kind === 'table',
      },
    ]
  })
}

type Share = (present: ReadonlySet<string>) => number

/** The share of the question's weight whose stems are present. */
function coverageOf(asked: Question, weights: StemWeights): Share {
  const wanted = [...new Set(asked.stems)]
  const weightOf = (word: string) => weights.get(word) ?? 1
  const total = wanted.reduce((sum, word) => sum + weightOf(word), 0)
  return (present) => {
    const held = wanted.reduce((sum, word) => sum + (present.has(word) ? weightOf(word) : 0), 0)
    return total > 0 ? held / total : 0
  }
}

function weighByEvidence(asked: Question, units: readonly Unit[]): StemWeights {
  const texts = units.map((unit) => new Set(stems(unit.text)))
  return new Map(
    asked.stems.map((word) => [word, inverseFrequency(texts.filter((text) => text.has(word)).length, texts.length)]),
  )
}

interface Scorer {
  readonly asked: Question
  readonly share: Share
  readonly best: number
}

function rate(unit: Unit, { asked, share, best }: Scorer): RankedSentence {
  const { passage, row, headings } = unit
  const own = stems(unit.text)
  const around = stems(row ? contextOf(row) : unit.previous)
  const defines = asked.kind === 'definition' && isDefinition(unit, asked)
  const coverage = defines ? 1 : share(new Set(meantBy(unit, asked, own, around)))
  const answers = bearsAnswer(asked, unit.text)
  const content = contentStems(unit.text)
  const score =
    WEIGHTS.coverage * coverage +
    WEIGHTS.withTitle * share(new Set([...own, ...headings])) +
    WEIGHTS.withPrevious * share(new Set([...own, ...around])) +
    WEIGHTS.passage * (best > 0 ? passage.score / best : 0) +
    WEIGHTS.bearsAnswer * Number(answers) +
    WEIGHTS.pairs * sharedPairs(asked.stems, content) +
    WEIGHTS.density * density(asked.stems, content) +
    formOf(unit, asked, content, answers) +
    (defines ? WEIGHTS.defines : 0) +
    (row ? labelScore(row, asked, share) : 0)
  return {
    id: passage.id,
    start: unit.start,
    end: unit.end,
    text: unit.text,
    row,
    score,
    coverage,
    coverageInContext: share(new Set([...own, ...around, ...headings])),
    bearsAnswer: answers,
    passageScore: passage.score,
  }
}

/** The stems that count as said: a row says its caption and header too, a line of authors the title above it. */
function meantBy({ row, text, headings }: Unit, { kind }: Question, own: readonly string[], around: readonly string[]) {
  if (row) return [...own, ...around]
  return kind === 'author' && isNameLine(text) ? [...own, ...headings] : own
}

/** What speaks for or against a sentence by its form alone. */
function formOf(unit: Unit, asked: Question, content: readonly string[], answers: boolean): number {
  const saysNew = content.filter((word) => !asked.stems.includes(word)).length >= 3
  const marks: readonly (readonly [boolean, number])[] = [
    [!unit.row && !saysNew, WEIGHTS.saysNothingNew],
    [unit.text.endsWith('?'), WEIGHTS.isQuestion],
    [unit.isCaption && wantsNumber(asked.kind), WEIGHTS.captionInPlaceOfNumber],
    [unit.passage.kind === 'references', WEIGHTS.reference],
    [!answers && wantsNumber(asked.kind), WEIGHTS.numberMissing],
    [POINTER.test(unit.text), WEIGHTS.pointsElsewhere],
    [unit.row !== null && asked.kind === 'definition', WEIGHTS.rowInPlaceOfDefinition],
    [asked.kind === 'author' && isNameLine(unit.text), WEIGHTS.namesAuthors],
  ]
  return marks.reduce((sum, [applies, weight]) => sum + (applies ? weight : 0), 0)
}

/**
 * The first sentence under a heading that names just what is asked for, which seldom repeats it; or one that says what
 * it "is" or "means".
 */
function isDefinition({ passage, start, text, row }: Unit, { stems: asked }: Question): boolean {
  if (row || asked.length === 0) return false
  const heading = contentStems(passage.section?.split(' > ').at(-1) ?? '')
  const isHeaded =
    heading.length > 0 && heading.every((word) => asked.includes(word)) && asked.every((word) => heading.includes(word))
  if (isHeaded && start === 0) return true
  const said = DEFINES.exec(text)?.[1]
  const subject = said === undefined ? [] : contentStems(said)
  return subject.length > 0 && subject.length <= asked.length + 1 && asked.every((word) => subject.includes(word))
}

const DEFINES =
  /^((?:\S+\s){1,6}?)(?:is|are|means?|refers? to|denotes?|stands for) (?:an?|the|one|any|that|what|when)\b/i

/** A line of names and nothing else, as below a title. */
function isNameLine(text: string): boolean {
  const words = text.split(/[\s,;]+/).filter((word) => !/^(and|&|von|van|de|der|la)$/i.test(word))
  return words.length >= 2 && words.length <= 40 && words.every((word) => /^\p{Lu}[\p{L}.'’-]*\d*$/u.test(word))
}

// "Figure 5 shows the components": the sentence says where something is, not what it is.
const POINTER =
  /^(figure|fig\.|table|section|appendix|algorithm)\s*[A-Z]?\d[\d.]*\s+(shows?|illustrates?|presents?|depicts?|lists?|summari[sz]es?|gives?|describes?|provides?|reports?|compares?)\b/i

function sharedPairs(asked: readonly string[], content: readonly string[]): number {
  if (asked.length < 2) return 0
  const present = new Set(content.slice(1).map((word, i) => `${content[i]} ${word}`))
  return asked.slice(1).filter((word, i) => present.has(`${asked[i]} ${word}`)).length / (asked.length - 1)
}

function density(asked: readonly string[], content: readonly string[]): number {
  return content.length === 0 ? 0 : content.filter((word) => asked.includes(word)).length / content.length
}

/** A row answers when its own label is asked for: caption and header are the same for all its neighbours. */
function labelScore(row: TableRow, asked: Question, share: Share): number {
  const label = contentStems(row.label)
  if (label.length === 0) return 0
  const known = label.filter((word) => asked.stems.includes(word))
  return (WEIGHTS.labelAsked * known.length) / label.length + WEIGHTS.labelShare * share(new Set(known))
}

function contextOf({ table, group }: TableRow): string {
  return `${table.caption} ${table.header.join(' ')} ${group ?? ''}`
}
