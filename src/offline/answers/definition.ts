import type { EvidencePassage } from '../../events/index.ts'
import type { Candidate, ExtractiveParts } from '../parts/parts.ts'
import type { AnswerStrategy } from '../parts/strategy.ts'
import { LONG } from './choose.ts'
import { writeAll, writeClaim } from './write.ts'

/** A longer subject is no term that a document would define. */
const MOST_WORDS = 4
const ASKS_FOR_TERM =
  /^\W*(?:(?:what|who) (?:is|are|was|were)|what['’]s|define|(?:what is )?the (?:meaning|definition) of|what does|what do)\s+(?:meant by\s+)?(?:an?\s+|the\s+)?/iu
const BEHIND_TERM =
  /\s(?:mean|stand for|refer to|denote)s?(?=\s+(?:in|according to|for)\s|$)|\s(?:in|according to|for)\s/iu
const ASKS_FOR_LONG_FORM = /\bstands? for\b|\babbreviat|\bacronym\b|\blong form\b|\bspelled out\b/i

/**
 * Answers "What is X?" with the sentence that says what it is: the first one under a heading that names X, or one of
 * the form "X is a …", "X, a …" or "X consists of …"; and "What does X stand for?" with the words that X is short for.
 * Null if the evidence defines nothing of that name: then the best sentence about it has to do.
 */
export const answerWithDefinition: AnswerStrategy = async ({ question, evidence }, parts, ranked) => {
  const term = termOf(question)
  if (!term || term.split(/\s+/).length > MOST_WORDS || parts.contentStems(term).length === 0) return null
  const longForm = longFormOf(term, evidence)
  if (ASKS_FOR_LONG_FORM.test(question)) {
    return longForm === null ? null : { text: longForm, basis: 'definition', remarks: [] }
  }
  const defining = ranked
    .filter(({ row }) => !row)
    .map((candidate) => ({ candidate, grade: givesName(candidate.text, term) ? 6 : 0 }))
    .map(({ candidate, grade }) => ({
      candidate,
      grade: grade || candidate.text.length > LONG ? grade : gradeOf(candidate, term, evidence, parts),
    }))
    .filter(({ grade }) => grade > 0)
    .sort((a, b) => b.grade - a.grade || b.candidate.score - a.candidate.score)
  const best = defining[0]?.candidate
  return best ? writeAll([best], question, parts, 'definition') : null
}

/** "MRR" in "What does MRR stand for in the report?" */
function termOf(question: string): string | undefined {
  const opening = ASKS_FOR_TERM.exec(question)?.[0]
  const rest = opening === undefined ? undefined : question.slice(opening.length).replace(/[\s?.!]{1,20}$/, '')
  return rest?.split(BEHIND_TERM)[0]?.trim()
}

/** `Harbour Estates Ltd ("the Landlord")`: a contract says once whom or what its terms stand for. */
function givesName(text: string, term: string): boolean {
  return occurrences(text, term).some(({ before, after }) => {
    const bracket = IN_BRACKETS.exec(before)
    return bracket !== null && /\p{L}/u.test(before.slice(0, bracket.index)) && /^["“”’']/.test(after)
  })
}

const IN_BRACKETS = /\((?:hereinafter |hereafter )?(?:referred to as |called )?(?:the |an? )?["“”„‘'] ?(?:the )?$/

/** What stands around each place of a term, without capitals and with single spaces. */
function occurrences(text: string, term: string): readonly { readonly before: string; readonly after: string }[] {
  const plain = (said: string) => said.toLowerCase().replace(/\s+/g, ' ')
  const parts = plain(text).split(plain(term))
  return parts.slice(1).map((after, i) => ({ before: parts[i] ?? '', after }))
}

/** How surely a sentence defines the term, 0 if it does not. */
function gradeOf(
  { id, text, start }: Candidate,
  term: string,
  evidence: readonly EvidencePassage[],
  { contentStems }: Pick<ExtractiveParts, 'contentStems'>,
): number {
  const passage = evidence.find((each) => each.id === id)
  const heading = (passage?.section?.split(' > ').at(-1) ?? '').replace(/^[\d.]+\s|\([^()]*\)\s*$/g, '')
  const isNamed = (name: string) => contentStems(name).join(' ') === contentStems(term).join(' ')
  if (start === 0 && passage?.kind === 'text' && isNamed(heading) && isSentence(text)) return 5
  const named = occurrences(text, term)
  const [first] = named
  const subject = first && ARTICLE.test(first.before) ? first.after.replace(END_OF_NAME, '') : ''
  if (IS.test(subject)) return /^the\b/i.test(text) ? 2 : 4
  if (named.some(({ before, after }) => INTRODUCES.test(before) && after.replace(END_OF_NAME, '').startsWith(',')))
    return 3
  if (MEANS.test(subject)) return 2
  return named.some(({ before, after }) => /(?:^|[\s"“‘'])$/.test(before) && ASIDE.test(after)) ? 1 : 0
}

const ARTICLE = /^(?:(?:an?|the|our) )?["“‘']?$/
/** "s”, (WAL)2": what may belong to a name behind it. */
const END_OF_NAME = /^s?["”’']?(?: ?\([^()]{1,60}\))?\d{0,2}/
const IS = /^ (?:is|are|was|were) (?:an?|the|one|any|defined|what|when)\b/
const MEANS = /^ (?:means?|refers? to|denotes?|describes?|consists? of|comprises?|is called)\b/
const INTRODUCES = /\b(?:introduce|present|propose|describe|release|call)s? (?:(?:an?|the|our) )?["“‘']?$/
const ASIDE = /^s?,\d{0,2} (?:an?|the) \p{L}/u

/** "Write-ahead log (WAL)": the words before an abbreviation in brackets that begin with its letters, in order. */
function longFormOf(term: string, evidence: readonly EvidencePassage[]): string | null {
  const letters = term.replace(/[^\p{L}]/gu, '')
  if (letters.length < 2) return null
  for (const { id, text, section } of evidence) {
    const parts = `${section?.split(' > ').at(-1) ?? ''}\n${text}`.split(`(${term})`)
    for (const before of parts.slice(0, -1)) {
      const words = spelledBy(before.slice(-LONGEST_NAME), letters)
      const quote = words && `${words} (${term})`
      if (words) return writeClaim({ text: `${term} stands for **${words}**.`, quotes: [quote ?? words] }, id)
    }
  }
  return null
}

/** More characters are no name. */
const LONGEST_NAME = 200

/** The shortest end of the text whose words, at their hyphens too, begin with these letters. */
function spelledBy(before: string, letters: string): string | null {
  const text = (before.split(/[^\p{L}\p{N}\s-]/u).at(-1) ?? '').trim()
  const starts = Array.from(text.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu), ({ index }) => index)
    .reverse()
    .slice(0, 2 * letters.length)
  for (const start of starts) {
    const words = text.slice(start)
    const initials = words.split(/[\s-]+/).map((word) => word.charAt(0))
    const main = words.split(/[\s-]+/).filter((word) => !/^(?:of|the|and|for|in|on|to|a)$/i.test(word))
    const spelled = [initials.join(''), main.map((word) => word.charAt(0)).join('')]
    if (spelled.some((each) => each.toLowerCase() === letters.toLowerCase())) return words
  }
  return null
}

/** Not a caption or heading that a reader took for text. */
function isSentence(text: string): boolean {
  return /[.!?]$/.test(text) && text.split(/\s+/).length > 4 && !/^(?:figure|fig\.|table)\s\d/i.test(text)
}
