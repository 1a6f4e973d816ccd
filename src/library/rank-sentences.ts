import { answerSigns } from './answer-signs.ts'
import type { PassageIndex } from './passage-index.ts'
import { bearsAnswer, type Question, readQuestion } from './question.ts'
import { inverseFrequency } from './rank-passages.ts'
import { RELATED, type Relatives, relativesOf } from './related-words.ts'
import { formOf, isDefinition, namesAuthors } from './sentence-form.ts'
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

// Fitted on the even questions of XQuAD and COVID-QA, as a softmax over the sentences of each question's evidence; the
// features are those that still helped in fourfold cross-validation there. Divided by 12, so that 1 is a perfect match.
// What concerns tables, and `defines`, was set by hand: the sets hold no tables.
const WEIGHTS = {
  /** The passage's score, relative to the best. */
  passage: 0.35,
  /** The question's words in it and the sentence before, those counting more that are rare in the evidence. */
  withPrevious: 0.23,
  /** In it and the title and headings; in it and the sentence after. Those count more that are rare in the library. */
  withTitle: 0.21,
  withNext: 0.16,
  /** In it alone, each word counting the same. */
  words: 0.145,
  /** What the sentence before adds, where this one begins with a pronoun. */
  pronoun: 0.2,
  /** The question's neighbouring words that are neighbours here too, one word between them or none. */
  pairs: 0.08,
  defines: 0.3,
  labelAsked: 0.2,
  labelShare: 0.2,
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
  const inEvidence = weighByEvidence(asked, units)
  const related = relativesOf(
    asked.stems,
    units.flatMap((unit) => [...unit.own, ...unit.headings]),
  )
  const scorer: Scorer = {
    asked,
    best: Math.max(0, ...evidence.map((passage) => passage.score)),
    share: coverageOf(asked, weights ?? inEvidence, NONE),
    shareRelated: coverageOf(asked, weights ?? inEvidence, related),
    shareInEvidence: coverageOf(asked, inEvidence, NONE),
    shareOfWords: coverageOf(asked, new Map(), related),
  }
  return units.map((unit) => rate(unit, scorer)).sort((a, b) => b.score - a.score)
}

/** A sentence or row before it is rated. */
interface Unit {
  readonly passage: EvidenceText
  readonly start: number
  readonly end: number
  readonly text: string
  /** Stems of its own words, of the sentences around it, and of the title and the heading above the passage. */
  readonly own: readonly string[]
  readonly previous: readonly string[]
  readonly next: readonly string[]
  readonly headings: readonly string[]
  readonly row: TableRow | null
  readonly isCaption: boolean
}

function unitsOf(passage: EvidenceText): readonly Unit[] {
  const spans = sentences(passage.text)
  const headings = stems(`${passage.title ?? ''} ${passage.section ?? ''}`)
  const lines = spans.map((span) => passage.text.slice(span.start, span.end))
  const said = lines.map(stems)
  const table: Table | null = lines.some(isRow) ? readTable(lines) : null
  return spans.flatMap((span, i): Unit[] => {
    const text = lines[i] ?? ''
    if (table !== null && isRow(text)) {
      if (i < table.body) return []
      const row = readRow(text, table, lines.slice(0, i))
      // A row says what its caption and header say of it, and nothing of what its neighbours do.
      const own = [...(said[i] ?? []), ...stems(contextOf(row))]
      return [{ passage, ...span, text, own, previous: [], next: [], headings, row, isCaption: false }]
    }
    const around = { previous: said[i - 1] ?? [], next: said[i + 1] ?? [] }
    return [
      {
        passage,
        ...span,
        text,
        own: said[i] ?? [],
        ...around,
        headings,
        row: null,
        isCaption: passage.kind === 'table',
      },
    ]
  })
}

type Share = (...present: readonly (readonly string[])[]) => number

const NONE: Relatives = new Map()

/** The share of the question's weight whose stems are present, or in part whose relatives are. */
function coverageOf(asked: Question, weights: StemWeights, relatives: Relatives): Share {
  const wanted = [...new Set(asked.stems)]
  const weightOf = (word: string) => weights.get(word) ?? 1
  const total = wanted.reduce((sum, word) => sum + weightOf(word), 0)
  return (...lists) => {
    const present = new Set(lists.flat())
    const held = (word: string) =>
      present.has(word) ? 1 : relatives.get(word)?.some((other) => present.has(other)) ? RELATED : 0
    return total > 0 ? wanted.reduce((sum, word) => sum + held(word) * weightOf(word), 0) / total : 0
  }
}

function weighByEvidence(asked: Question, units: readonly Unit[]): StemWeights {
  const texts = units.map((unit) => new Set(unit.own))
  return new Map(
    asked.stems.map((word) => [word, inverseFrequency(texts.filter((text) => text.has(word)).length, texts.length)]),
  )
}

interface Scorer {
  readonly asked: Question
  readonly best: number
  readonly share: Share
  readonly shareRelated: Share
  readonly shareInEvidence: Share
  readonly shareOfWords: Share
}

function rate(unit: Unit, scorer: Scorer): RankedSentence {
  const { asked, best, share } = scorer
  const { passage, start, end, text, row } = unit
  const { headings, previous, next } = unit
  const defines = !row && isDefinition({ text, section: passage.section, opens: start === 0 }, asked)
  const own = meantBy(unit, asked, defines)
  const content = contentStems(text)
  const score =
    WEIGHTS.passage * (best > 0 ? passage.score / best : 0) +
    WEIGHTS.withPrevious * scorer.shareInEvidence(own, previous) +
    WEIGHTS.withTitle * scorer.shareRelated(own, headings) +
    WEIGHTS.withNext * scorer.shareRelated(own, next) +
    WEIGHTS.words * scorer.shareOfWords(own) +
    WEIGHTS.pronoun * (PRONOUN.test(text) ? share(own, previous) - share(own) : 0) +
    WEIGHTS.pairs * sharedPairs(asked.stems, content) +
    answerSigns(asked, text) +
    formOf({ text, kind: passage.kind, row, isCaption: unit.isCaption }, asked, content) +
    (defines ? WEIGHTS.defines : 0) +
    (row ? labelScore(row, asked, share) : 0)
  return {
    id: passage.id,
    start,
    end,
    text,
    row,
    score,
    coverage: share(own),
    coverageInContext: share(unit.own, previous, headings),
    bearsAnswer: bearsAnswer(asked, text),
    passageScore: passage.score,
  }
}

const PRONOUN = /^(it|they|he|she|this|these|that|those|his|her|its|their|such|the latter|both)\b/i

/** The stems that count as said: a line of authors says the title above it, a definition what it defines. */
function meantBy({ own, text, headings }: Unit, asked: Question, defines: boolean): readonly string[] {
  if (defines) return [...own, ...asked.stems]
  return namesAuthors(text, asked.kind) ? [...own, ...headings] : own
}

function sharedPairs(asked: readonly string[], content: readonly string[]): number {
  const wanted = pairsOf(asked)
  if (wanted.length === 0) return 0
  const present = new Set(pairsOf(content))
  return wanted.filter((pair) => present.has(pair)).length / wanted.length
}

/** Words that follow each other directly, or with one word between them. */
function pairsOf(words: readonly string[]): readonly string[] {
  return words.flatMap((word, i) => words.slice(i + 1, i + 3).map((next) => `${word} ${next}`))
}

/** A row answers when its own label is asked for: caption and header are the same for all its neighbours. */
function labelScore(row: TableRow, asked: Question, share: Share): number {
  const label = contentStems(row.label)
  if (label.length === 0) return 0
  const known = label.filter((word) => asked.stems.includes(word))
  return (WEIGHTS.labelAsked * known.length) / label.length + WEIGHTS.labelShare * share(known)
}

function contextOf({ table, group }: TableRow): string {
  return `${table.caption} ${table.header.join(' ')} ${group ?? ''}`
}
