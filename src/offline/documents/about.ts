import type { EvidencePassage } from '../../events/index.ts'
import type { DocumentFacts, ExtractiveParts, KnownDocument } from '../parts/parts.ts'
import type { RuledAnswer } from '../parts/strategy.ts'
import type { DocumentAspect } from './document-question.ts'
import { countOf, MOST_LISTED } from './inventory.ts'
import { cite, OF_ABSTRACT } from './quoting.ts'
import { nameOnPage, titlePassage } from './title-page.ts'

/** Questions that a document's own summary answers. */
export type AboutAspect = Extract<DocumentAspect, 'topic' | 'proposal' | 'findings'>

const MOST_SENTENCES = 3
const MOST_CHARACTERS = 520
/** A longer sentence is no summary, a shorter one says nothing. */
const LONGEST = 380
const FEWEST_WORDS = 6
type Parts = Pick<ExtractiveParts, 'facts' | 'sentences' | 'partOf' | 'contentStems'>

/**
 * Says what documents are about, propose or find, in sentences of their abstracts, introductions or conclusions: up to
 * three of one document, one of each of several. null if none of them says so in a sentence.
 */
export async function answerAbout(
  aspect: AboutAspect,
  documents: readonly KnownDocument[],
  evidence: readonly EvidencePassage[],
  parts: Parts,
): Promise<RuledAnswer | null> {
  const [only] = documents
  if (only && documents.length === 1) {
    const quoted = tell(aspect, await readableOf(only, evidence, parts), parts)
    if (quoted.length === 0) return null
    return {
      text: quoted.map(({ text, id }) => text + cite(id, [text])).join(' '),
      confidence: OF_ABSTRACT,
      remarks: [],
    }
  }
  const lines: string[] = []
  for (const document of documents.slice(0, MOST_LISTED)) {
    const line = lineFor(document, await readableOf(document, evidence, parts), aspect, parts)
    if (line !== null) lines.push(line)
  }
  const remarks = documents.length > lines.length ? [countOf(documents.length, lines.length)] : []
  return lines.length > 0 ? { text: lines.join('\n'), confidence: OF_ABSTRACT, remarks } : null
}

/** What there is to read of one document. */
interface Readable {
  readonly facts: DocumentFacts | null
  /** In reading order. */
  readonly passages: readonly EvidencePassage[]
}

async function readableOf(
  { documentId }: KnownDocument,
  evidence: readonly EvidencePassage[],
  parts: Parts,
): Promise<Readable> {
  const facts = await parts.facts(documentId)
  const placeOf = ({ page, text }: EvidencePassage) => (page === 1 ? (facts?.firstPage.indexOf(text) ?? 0) : 0)
  const passages = evidence
    .filter((passage) => passage.documentId === documentId && passage.kind === 'text')
    .sort((a, b) => a.page - b.page || placeOf(a) - placeOf(b))
  return { facts, passages }
}

interface Telling {
  readonly id: string
  readonly text: string
  readonly score: number
  /** It has the sign of what is asked for. */
  readonly tells: boolean
  /** Its place in the order of reading. */
  readonly at: number
}

/** The sentence that tells most, and those behind it that fit, in the order in which they stand. */
function tell(aspect: AboutAspect, readable: Readable, parts: Parts): readonly Telling[] {
  const all = sentencesFor(aspect, readable, parts)
  const [best] = byScore(all)
  if (!best) return []
  const chosen = [best]
  for (const each of byScore(all)) {
    const length = chosen.reduce((sum, { text }) => sum + text.length, each.text.length)
    const fits = chosen.length < MOST_SENTENCES && length <= MOST_CHARACTERS
    // What stands before the sentence that says what it is about leads up to it, and would delay the answer.
    const goesWith = aspect === 'topic' ? each.at > best.at && each.at <= best.at + MOST_SENTENCES : each.tells
    if (each !== best && fits && goesWith) chosen.push(each)
  }
  return chosen.sort((a, b) => a.at - b.at)
}

function byScore(all: readonly Telling[]): readonly Telling[] {
  return [...all].sort((a, b) => b.score - a.score || a.at - b.at)
}

function lineFor(document: KnownDocument, readable: Readable, aspect: AboutAspect, parts: Parts): string | null {
  const [first] = byScore(sentencesFor(aspect, readable, parts))
  const { facts, passages } = readable
  const title = facts && nameOnPage(facts)
  const page = facts && titlePassage(document.documentId, facts, passages)
  const name = title && page ? { text: `“${title}”`, cited: cite(page.id, [title]) } : null
  if (!first) return name && `- ${name.text}${name.cited}`
  const cited = cite(first.id, [first.text])
  const isOneSentence = name !== null && parts.sentences(`- ${name.text}: so.`).length === 1
  return isOneSentence ? `- ${name.text}: ${first.text}${cited}${name.cited}` : `- ${first.text}${cited}`
}

const WHO =
  '(?:we|this (?:\\p{L}+ )?(?:paper|article|report|study|work|document|policy|guide|manual|handbook|agreement|contract|plan)|the (?:authors?|purpose|aim|goal|results?|findings?)|results?|experiments?)'
const saying = (verbs: string) => new RegExp(`\\b${WHO}\\b[^.;]{0,80}?\\b(?:${verbs})`, 'iu')

const TELLS_OF: Readonly<Record<AboutAspect, RegExp>> = {
  topic: saying(
    'present|propos|introduc|describ|develop|stud|investigat|examin|report|analy[sz]|explor|review|set|explain|cover|defin|outlin|summari[sz]|aim|is|are|was',
  ),
  proposal: saying('present|propos|introduc|develop|contribut|releas|suggest|recommend|describ|buil[dt]|creat|design'),
  findings: saying(
    'find|found|show|conclud|demonstrat|observ|identif|reveal|suggest|indicat|confirm|achiev|outperform',
  ),
}

/** "It", "These": says something of the sentence before. */
const LEANING =
  /^(?:we also|it|its|they|their|these|those|such|he|she|however|but|and|also|therefore|thus|moreover|furthermore|in addition|for example)\b/iu
/** What a sentence scores that has the sign of what is asked for. */
const TELLS = 2
const NAMES_SUBJECT = 1.5
const IN_PART = 1
const LEANS = -2
/** Words of a sentence among which its subject stands. */
const FIRST_WORDS = 4

function sentencesFor(aspect: AboutAspect, readable: Readable, parts: Parts): readonly Telling[] {
  const subject = subjectOf(readable, parts)
  const part = aspect === 'findings' ? 'closing' : 'summary'
  return relevant(aspect, readable.passages, parts)
    .flatMap((passage) => parts.sentences(passage.text).map((text) => ({ text, passage })))
    .flatMap(({ text, passage }, at) => {
      if (!isWhole(text)) return []
      const tells = TELLS_OF[aspect].test(text)
      const signs: readonly (readonly [boolean, number])[] = [
        [tells, TELLS],
        [aspect === 'topic' && beginsWith(text, subject, parts), NAMES_SUBJECT],
        [parts.partOf(passage.section) === part, IN_PART],
        [LEANING.test(text), LEANS],
      ]
      const score = signs.reduce((sum, [holds, weight]) => (holds ? sum + weight : sum), 1 / (at + 1))
      return [{ id: passage.id, text, score, tells, at }]
    })
}

function beginsWith(text: string, subject: readonly string[], { contentStems }: Parts): boolean {
  const first = contentStems(text).slice(0, FIRST_WORDS)
  return subject.length > 0 && subject.every((word) => first.includes(word))
}

/** What the title begins with, up to its colon: the name of the thing that the document is about. */
function subjectOf({ facts }: Readable, { contentStems }: Parts): readonly string[] {
  const [head = ''] = (facts?.title[0]?.value ?? '').split(/:\s|\s[–—-]\s/u)
  const stems = contentStems(head)
  return stems.length <= 3 ? stems : []
}

/** Passages of the parts that tell it; without such, what stands on the first page. */
function relevant(
  aspect: AboutAspect,
  passages: readonly EvidencePassage[],
  { partOf }: Parts,
): readonly EvidencePassage[] {
  const wanted = aspect === 'findings' ? ['summary', 'closing'] : ['summary']
  const of = (kinds: readonly (string | null)[]) => passages.filter(({ section }) => kinds.includes(partOf(section)))
  const found = [of(wanted), of(['opening']), passages.filter(({ page }) => page === 1), passages]
  return found.find((each) => each.some(({ text }) => text.split(/\s+/u).length >= FEWEST_WORDS)) ?? []
}

function isWhole(text: string): boolean {
  const words = text.split(/\s+/u).length
  return words >= FEWEST_WORDS && text.length <= LONGEST && /^[^\p{Ll}]/u.test(text) && /[.!?][”"’)\]]*\d*$/u.test(text)
}
