import { wordSet } from '../../library/language/characters.ts'
import { tokens } from '../../library/language/terms.ts'
import { NEGATORS } from '../checks/negation.ts'
import { contentForms } from '../checks/word-forms.ts'
import type { DraftSentence } from '../notation/parse-draft.ts'

/** A part of an answer, and the white space before it. */
export interface Piece {
  readonly before: string
  readonly text: string
  /** A heading, or the head or rule of a table: it stays only above something that holds. */
  readonly isStructure: boolean
}

const MOST_WORDS = 10
/** Words that may stand in any heading. */
const GENERAL = new Set(
  contentForms(
    'answer summary overview background results result findings finding key points point main differences difference comparison compare conclusion details detail notes note sources source documents document papers paper passages passage reports report differ disagree agree following reasons reason steps step table row column value values evidence limits caveats support example examples list first second newest oldest latest earliest recent come order agree vary contradict conflict both two three four five',
  ),
)

// What makes a line a claim: a verb, a denial (`NEGATORS`), or the answer to a yes-or-no question.
const VERBS = wordSet(
  'is are was were am be been has have had does do did can could will would may might must shall should',
)
const VERDICTS = wordSet('yes true false correct incorrect right wrong confirmed refuted')

function hasOne(line: string, words: ReadonlySet<string>): boolean {
  return tokens(line).some(({ word }) => words.has(word))
}

/** With "don't" and its like, whose verb and denial are one word. */
function hasVerb(line: string): boolean {
  return hasOne(line, VERBS) || line.includes("n't") || line.includes('n’t')
}

/**
 * A heading, the head or rule of a table, "The two papers differ:". It is kept if it claims nothing (`claimsNothing`) and a
 * verified sentence follows.
 */
export function isStructure({ text, citations }: Pick<DraftSentence, 'text' | 'citations'>): boolean {
  const line = text.trim()
  if (citations.length > 0) return false
  if (isRule(line)) return true
  return !/\p{N}|[.!?]\**$/u.test(line) && (isHeading(line) || isTableRow(line))
}

/**
 * The structure lines that claim nothing. Their words must be general ones, or stand in `labels`, `question` or a verified
 * sentence below. Words that are denied there, and those of a yes-or-no question, do not count.
 */
export function claimsNothing(
  pieces: readonly Piece[],
  { question, labels }: { readonly question: string; readonly labels: string },
): ReadonlySet<Piece> {
  const held = new Set(contentForms(`${labels}\n${VERBS.has(tokens(question)[0]?.word ?? '') ? '' : question}`))
  const harmless = new Set<Piece>()
  for (const piece of [...pieces].reverse()) {
    if (!piece.isStructure) for (const form of contentForms(affirmed(piece.text))) held.add(form)
    else if (isRule(piece.text) || isLabel(piece.text, held)) harmless.add(piece)
  }
  return harmless
}

function isLabel(line: string, held: ReadonlySet<string>): boolean {
  const words = contentForms(line)
  if (hasOne(line, NEGATORS) || hasOne(line, VERDICTS) || words.length > MOST_WORDS) return false
  const isGeneral = words.every((word) => GENERAL.has(word))
  return isGeneral || (!hasVerb(line) && words.every((word) => held.has(word) || GENERAL.has(word)))
}

/** A sentence up to its denial. */
function affirmed(sentence: string): string {
  return sentence.slice(0, tokens(sentence).find(({ word }) => NEGATORS.has(word))?.start ?? sentence.length)
}

/** A table row above a rule names the columns of what follows. */
export function isTableHead(text: string, next: string | undefined): boolean {
  return isTableRow(text.trim()) && isRule(next?.trim() ?? '')
}

/** The heads of tables of which a row holds. A head denies nothing, and its figures stand in the `texts` of the evidence. */
export function tableHeads(pieces: readonly Piece[], texts: string): ReadonlySet<Piece> {
  const figures = new Set(texts.match(FIGURE))
  return new Set(
    pieces.filter((piece, index) => {
      if (!isTableHead(piece.text, pieces[index + 1]?.text) || hasOne(piece.text, NEGATORS)) return false
      const below = pieces[index + 2]
      const hasRow = below !== undefined && !below.isStructure && below.text.trim().startsWith('|')
      return hasRow && (piece.text.match(FIGURE) ?? []).every((figure) => figures.has(figure))
    }),
  )
}

const FIGURE = /\d+/g

/** `| a | b |` */
export function isTableRow(line: string): boolean {
  return line.length > 1 && line.startsWith('|') && line.endsWith('|')
}

function isRule(line: string): boolean {
  return /^[|\s:-]+$/.test(line) && line.includes('-')
}

/** Drops headings with nothing under them. */
export function withoutEmptyStructure(pieces: readonly Piece[]): readonly Piece[] {
  const kept: Piece[] = []
  // Whether a verified sentence follows at all, and before the next heading.
  let follows = false
  let followsHere = false
  for (const piece of [...pieces].reverse()) {
    const heading = piece.isStructure && isHeading(piece.text)
    if (!piece.isStructure || (heading ? followsHere : follows)) kept.push(piece)
    if (heading) followsHere = false
    if (!piece.isStructure) follows = followsHere = true
  }
  return kept.reverse()
}

function isHeading(text: string): boolean {
  return /^(#{1,6}\s|\*\*[^*]+\*\*:?$)|:\**$/.test(text.trim())
}
