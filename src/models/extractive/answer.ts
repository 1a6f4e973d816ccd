import type { AgentTask } from '../model.ts'
import type { Candidate, ExtractiveParts } from './parts.ts'
import { type Claim, phrase } from './phrase.ts'
import { questionParts } from './question-parts.ts'

type SynthesisTask = Extract<AgentTask, { agent: 'synthesis' }>

/** What every model writes when the passages do not hold an answer. */
const ABSTAIN = '<abstain/>'
/** A sentence that shares less with the question than this says something else. */
const LEAST_COVERAGE = 0.34
/** A further sentence is worth reading if it scores within so much of the first. */
const CLOSE = 0.1
const MOST_SENTENCES = 3

/**
 * Answers a question with sentences and table rows of the evidence, each followed by its quote; the best one first.
 * `<abstain/>` if nothing in the evidence comes close.
 */
export async function extractAnswer({ question, evidence }: SynthesisTask, parts: ExtractiveParts): Promise<string> {
  const usable = evidence.filter(({ text }) => !/<\/?(cite|abstain)\b/i.test(text))
  const questions = questionParts(question)
  const chosen: Candidate[] = []
  for (const part of questions) {
    const ranked = await parts.rank(part, usable)
    chosen.push(
      ...choose(ranked, questions.length > 1 ? 1 : MOST_SENTENCES).filter(
        (each) => !chosen.some((other) => isSame(each, other)),
      ),
    )
  }
  if (chosen.length === 0) return ABSTAIN
  const asked = new Set(parts.readQuestion(question).stems)
  return chosen.map((candidate) => write(phrase(candidate, asked, parts.contentStems), candidate.id)).join(' ')
}

function choose(ranked: readonly Candidate[], most: number): readonly Candidate[] {
  const first = ranked.find(({ coverageInContext }) => coverageInContext >= LEAST_COVERAGE)
  if (!first) return []
  const more = ranked.filter((each) => each !== first && first.score - each.score <= CLOSE && !isSame(each, first))
  return [first, ...more].slice(0, most)
}

function isSame(a: Candidate, b: Candidate): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
  return plain(a.text) === plain(b.text)
}

function write({ text, quotes }: Claim, id: string): string {
  return (
    text +
    quotes
      .filter((quote) => quote.trim())
      .map((quote) => `<cite id="${id}">${quote}</cite>`)
      .join('')
  )
}
