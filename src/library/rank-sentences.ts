import type { PassageIndex } from './passage-index.ts'
import { bearsAnswer, type Question, readQuestion, wantsNumber } from './question.ts'
import { inverseFrequency } from './rank-passages.ts'
import { sentences } from './sentences.ts'
import { stem } from './stem.ts'
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
  readonly form: 'sentence' | 'row'
  /** What a row belongs to; null for sentences. */
  readonly table: Table | null
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

/** What gives a row its meaning. */
export interface Table {
  readonly caption: string
  /** Names of the columns. */
  readonly header: readonly string[]
  /** The header as it stands in the passage. */
  readonly headerText: string
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
  captionInPlaceOfNumber: -0.15,
  reference: -0.2,
  numberMissing: -0.1,
  pointsElsewhere: -0.1,
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
  readonly table: Table | null
  readonly isCaption: boolean
}

function unitsOf(passage: EvidenceText): readonly Unit[] {
  const spans = sentences(passage.text)
  const lines = spans.map((span) => passage.text.slice(span.start, span.end))
  const table = lines.some(isRow) ? readTable(lines) : null
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
        table: row ? table : null,
        isCaption: !row && passage.kind === 'table',
      },
    ]
  })
}

function isRow(line: string): boolean {
  return / \| /.test(line)
}

/** Caption: what stands without bars. Header: the first rows, as long as they hold words and no figures. */
function readTable(lines: readonly string[]): Table & { readonly body: number } {
  const first = lines.findIndex(isRow)
  let body = first
  while (body < lines.length - 1 && isRow(lines[body] ?? '') && isHeader(lines[body] ?? '')) body += 1
  const headerText = lines.slice(first, body).at(-1) ?? ''
  const header = headerText ? cellsOf(headerText) : []
  return { caption: lines.filter((line) => !isRow(line)).join(' '), header, headerText, body }
}

function isHeader(row: string): boolean {
  const cells = cellsOf(row).slice(1)
  return (
    cells.filter((cell) => /^[\W\d]*\d[\d.,%±()\sMkKB+-]*$/.test(cell)).length * 2 < cells.length || cells.length === 0
  )
}

/** The cells of a row as the readers write it. */
export function cellsOf(row: string): readonly string[] {
  return row.split(' | ').map((cell) => cell.trim())
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
  const { passage, table } = unit
  const own = stems(unit.text)
  const title = stems(`${passage.title ?? ''} ${passage.section ?? ''}`)
  const around = stems(table ? `${table.caption} ${table.header.join(' ')}` : unit.previous)
  const coverage = share(new Set(table ? [...own, ...around] : own))
  const answers = bearsAnswer(asked, unit.text)
  const content = contentStems(unit.text)
  const score =
    WEIGHTS.coverage * coverage +
    WEIGHTS.withTitle * share(new Set([...own, ...title])) +
    WEIGHTS.withPrevious * share(new Set([...own, ...around])) +
    WEIGHTS.passage * (best > 0 ? passage.score / best : 0) +
    WEIGHTS.bearsAnswer * Number(answers) +
    WEIGHTS.pairs * sharedPairs(asked.stems, content) +
    WEIGHTS.density * density(asked.stems, content) +
    formOf(unit, asked, content, answers)
  return {
    id: passage.id,
    start: unit.start,
    end: unit.end,
    text: unit.text,
    form: table ? 'row' : 'sentence',
    table,
    score,
    coverage,
    coverageInContext: share(new Set([...own, ...around, ...title])),
    bearsAnswer: answers,
    passageScore: passage.score,
  }
}

/** What speaks for or against a sentence by its form alone. */
function formOf(unit: Unit, asked: Question, content: readonly string[], answers: boolean): number {
  const saysNew = content.filter((word) => !asked.stems.includes(word)).length >= 3
  const marks: readonly (readonly [boolean, number])[] = [
    [!unit.table && !saysNew, WEIGHTS.saysNothingNew],
    [unit.text.endsWith('?'), WEIGHTS.isQuestion],
    [unit.isCaption && wantsNumber(asked.kind), WEIGHTS.captionInPlaceOfNumber],
    [unit.passage.kind === 'references', WEIGHTS.reference],
    [!answers && wantsNumber(asked.kind), WEIGHTS.numberMissing],
    [POINTER.test(unit.text), WEIGHTS.pointsElsewhere],
  ]
  const label = unit.table ? WEIGHTS.labelAsked * labelAsked(asked, unit.text) : 0
  return marks.reduce((sum, [applies, weight]) => sum + (applies ? weight : 0), label)
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

/** 0 to 1: how much of the row's label stands in the question. */
function labelAsked(asked: Question, row: string): number {
  const label = contentStems(cellsOf(row)[0] ?? '')
  return label.length === 0 ? 0 : label.filter((word) => asked.stems.includes(word)).length / label.length
}
