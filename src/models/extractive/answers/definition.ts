import type { EvidencePassage } from '../../../events/index.ts'
import type { Candidate, ExtractiveParts } from '../parts.ts'
import { LONG } from './choose.ts'
import type { AnswerStrategy } from './strategy.ts'
import { writeAll, writeClaim } from './write.ts'

/** A longer subject is no term that a document would define. */
const MOST_WORDS = 4
const ASKS_FOR_TERM =
  /^\W*(?:(?:what|who) (?:is|are|was|were)|what['’]s|define|(?:what is )?the (?:meaning|definition) of|what does|what do)\s+(?:meant by\s+)?(?:an?\s+|the\s+)?(.+?)(?:\s+(?:mean|stand for|refer to|denote)s?)?(?:\s+(?:in|according to|for)\s+.+?)?\s*[?.!]*$/iu
const ASKS_FOR_LONG_FORM = /\bstands? for\b|\babbreviat|\bacronym\b|\blong form\b|\bspelled out\b/i

/**
 * Answers "What is X?" with the sentence that says what it is: the first one under a heading that names X, or one of
 * the form "X is a …", "X, a …" or "X consists of …"; and "What does X stand for?" with the words that X is short for.
 * Null if the evidence defines nothing of that name: then the best sentence about it has to do.
 */
export const answerWithDefinition: AnswerStrategy = async ({ question, evidence }, parts, ranked) => {
  const term = ASKS_FOR_TERM.exec(question)?.[1]
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

/** `Harbour Estates Ltd ("the Landlord")`: a contract says once whom or what its terms stand for. */
function givesName(text: string, term: string): boolean {
  const defined = `\\((?:hereinafter\\s+|hereafter\\s+)?(?:referred\\s+to\\s+as\\s+|called\\s+)?(?:the\\s+|an?\\s+)?`
  return new RegExp(`\\p{L}.*${defined}["“”„‘']\\s?(?:the\\s+)?${escaped(term)}["“”’']`, 'isu').test(text)
}

/** How surely a sentence defines the term, 0 if it does not. */
function gradeOf(
  { id, text, start }: Candidate,
  term: string,
  evidence: readonly EvidencePassage[],
  { contentStems }: Pick<ExtractiveParts, 'contentStems'>,
): number {
  const passage = evidence.find((each) => each.id === id)
  const heading = (passage?.section?.split(' > ').at(-1) ?? '').replace(/^[\d.]+\s+|\s*\([^()]*\)\s*$/g, '')
  const isNamed = (name: string) => contentStems(name).join(' ') === contentStems(term).join(' ')
  const names = `(?:an?\\s+|the\\s+|our\\s+)?["“‘']?${escaped(term)}s?["”’']?(?:\\s?\\([^()]{1,60}\\))?\\d{0,2}`
  const is = new RegExp(`^${names}\\s+(?:is|are|was|were)\\s+(?:an?|the|one|any|defined|what|when)\\b`, 'iu')
  const means = new RegExp(
    `^${names}\\s+(?:means?|refers? to|denotes?|describes?|consists? of|comprises?|is called)\\b`,
    'iu',
  )
  const aside = new RegExp(`(?:^|\\s)${names},?\\d{0,2}\\s(?:an?|the)\\s\\p{L}`, 'iu')
  const introduces = new RegExp(`\\b(?:introduce|present|propose|describe|release|call)s?\\s+${names},`, 'iu')
  if (start === 0 && passage?.kind === 'text' && isNamed(heading) && isSentence(text)) return 5
  if (is.test(text)) return /^the\b/i.test(text) ? 2 : 4
  if (introduces.test(text)) return 3
  if (means.test(text)) return 2
  return new RegExp(`${escaped(term)}s?,\\d{0,2}\\s(?:an?|the)\\s\\p{L}`, 'iu').test(text) && aside.test(text) ? 1 : 0
}

/** "Write-ahead log (WAL)": the words before an abbreviation in brackets that begin with its letters, in order. */
function longFormOf(term: string, evidence: readonly EvidencePassage[]): string | null {
  const letters = term.replace(/[^\p{L}]/gu, '')
  if (letters.length < 2) return null
  const bracketed = new RegExp(`((?:[\\p{L}\\p{N}]+[\\s-]){1,${2 * letters.length}})\\(${escaped(term)}\\)`, 'gu')
  for (const { id, text, section } of evidence) {
    for (const [, before = ''] of `${section?.split(' > ').at(-1) ?? ''}\n${text}`.matchAll(bracketed)) {
      const words = spelledBy(before.trim(), letters)
      const quote = words && `${words} (${term})`
      if (words) return writeClaim({ text: `${term} stands for **${words}**.`, quotes: [quote ?? words] }, id)
    }
  }
  return null
}

/** The shortest end of the text whose words, at their hyphens too, begin with these letters. */
function spelledBy(text: string, letters: string): string | null {
  const starts = Array.from(text.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu), ({ index }) => index).reverse()
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

function escaped(term: string): string {
  return term.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/\s+/g, '\\s+')
}
