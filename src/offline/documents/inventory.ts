import type { EvidencePassage } from '../../events/index.ts'
import type { ExtractiveParts, KnownDocument } from '../parts/parts.ts'
import type { RuledAnswer } from '../parts/strategy.ts'
import { nameOf } from './known-as.ts'
import { cite, OF_TITLE_PAGE } from './quoting.ts'
import { beginningOf, issueOf, nameOnPage, titlePassage } from './title-page.ts'

/** Of a library, so many documents are listed; the others are counted. */
export const MOST_LISTED = 12

/**
 * Says which documents there are: one line for each, in the words of its first page. Their number, and what can be
 * quoted from no page, follows it. null if there are none.
 */
export async function answerWithInventory(
  documents: readonly KnownDocument[],
  evidence: readonly EvidencePassage[],
  parts: Pick<ExtractiveParts, 'facts' | 'sentences'>,
): Promise<RuledAnswer | null> {
  const named = await Promise.all(
    documents.slice(0, MOST_LISTED).map(async (document) => {
      const facts = await parts.facts(document.documentId)
      return { document, facts, page: facts && titlePassage(document.documentId, facts, evidence) }
    }),
  )
  const titles = named.map(({ facts }) => facts && nameOnPage(facts))
  const lines = named.map(({ facts, page }, i) => {
    if (!facts || !page) return null
    const title = titles[i] ?? null
    if (title === null) return `- A document that begins: “${beginningOf(facts)}”${cite(page.id, [beginningOf(facts)])}`
    const isShared = titles.some((other, j) => i !== j && other === title)
    const issue = isShared ? issueOf(facts, parts.sentences) : null
    const isOneSentence = issue !== null && parts.sentences(`- “${title}”: “${issue}”`).length === 1
    return isOneSentence
      ? `- “${title}”: “${issue}”${cite(page.id, [title, issue])}`
      : `- “${title}”${cite(page.id, [title])}`
  })
  const written = lines.filter((line) => line !== null)
  const unread = named.filter((_, i) => lines[i] === null).map(({ document }) => `“${nameOf(document)}”`)
  return written.length === 0
    ? null
    : {
        text: written.join('\n'),
        confidence: OF_TITLE_PAGE,
        remarks: [countOf(documents.length, written.length, unread)],
      }
}

/** How many documents there are, counted in the library, and which of them have no line. */
export function countOf(all: number, listed: number, unread: readonly string[] = []): string {
  const count = all === 1 ? 'There is 1 document' : `There are ${all} documents`
  const others = all - listed - unread.length
  const more = others > 0 ? [`${others} more ${others === 1 ? 'is' : 'are'} not listed`] : []
  const silent = unread.length > 0 ? [`nothing could be quoted from ${unread.join(', ')}`] : []
  return `${[count, ...more, ...silent].join('; ')}.`
}
