import { packEvidence } from '../../src/answers/evidence.ts'
import { nearestSentence } from '../../src/answers/quotes/page-sentences.ts'
import type { Settings } from '../../src/config.ts'
import type { Evidence } from '../../src/events/index.ts'
import type { PassageIndex } from '../../src/library/port/passage-index.ts'
import { libraryReading, librarySearch } from '../../src/tools/library-search.ts'
import type { FilingQuestion } from '../filings-library.ts'

/** A true sentence of an answer to a question over a filing, and perhaps one that is false. */
export interface Written {
  /** Its id. */
  readonly question: string
  readonly says: string
  readonly twin?: string
  /** In what way the twin is false. */
  readonly way?: string
}

/** A sentence as a draft has it. */
export interface Said {
  readonly text: string
  /** What is true in its place; null if it is true. */
  readonly truth: string | null
  readonly way: string
}

/** Two drafts a question: each sentence is true in one of them, and in the other one false if it has a twin, else not there. */
export function halvesOf(sentences: readonly Written[]): readonly (readonly Said[])[] {
  return [0, 1].map((half) =>
    sentences.flatMap(({ says, twin, way = '' }, at): readonly Said[] => {
      if (at % 2 === half) return [{ text: says, truth: null, way }]
      return twin === undefined ? [] : [{ text: twin, truth: says, way }]
    }),
  )
}

/** What a writer would have of a filing: the passages of the pages that answer, then what the search finds, as they are packed. */
export async function evidenceFor(
  { question, doc, pages }: FilingQuestion,
  index: PassageIndex,
  { search, quick }: Settings,
  tokens: number,
): Promise<readonly Evidence[]> {
  const document = (await index.documents()).find(({ source }) => source.endsWith(`/${doc}`))
  if (!document) throw new Error(`${doc} is not in the library`)
  const { documentId } = document
  const onPages = await Promise.all(pages.map((page) => libraryReading(index).onPage(documentId, page, question)))
  const found = await librarySearch(index)(question, { limit: search.passages, documents: [documentId] })
  const first = onPages.flat()
  const ids = first.map(({ passageId }) => passageId)
  const others = found.filter(({ passageId }) => !ids.includes(passageId))
  return packEvidence([...first, ...others], { tokens, first: ids, passages: quick.passages })
}

/** The sentences as a draft, each with the passage that has most of its words, among those of the pages that answer. */
export function draftOf(sentences: readonly Said[], evidence: readonly Evidence[], pages: readonly number[]): string {
  const gold = evidence.filter(({ observation }) => pages.includes(observation.page))
  return sentences
    .map(({ text }) => {
      const id = nearestSentence(withoutTags(text), gold)?.sentence.evidence.passage.id
      return id === undefined ? text : `${text} [${id}]`
    })
    .join(' ')
}

export function withoutTags(text: string): string {
  return text.replace(/<calc[^<>]*>([^<>]*)<\/calc>/g, '$1')
}
