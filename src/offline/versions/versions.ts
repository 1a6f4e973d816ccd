import type { EvidencePassage } from '../../events/index.ts'
import { extractAnswer } from '../answers/answer.ts'
import { withoutCaptions } from '../answers/captions.ts'
import { phrase } from '../answers/phrase.ts'
import {
  newestFirst,
  stateOf,
  type Version,
  versionOf,
  versionsIn,
  versionsOf,
  yearOf,
  yearsIn,
} from '../documents/families.ts'
import { cite } from '../documents/quoting.ts'
import { documentsAmong, namedBy } from '../documents/target.ts'
import { dateLineOf, nameOnPage, titlePassage } from '../documents/title-page.ts'
import { type Name, namesIn } from '../language/names.ts'
import { questionParts } from '../language/question-parts.ts'
import { measureOf } from '../language/version-words.ts'
import type { Candidate, ExtractiveParts } from '../parts/parts.ts'
import type { RuledAnswer, SynthesisTask } from '../parts/strategy.ts'

const ABSTAIN = '<abstain/>'
/** So many are set side by side. */
const MOST_VINTAGES = 4
/** Words that two sentences must share, figures aside, to state the same measure. */
const SAME_MEASURE = 0.6
/** A sentence that shares less with the question than this says something else. */
const LEAST_COVERAGE = 0.2
const NEWEST =
  /\b(?:latest|newest|current|currently|most recent|now|nowadays|today|in force|valid|up[- ]to[- ]date)\b/iu
const DRAFT = /\b(?:draft|preliminary|superseded|old)\b/iu
const FINAL = /\b(?:final|revised|signed|new)\b/iu

/**
 * Where vintages of one document (years of a report, versions of a policy) give different figures for what is asked:
 * sets them side by side, the newest first. Where the question names one of them, answers from that one alone. null
 * where there are none, or they agree.
 */
export async function answerFromVersions(task: SynthesisTask, parts: ExtractiveParts): Promise<RuledAnswer | null> {
  const { question, evidence } = task
  // Each part of a question has an answer of its own.
  if (questionParts(question).length > 1) return null
  // "The rent in 2022" is looked for in the report of that year, which need not repeat it next to the rent.
  const measure = withoutNames(measureOf(question), evidence, parts)
  const ranked = withoutCaptions(await parts.rank(measure, evidence), evidence)
  const [top] = ranked
  if (!top || top.coverageInContext < LEAST_COVERAGE) return null
  const vintages = await versionsFor(documentOf(top, evidence), task, parts)
  if (vintages.length < 2 || (await namesAnother(task, vintages, parts))) return null
  const meant = meantIn(question, vintages)
  if (meant.length === 0) return null
  if (meant.length === 1) return answerFromOne(task, meant, parts)
  const lines = statementsOf(meant, { top, ranked, evidence, parts })
  if (lines.length < 2 || allAgree(lines, parts)) return null
  return { text: sideBySide(lines, task, parts), basis: 'vintages', remarks: [] }
}

/** What a title already says ("Borealis Ferries") stands next to no figure, and would make the title its own answer. */
function withoutNames(
  question: string,
  evidence: readonly EvidencePassage[],
  { contentStems, sentences }: ExtractiveParts,
): string {
  const titles = evidence
    .filter(({ page }) => page === 1)
    .map(({ title, text }) => new Set(contentStems(title ?? sentences(text)[0] ?? '')))
  const inTitle = ({ text }: Name) => titles.some((title) => contentStems(text).every((word) => title.has(word)))
  const shorter = namesIn(question)
    .filter(inTitle)
    .reduce((text, name) => text.replace(name.text, ' '), question)
  return contentStems(shorter).length > 0 ? shorter : question
}

/** The question speaks of a document by name that is none of these. */
async function namesAnother(
  { question, documents }: SynthesisTask,
  vintages: readonly Version[],
  { documents: all, contentStems }: ExtractiveParts,
): Promise<boolean> {
  const among = await documentsAmong(documents, { documents: all })
  return namesIn(question)
    .map(({ text }) => namedBy(text, among, contentStems))
    .some(
      (named) =>
        named.length > 0 &&
        !named.some((each) => vintages.some(({ document }) => document.documentId === each.documentId)),
    )
}

async function versionsFor(
  documentId: string | undefined,
  { evidence, documents }: SynthesisTask,
  parts: ExtractiveParts,
): Promise<readonly Version[]> {
  const inEvidence = new Set(evidence.map((passage) => passage.documentId))
  const all = (await documentsAmong(documents, parts)).filter((each) => inEvidence.has(each.documentId))
  const document = all.find((each) => each.documentId === documentId)
  if (!document) return []
  const family = versionsOf(document, all, parts.contentStems)
  const known = await Promise.all(
    family.map(async (each) => ({ document: each, facts: await parts.facts(each.documentId) })),
  )
  // Documents of one name that nothing tells apart by age are no vintages.
  return newestFirst(known) ?? []
}

/** Of vintages, the newest first: those that the question names, the newest if it asks for that; all, if it names none. */
export function meantIn(question: string, vintages: readonly Version[]): readonly Version[] {
  const years = yearsIn(question)
  if (years.length > 0) {
    const [from, to] = [Math.min(...years), Math.max(...years)]
    return vintages.filter((vintage) => {
      const year = yearOf(vintage)
      return year !== null && year >= from && year <= to
    })
  }
  const versions = versionsIn(question)
  if (versions.length > 0) return vintages.filter((vintage) => versions.includes(versionOf(vintage) ?? Number.NaN))
  const states = [...(DRAFT.test(question) ? [0] : []), ...(FINAL.test(question) ? [1] : [])]
  const inState = vintages.filter((vintage) => states.includes(stateOf(vintage) ?? Number.NaN))
  if (inState.length > 0) return inState
  return NEWEST.test(question) ? vintages.slice(0, 1) : vintages
}

async function answerFromOne(
  task: SynthesisTask,
  [vintage]: readonly Version[],
  parts: ExtractiveParts,
): Promise<RuledAnswer | null> {
  const evidence = task.evidence.filter(({ documentId }) => documentId === vintage?.document.documentId)
  const { text } = await extractAnswer(
    { ...task, question: withoutNames(measureOf(task.question), evidence, parts), evidence },
    parts,
  )
  return text === ABSTAIN ? null : { text, basis: 'vintages', remarks: [] }
}

interface Statement {
  readonly vintage: Version
  readonly candidate: Candidate
}

interface Ranking {
  readonly top: Candidate
  readonly ranked: readonly Candidate[]
  readonly evidence: readonly EvidencePassage[]
  readonly parts: ExtractiveParts
}

/** What each vintage says of the measure that the best sentence states. */
function statementsOf(vintages: readonly Version[], ranking: Ranking): readonly Statement[] {
  const { top, ranked, evidence, parts } = ranking
  const measured = ranked.filter(
    (each) => parts.numbers(figuresOf(each)).length > 0 && each.coverage >= top.coverage - SLIGHTLY_LESS,
  )
  const model = measured.find(({ coverage }) => coverage >= top.coverage)
  if (!model) return []
  return vintages.slice(0, MOST_VINTAGES).flatMap((vintage) => {
    const own = measured.filter((each) => documentOf(each, evidence) === vintage.document.documentId)
    const alike = own.map((candidate) => ({ candidate, likeness: likenessOf(candidate, model, parts) }))
    const [best] = alike.sort((a, b) => b.likeness - a.likeness)
    return best && best.likeness >= SAME_MEASURE ? [{ vintage, candidate: best.candidate }] : []
  })
}

/** Wording changes from year to year: what is asked for may stand a little less fully in one of them. */
const SLIGHTLY_LESS = 0.25

/** How many words two statements share, leaving their figures aside; of rows, their labels and what they are rows of. */
function likenessOf(one: Candidate, other: Candidate, { contentStems }: ExtractiveParts): number {
  if ((one.row === null) !== (other.row === null)) return 0
  const wordsOf = ({ row, text }: Candidate) =>
    new Set(contentStems((row ? row.label : text).replace(NUMBER_WORDS, ' ')).filter((word) => !/\d/u.test(word)))
  const [a, b] = [wordsOf(one), wordsOf(other)]
  const all = new Set([...a, ...b])
  return all.size === 0 ? 0 : [...all].filter((word) => a.has(word) && b.has(word)).length / all.size
}

const NUMBER_WORDS =
  /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|january|february|march|april|may|june|july|august|september|october|november|december)\b/giu

function figuresOf({ row, text }: Candidate): string {
  return row ? row.values.map(({ value }) => value).join(' ') : text
}

function allAgree(statements: readonly Statement[], { numbers }: ExtractiveParts): boolean {
  const stated = statements.map(({ candidate }) => [...numbers(figuresOf(candidate))].sort((a, b) => a - b).join(' '))
  return new Set(stated).size === 1
}

function sideBySide(
  statements: readonly Statement[],
  { question, evidence }: SynthesisTask,
  parts: ExtractiveParts,
): string {
  const lines = statements.map(({ vintage, candidate }) => {
    const claim = phrase(candidate, question, parts)
    const cited = cite(candidate.id, claim.quotes)
    const page = vintage.facts && titlePassage(vintage.document.documentId, vintage.facts, evidence)
    const label = page ? labelOf(vintage, statements) : null
    const isOneSentence = parts.sentences(`- “${label}”: ${claim.text}`).length === 1
    return page && label !== null && isOneSentence
      ? `- “${label}”: ${claim.text}${cited}${cite(page.id, [label])}`
      : `- ${claim.text}${cited}`
  })
  return ['The documents differ; the newest comes first:', ...lines].join('\n')
}

/** What tells a vintage from the others, in words of its first page: its title, else the line with its date. */
function labelOf({ facts }: Version, statements: readonly Statement[]): string | null {
  const all = statements.flatMap(({ vintage }) => (vintage.facts ? [vintage.facts] : []))
  if (!facts) return null
  for (const read of [nameOnPage, dateLineOf]) {
    const label = read(facts)
    const isOwn = label !== null && all.filter((other) => read(other) === label).length === 1
    if (isOwn) return label.replace(/[.\s]{1,20}$/u, '')
  }
  return null
}

function documentOf({ id }: Candidate, evidence: readonly EvidencePassage[]): string | undefined {
  return evidence.find((passage) => passage.id === id)?.documentId
}
