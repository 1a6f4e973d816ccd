import type { Candidate, ExtractiveParts } from '../parts/parts.ts'
import { phraseRow } from './phrase-row.ts'

/** A sentence of the answer and the words of its passage that support it. */
export interface Claim {
  readonly text: string
  readonly quotes: readonly string[]
}

/**
 * Says a sentence or row so that it reads as an answer. Words and figures stay those of the passage.
 */
export function phrase(
  candidate: Candidate,
  question: string,
  parts: Pick<ExtractiveParts, 'readQuestion' | 'contentStems' | 'answerSpan'>,
): Claim {
  if (candidate.row) return phraseRow(candidate.text, candidate.row, parts.readQuestion(question), parts.contentStems)
  const short = shortened(withoutLead(candidate.text), question, parts)
  return { text: closed(capitalised(short)), quotes: [candidate.text] }
}

const LIST_MARK = /^(?:[•◦▪‣·*–—-]\s+|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+)/
const CONNECTIVE =
  /^(?:however|moreover|furthermore|in addition|additionally|thus|therefore|hence|finally|also|besides|nevertheless|nonetheless|consequently|as a result|in contrast|on the other hand|for example|for instance|in particular|specifically|indeed|in fact|likewise|similarly|meanwhile|overall|interestingly|notably|importantly|first|second|third|firstly|secondly|lastly|then),\s+/i

function withoutLead(sentence: string): string {
  const bare = sentence.replace(LIST_MARK, '').replace(CONNECTIVE, '')
  return bare.length > 0 ? bare : sentence
}

/** A longer sentence, in characters, hides the answer that stands in it. */
const LONG = 320
const LEAST_CLAUSE = 40
/** The share of the question's words in the whole sentence that a part must keep to stand for it. */
const KEPT = 0.99

/** Of a long sentence, the part between semicolons, bullets or brackets that says all of it that is asked for. */
function shortened(
  sentence: string,
  question: string,
  { readQuestion, contentStems, answerSpan }: Pick<ExtractiveParts, 'readQuestion' | 'contentStems' | 'answerSpan'>,
): string {
  if (sentence.length <= LONG) return sentence
  const { stems } = readQuestion(question)
  const held = (text: string) => {
    const said = contentStems(text)
    return stems.filter((stem) => said.includes(stem)).length
  }
  const span = answerSpan(question, sentence)
  const answer = span && sentence.slice(span.start, span.end)
  const parts = sentence
    .split(/;\s|\s[•◦▪]\s|\s—\s/u)
    .map((part) => part.trim())
    .filter((part) => part.length >= LEAST_CLAUSE && part.length <= LONG)
    .filter((part) => held(part) >= KEPT * held(sentence) && (answer === null || part.includes(answer)))
  return parts[0] ?? sentence
}

function capitalised(sentence: string): string {
  // A name such as "eBay" or "mRNA" keeps its small letter.
  return /^\p{Ll}(?!\p{Lu})/u.test(sentence) ? sentence.charAt(0).toUpperCase() + sentence.slice(1) : sentence
}

function closed(sentence: string): string {
  return /[.!?…]["”’)\]]*$/.test(sentence) ? sentence : `${sentence.replace(/[\s,;:–—-]{1,20}$/, '')}.`
}

/** The time, figure or name that the question asks for set in bold, where it is plain which one that is. */
export function highlighted(
  text: string,
  question: string,
  { answerSpan }: Pick<ExtractiveParts, 'answerSpan'>,
): string {
  const span = answerSpan(question, text)
  // Where the text has asterisks of its own, more of them would not read as bold.
  if (!span || text.includes('*')) return text
  return `${text.slice(0, span.start)}**${text.slice(span.start, span.end)}**${text.slice(span.end)}`
}
