import { fencedText } from '../../fenced.ts'
import { endWithout, oneLine, withoutEmphasis } from '../../library/index.ts'
import { harmlessLine } from '../draft/clean-draft.ts'

/** A sentence of an answer, for a reader. */
export interface Claim {
  readonly text: string
  /** The head of the table that it is a row of; null for none. */
  readonly under: string | null
  /** `own`: in the page's own words, and shown for the sake of the others; `heading`: it introduces what follows. */
  readonly kind: 'sentence' | 'own' | 'heading'
  /** Formulas that were computed again, with their results. */
  readonly formulas: readonly string[]
  /** What a program knows of its figures. */
  readonly notes: readonly string[]
}

/** The sentences of an answer for a prompt, numbered from 1, each with notes in parentheses below it. */
export function formatClaims(claims: readonly Claim[]): string {
  return claims.map((claim, index) => `${index + 1}. ${formatClaim(claim)}`).join('\n')
}

/** One sentence without its number: the same text for the same claim. */
export function formatClaim({ text, under, kind, formulas, notes }: Claim): string {
  const remarks = [
    ...(kind === 'own' ? ['these are the words of a page: the verdict is yes'] : []),
    ...(kind === 'heading' ? ['a heading or introduction'] : []),
    ...(under === null ? [] : [`a row of a table with this head: ${lineOf(under)}`]),
    ...formulas.map((formula) => `computed again without an error: ${formula}`),
    ...notes,
  ]
  return [lineOf(text), ...remarks.map((each) => `   (${fencedText(oneLine(each))})`)].join('\n')
}

function lineOf(text: string): string {
  return fencedText(oneLine(withoutEmphasis(text)))
}

/** What a reader says of one sentence. */
export type Verdict =
  | {
      readonly holds: true
      /** The passages that bear it out: `P2`. */
      readonly passages: readonly string[]
      /** No passage has to: it says what they do not say. */
      readonly isAbsence: boolean
    }
  | {
      readonly holds: false
      readonly isContradicted: boolean
      readonly passages: readonly string[]
      /** In the reader's own words, which may be none. */
      readonly why: string
      /** The sentence as the passages bear it out, as the reader wrote it; null if the reader gives none. */
      readonly correction: string | null
    }

/** A reader's reply. */
export interface Judgement {
  /** By the number of the sentence, from 1. */
  readonly verdicts: ReadonlyMap<number, Verdict>
  /** The sentences that answer the question by themselves; null if the reader does not say. */
  readonly answering: ReadonlySet<number> | null
}

const ON_NUMBER = String.raw`(?:(?:claim|sentence)[^\p{L}\p{N}]{0,9})?(?<![\p{L}\p{N}])(\d{1,3})[^\p{L}\p{N}]{0,12}(?:(?:verdict|answer)[^\p{L}\p{N}]{0,9})?(?:(yes|true|supported)|(contradicted|false)|(?:no|not[\s_-]{1,3}(?:shown|supported)|unsupported))(?![\p{L}\p{N}])`
/** The verdict on the sentence of a number, at the beginning of a line. */
const FIRST = new RegExp(String.raw`^[^\p{L}\p{N}]{0,12}${ON_NUMBER}`, 'iu')
const ANYWHERE = new RegExp(ON_NUMBER, 'giu')
/** What parts the verdicts of a line that has nothing else; a reason stands behind ":" or in quotes. */
const BETWEEN = /^(?:[\s,;.|*)&+_-]|P\d{1,3}|none)*$/iu
const ONLY = /^[^\p{L}\p{N}]*(?:(yes)|(contradicted)|no|not\s+shown)(?![\p{L}\p{N}])/iu
const ANSWERING = /^[^\p{L}\p{N}\n]{0,9}answers?[^\p{L}\p{N}\n]{0,9}:([^\n]*)$/imu

/**
 * The verdicts in a reply about `count` sentences, in whatever list, table or JSON. A sentence without a verdict, or with two
 * that differ, is not among them.
 */
export function judgementIn(reply: string, count: number): Judgement {
  const last = ANSWERING.exec(reply)
  const text = last ? reply.slice(0, last.index) : reply
  return { verdicts: verdictsIn(text, count), answering: last ? numbersIn(last[1] ?? '') : null }
}

function verdictsIn(reply: string, count: number): ReadonlyMap<number, Verdict> {
  const found = allFoundIn(reply)
  const only = found.length === 0 && count === 1 ? ONLY.exec(reply) : null
  if (only) return new Map([[1, verdictOf(only[1], only[2], reply.slice(only[0].length))]])
  const verdicts = new Map<number, Verdict | null>()
  for (const { number, yes, contradicted, rest, isTakenBack } of found) {
    const verdict = verdictOf(yes, contradicted, rest)
    const known = verdicts.get(number)
    const agrees = !isTakenBack && (known === undefined || known?.holds === verdict.holds)
    verdicts.set(number, agrees ? (known ?? verdict) : null)
  }
  const told = [...verdicts].filter(([number]) => number >= 1 && number <= count)
  return new Map(told.flatMap(([number, verdict]) => (verdict ? [[number, verdict]] : [])))
}

/** The verdicts of a reply; a line without one goes on with what stands before it. */
function allFoundIn(reply: string): readonly Found[] {
  const found: Found[] = []
  for (const line of reply.split('\n').flatMap((each) => linesOfJson(each) ?? [each])) {
    const told = foundIn(line)
    const last = found.at(-1)
    if (told.length > 0) found.push(...told)
    else if (last) last.rest += `\n${line}`
  }
  return found
}

interface Found {
  readonly number: number
  readonly yes: string | undefined
  readonly contradicted: string | undefined
  /** What stands behind it. */
  rest: string
  /** A yes, and behind it in the same line a no on the same sentence. */
  readonly isTakenBack: boolean
}

/** The verdict at the beginning of a line, or all of a line that consists of nothing else: a reason may quote others. */
function foundIn(line: string): readonly Found[] {
  const first = FIRST.exec(line)
  if (!first) return []
  const all = [...line.matchAll(ANYWHERE)]
  const rests = all.map(({ 0: { length }, index }, at) => line.slice(index + length, all[at + 1]?.index))
  if (all.length > 1 && rests.every((rest) => BETWEEN.test(rest))) {
    return all.map((match, at) => ({ ...saidBy(match), rest: rests[at] ?? '', isTakenBack: false }))
  }
  const said = saidBy(first)
  const others = all.slice(1).map(saidBy)
  const isTakenBack = said.yes !== undefined && others.some(({ number, yes }) => number === said.number && !yes)
  return [{ ...said, rest: line.slice(first[0].length), isTakenBack }]
}

function saidBy([, number, yes, contradicted]: RegExpExecArray) {
  return { number: Number(number), yes, contradicted }
}

/** A line of JSON as a line for each sentence, so that no string of it is taken for a verdict; null for any other. */
function linesOfJson(line: string): readonly string[] | null {
  const text = line.trim().replace(/,$/, '')
  if (!/^[[{"]/.test(text)) return null
  try {
    return linesOf(JSON.parse(text.startsWith('"') ? `{${text}}` : text))
  } catch {
    return null
  }
}

function linesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(linesOf)
  if (typeof value !== 'object' || value === null) return []
  const entries = Object.entries(value)
  if (entries.some(([, each]) => typeof each === 'number')) return [wordsOf(Object.values(value))]
  return entries.flatMap(([key, each]) => (/\d/.test(key) ? [`${key} ${wordsOf(each)}`] : linesOf(each)))
}

function wordsOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Object.values(value).map(wordsOf).join(' ')
  return oneLine(String(value))
}

function numbersIn(text: string): ReadonlySet<number> {
  return new Set(Array.from(text.matchAll(/\d{1,3}/g), ([number]) => Number(number)))
}

/** Characters of a reason and of a correction. */
const LONGEST = 200
const longestCorrection = 1000
const PASSAGES = /^[^\p{L}\p{N}\n]{0,9}(?:(?:by|in|from)\s+)?((?:P\d{1,3}(?:[\s,;&+]|and){0,9})+)/iu
const CORRECTION = /(?:=>|⇒|→|-->)\s*([^\n]+)/u

function verdictOf(yes: string | undefined, contradicted: string | undefined, rest: string): Verdict {
  const line = rest.split('\n').find((each) => /[\p{L}\p{N}]/u.test(each)) ?? ''
  const named = PASSAGES.exec(line)
  const passages = [...new Set(Array.from((named?.[1] ?? '').matchAll(/\d{1,3}/g), ([number]) => `P${number}`))]
  if (yes) return { holds: true, passages, isAbsence: /^[^\p{L}\p{N}\n]{0,9}none\b/iu.test(line) }
  const correction = CORRECTION.exec(line)
  const words = line.slice(named?.[0].length ?? 0, correction?.index)
  return {
    holds: false,
    isContradicted: contradicted !== undefined,
    passages,
    why: reasonIn(words),
    correction: correction ? correctionIn(correction[1] ?? '') : null,
  }
}

function reasonIn(words: string): string {
  const plain = words.slice(0, 3 * LONGEST).replace(/^[^\p{L}\p{N}“]*(?:(?:reason|because|why)[^\p{L}\p{N}“]+)?/iu, '')
  const why = harmlessLine(plain).slice(0, LONGEST)
  return why.slice(0, endWithout(why, isAround))
}

/** What closes a quote, a string, a cell or a list. */
const closes = (character: string): boolean => `"”}|]`.includes(character)

/** A stop, or what closes a string or a cell. */
const isAround = (character: string): boolean => ` .,;|}]"'`.includes(character)

function correctionIn(words: string): string | null {
  if (words.length > longestCorrection) return null
  const line = oneLine(words).replace(/^["“]/u, '')
  const sentence = line.slice(0, endWithout(line, closes)).trim()
  return /\p{L}/u.test(sentence) ? sentence : null
}
