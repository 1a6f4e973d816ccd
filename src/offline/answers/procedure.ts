import type { EvidencePassage } from '../../events/index.ts'
import type { Candidate, ExtractiveParts } from '../parts/parts.ts'
import type { AnswerStrategy } from '../parts/strategy.ts'
import { writeClaim } from './write.ts'

/** One item of a list, with the sentences it is made of. */
interface Step {
  /** The passage's id. */
  readonly id: string
  /** As it stands in the passage, with its number. */
  readonly text: string
  readonly sentences: readonly string[]
}

const ASKS_FOR_STEPS =
  /\bhow (?:to|(?:do|can|could|should|must|would) (?:i|we|you|one|people))\b|\b(?:what|which)\b[^?]{0,30}\bsteps\b|\bsteps (?:to|for|of|in)\b|\bprocedure (?:to|for|of)\b|\binstructions (?:to|for|on)\b/i
/** Words of such a question or heading other than its subject. */
const PROCEDURAL = 'step steps procedure procedures instruction instructions process way how'
const ITEM = /^(?:[•◦▪‣·]|\(?\d{1,3}[.)])\s+\S/
const MOST_STEPS = 6
const FEWEST_STEPS = 2
/** The share of the question's words that the headings above a list must hold. */
const LEAST_HEADED = 0.5

/** Answers "How do I …?" or "What are the steps …?" with a list, each item on its own line. */
export const answerWithSteps: AnswerStrategy = async ({ question, evidence }, parts, ranked) => {
  const steps = findSteps(question, evidence, ranked, parts)
  return steps.length > 0 ? { text: steps.map(writeStep).join('\n'), basis: 'steps', remarks: [] } : null
}

/** Every sentence of an item is supported by the whole item. */
function writeStep({ id, text, sentences }: Step): string {
  return sentences.map((sentence) => writeClaim({ text: sentence, quotes: [text] }, id)).join(' ')
}

/**
 * The list that answers "How do I …?" or "What are the steps …?": the one whose headings match the question best, its
 * items in order. Empty if the question asks for something else, or no list stands under such a heading.
 */
function findSteps(
  question: string,
  evidence: readonly EvidencePassage[],
  ranked: readonly Candidate[],
  { readQuestion, contentStems }: Pick<ExtractiveParts, 'readQuestion' | 'contentStems'>,
): readonly Step[] {
  if (!ASKS_FOR_STEPS.test(question)) return []
  const procedural = contentStems(PROCEDURAL)
  const asked = [...new Set(readQuestion(question).stems)].filter((word) => !procedural.includes(word))
  const headed = (passage: EvidencePassage) => {
    const heading = contentStems(passage.section?.split(' > ').at(-1) ?? '')
    const isAbout = heading.some((word) => asked.includes(word) || procedural.includes(word))
    const held = contentStems(`${passage.title ?? ''} ${passage.section ?? ''}`)
    return isAbout ? asked.filter((word) => held.includes(word)).length / asked.length : 0
  }
  const lists = sectionsOf(evidence)
    .map((passages) => ({
      steps: passages.flatMap(stepsOf).sort((a, b) => numberOf(a.text) - numberOf(b.text)),
      headed: Math.max(...passages.map(headed)),
      score: Math.max(...passages.map(({ score }) => score)),
    }))
    .filter((list) => list.steps.length >= FEWEST_STEPS && list.headed >= LEAST_HEADED)
    .sort((a, b) => b.headed - a.headed || b.score - a.score)
  const best = lists[0]?.steps.slice(0, MOST_STEPS) ?? []
  return best.map((item) => ({ ...item, sentences: sentencesOf(item, ranked) }))
}

/** The passages of the evidence, those of one section together, in the order of their pages. */
function sectionsOf(evidence: readonly EvidencePassage[]): readonly (readonly EvidencePassage[])[] {
  const sections = new Map<string, EvidencePassage[]>()
  for (const passage of evidence.filter(({ kind }) => kind === 'text')) {
    const key = JSON.stringify([passage.documentId, passage.section])
    sections.set(key, [...(sections.get(key) ?? []), passage])
  }
  return [...sections.values()].map((passages) => passages.sort((a, b) => a.page - b.page))
}

function stepsOf({ id, text }: EvidencePassage): readonly Omit<Step, 'sentences'>[] {
  const lines = text.split('\n').filter((line) => ITEM.test(line))
  return lines.map((line) => ({ id, text: line.trim() }))
}

/** Items without a number keep their order, since sorting is stable. */
function numberOf(item: string): number {
  return Number(/^\(?(\d+)/.exec(item)?.[1] ?? 0)
}

function sentencesOf({ id, text }: Omit<Step, 'sentences'>, ranked: readonly Candidate[]): readonly string[] {
  const own = ranked.filter((each) => each.id === id && !each.row && text.includes(each.text))
  const inOrder = own.map((each) => each.text).sort((a, b) => text.indexOf(a) - text.indexOf(b))
  return inOrder.join(' ') === text ? inOrder : [text]
}
