import type { EvidencePassage } from '../../events/index.ts'
import { withoutCaptions } from '../answers/captions.ts'
import { phrase } from '../answers/phrase.ts'
import { answerAbout } from '../documents/about.ts'
import { cite } from '../documents/quoting.ts'
import { documentsAmong, namedBy, nameOne } from '../documents/target.ts'
import { titleOnPage, titlePassage } from '../documents/title-page.ts'
import type { Candidate, ExtractiveParts, KnownDocument } from '../parts/parts.ts'
import type { RuledAnswer, SynthesisTask } from '../parts/strategy.ts'
import { type ComparisonQuestion, readComparison } from './comparison-question.ts'
import { figuresIn } from './figures.ts'

/** The share of what two things are compared by that a sentence must hold, itself or by its headings. */
const LEAST_OF_MEASURE = 0.5

/** One of the two things compared, and what the documents say of it. */
interface Side {
  readonly name: string
  readonly document: KnownDocument | null
  readonly candidate: Candidate
}

/**
 * Sets two things side by side with one quote each; where both quotes give one figure in the same unit, says first which
 * is the higher. null if the question compares nothing, or nothing is said of one of the two.
 */
export async function answerComparison(task: SynthesisTask, parts: ExtractiveParts): Promise<RuledAnswer | null> {
  const documents = await documentsAmong(task.documents, parts)
  const compared = readComparison(task.question, nameOne(documents, parts.contentStems))
  if (!compared) return null
  if (parts.contentStems(compared.measure).length === 0) return tellOfBoth(compared, task, parts)
  const [first, second] = await Promise.all(compared.sides.map((name) => findSide(name, compared, task, parts)))
  if (!first || !second) return answerForOne([first, second], compared, task, parts)
  if (isSamePlace(first, second)) return null
  const lines = await Promise.all([first, second].map((side) => writeSide(side, task, parts)))
  const conclusion = concludes([first, second], parts)
  return { text: [...(conclusion ? [conclusion] : []), ...lines].join('\n'), basis: 'comparison', remarks: [] }
}

/** What is said of the one, and that nothing is said of the other. */
async function answerForOne(
  found: readonly (Side | null | undefined)[],
  { sides, measure }: ComparisonQuestion,
  task: SynthesisTask,
  parts: ExtractiveParts,
): Promise<RuledAnswer | null> {
  const side = found.find((each) => each)
  const other = sides.find((_, i) => !found[i])
  const isDocument =
    other !== undefined && namedBy(other, await documentsAmong(task.documents, parts), parts.contentStems).length === 1
  if (!side?.document || !isDocument) return null
  const remark = `Nothing about “${measure}” was found for ${other}.`
  return { text: await writeSide(side, task, parts), basis: 'comparison', remarks: [remark] }
}

/** Compared by nothing in particular: what each of the two documents is about. */
async function tellOfBoth(
  { sides }: ComparisonQuestion,
  { evidence, documents }: SynthesisTask,
  parts: ExtractiveParts,
): Promise<RuledAnswer | null> {
  const among = await documentsAmong(documents, parts)
  const named = sides.map((side) => namedBy(side, among, parts.contentStems))
  const both = named.flatMap((found) => (found.length === 1 ? found : []))
  return both.length === 2 ? answerAbout('topic', both, evidence, parts) : null
}

function isSamePlace(one: Side, other: Side): boolean {
  return one.candidate.id === other.candidate.id && one.candidate.text === other.candidate.text
}

/** The best sentence or row on the measure in the document of that name, else among those that speak of the thing. */
async function findSide(
  name: string,
  { measure }: ComparisonQuestion,
  { evidence, documents }: SynthesisTask,
  parts: ExtractiveParts,
): Promise<Side | null> {
  const named = namedBy(name, await documentsAmong(documents, parts), parts.contentStems)
  const document = named.length === 1 ? (named[0] ?? null) : null
  const own = document ? evidence.filter(({ documentId }) => documentId === document.documentId) : evidence
  const ranked = withoutCaptions(await parts.rank(document ? measure : `${measure} ${name}`, own), own)
  const [wanted, thing] = [parts.contentStems(measure), parts.contentStems(name)]
  const candidate = ranked.find((each) => {
    const passage = own.find(({ id }) => id === each.id)
    const said = new Set(
      parts.contentStems(`${each.row?.table.caption ?? ''} ${each.row?.table.headerText ?? ''} ${each.text}`),
    )
    const isOnMeasure = wanted.filter((word) => said.has(word)).length >= LEAST_OF_MEASURE * wanted.length
    const around = new Set(parts.contentStems(`${passage?.title ?? ''} ${passage?.section ?? ''} ${each.text}`))
    return isOnMeasure && (document !== null || thing.every((word) => around.has(word)))
  })
  return candidate ? { name, document, candidate } : null
}

async function writeSide(
  { name, document, candidate }: Side,
  { question, evidence }: SynthesisTask,
  parts: ExtractiveParts,
): Promise<string> {
  const claim = phrase(candidate, question, parts)
  const cited = cite(candidate.id, claim.quotes)
  const label = await labelOf(name, document, evidence, parts)
  const isOneSentence = label !== null && parts.sentences(`- ${label.text}: ${claim.text}`).length === 1
  return isOneSentence ? `- ${label.text}: ${claim.text}${cited}${label.cited}` : `- ${claim.text}${cited}`
}

/** The name as the question has it; one with a number is said in the words of the title page, which states it. */
async function labelOf(
  name: string,
  document: KnownDocument | null,
  evidence: readonly EvidencePassage[],
  parts: ExtractiveParts,
): Promise<{ readonly text: string; readonly cited: string } | null> {
  if (parts.numbers(name).length === 0) return { text: name.charAt(0).toUpperCase() + name.slice(1), cited: '' }
  const facts = document && (await parts.facts(document.documentId))
  const page = facts && titlePassage(document.documentId, facts, evidence)
  const title = facts && titleOnPage(facts)
  return page && title ? { text: `“${title}”`, cited: cite(page.id, [title]) } : null
}

/** "9 % lower" and "fell by 15 %" say how much something changed, not how much there is. */
const CHANGE =
  /\b(?:lower|higher|less|fewer|more|faster|slower|larger|smaller|better|worse|than|fell|rose|dropped|declined|grew|decreas\w+|increas\w+|reduc\w+|improv\w+)\b/iu
const REACHED = /\b(?:fell|rose|dropped|declined|grew|decreased|increased|reduced|improved) to\b/giu

/** "Heron has the higher figure: 19 ms against 12 ms."; null where the figures cannot be compared for certain. */
function concludes(sides: readonly [Side, Side], parts: ExtractiveParts): string | null {
  const [one, other] = sides.map(({ candidate }) => figuresIn(textOf(candidate), parts.numbers))
  if (!one || !other || sides.some(({ name }) => parts.numbers(name).length > 0)) return null
  if (sides.some(({ candidate }) => CHANGE.test(candidate.text.replace(REACHED, ' ')))) return null
  const units = [...new Set(one.map(({ unit }) => unit))].filter((unit) => other.some((figure) => figure.unit === unit))
  const [unit] = units
  const [a, ...more] = one.filter((figure) => figure.unit === unit)
  const [b, ...others] = other.filter((figure) => figure.unit === unit)
  if (units.length !== 1 || !a || !b || more.length + others.length > 0) return null
  const cited = sides.map(({ candidate }) => cite(candidate.id, [candidate.text])).join('')
  if (a.value === b.value) return `Both give the same figure, ${a.written}.${cited}`
  const [higher, most, least] = a.value > b.value ? [sides[0], a, b] : [sides[1], b, a]
  return `The higher figure is that of ${higher.name}: ${most.written} against ${least.written}.${cited}`
}

function textOf({ row, text }: Candidate): string {
  return row ? row.values.map(({ value }) => value).join(' | ') : text
}
