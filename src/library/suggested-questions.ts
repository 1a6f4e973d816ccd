import type { DocumentCard } from './card.ts'
import { documentName } from './document-name.ts'
import { sentences } from './language/sentences.ts'
import { contentStems } from './language/terms.ts'
import { partOf } from './overview.ts'
import type { Passage } from './port/document.ts'

/** Up to four questions that a document answers, as far as its card and its headings tell; each names the document. */
export function suggestedQuestions(card: DocumentCard, passages: readonly Passage[]): readonly string[] {
  const name = documentName(card.document)
  const questions = new Set<string>()
  if (card.summary.length > 0) questions.add(`What is “${name}” about?`)
  if (card.byline.length > 0 && card.metadata.authors.length > 0) questions.add(`Who wrote “${name}”?`)
  for (const passage of passages) {
    if (questions.size === 4) break
    const subject = subjectOf(passage)
    if (subject !== null && !name.includes(subject)) questions.add(`What does “${name}” say about ${subject}?`)
  }
  return [...questions]
}

const NUMBER = /^(?:(?:item|part|chapter|section) )?(?:\d+[A-Z]?|[A-Z]|[IVX]+)(?:\.\d+)*[.:)]? /iu
/** Neither long nor a question. */
const SHORT = /^.{1,59}[\p{L}\p{N})]$/u

/** The heading over a passage, if a sentence below speaks of it: "Risk factors", but neither "Results" nor "Abstract". */
function subjectOf({ section, kind, text }: Passage): string | null {
  const heading = section?.split(' > ').at(-1)?.replace(NUMBER, '') ?? ''
  const words = contentStems(heading).filter((word) => /^\p{L}+$/u.test(word))
  if (kind !== 'text' || words.length < 2 || !SHORT.test(heading) || partOf(section)) return null
  const said = sentences(text).map(({ start, end }) => text.slice(start, end))
  const own = said.filter((sentence) => /[.!?]$/u.test(sentence) && !sentence.includes(heading))
  return own.map(contentStems).some((stems) => words.every((word) => stems.includes(word))) ? heading : null
}
