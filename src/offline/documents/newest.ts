import type { EvidencePassage } from '../../events/index.ts'
import type { ExtractiveParts, KnownDocument } from '../parts/parts.ts'
import type { RuledAnswer } from '../parts/strategy.ts'
import { newestFirst, type Version, versionOf, versionsOf } from './families.ts'
import { fileNameOf } from './known-as.ts'
import { cite } from './quoting.ts'
import { issueOf, nameOnPage, titlePassage } from './title-page.ts'

/** The answer lists the vintages of at most so many documents. */
const MOST_FAMILIES = 4

type Parts = Pick<ExtractiveParts, 'facts' | 'contentStems' | 'sentences'>

/**
 * Says which vintage of a document is the newest, in the words of its title page, and which ones are older. null where
 * no document has vintages whose order is known.
 */
export async function answerWithNewest(
  documents: readonly KnownDocument[],
  evidence: readonly EvidencePassage[],
  parts: Parts,
): Promise<RuledAnswer | null> {
  const families = await familiesAmong(documents, parts)
  // A version is what the document calls so; only where none does, reports of several years count as versions too.
  const numbered = families.filter((family) => family.every((vintage) => versionOf(vintage) !== null))
  const listed = (numbered.length > 0 ? numbered : families).slice(0, MOST_FAMILIES)
  const lines = listed.flatMap((family) => lineFor(family, evidence, parts) ?? [])
  const older = listed.map(([newest, ...others]) => {
    const files = others.map(({ document }) => fileNameOf(document))
    return `Older than ${newest ? fileNameOf(newest.document) : ''}: ${files.join(', ')}.`
  })
  return lines.length > 0 ? { text: lines.join('\n'), basis: 'metadata', remarks: older } : null
}

/** The vintages of each document that has several, the newest first. */
async function familiesAmong(
  documents: readonly KnownDocument[],
  { facts, contentStems }: Parts,
): Promise<readonly (readonly Version[])[]> {
  const families: (readonly Version[])[] = []
  const seen = new Set<string>()
  for (const document of documents) {
    if (seen.has(document.documentId)) continue
    const family = versionsOf(document, documents, contentStems)
    for (const { documentId } of family) seen.add(documentId)
    const known = await Promise.all(
      family.map(async (each) => ({ document: each, facts: await facts(each.documentId) })),
    )
    const ordered = family.length > 1 ? newestFirst(known) : null
    if (ordered) families.push(ordered)
  }
  return families
}

function lineFor(
  [newest]: readonly Version[],
  evidence: readonly EvidencePassage[],
  { sentences }: Parts,
): string | null {
  const facts = newest?.facts
  const page = newest && facts && titlePassage(newest.document.documentId, facts, evidence)
  if (!facts || !page) return null
  const quotes = [nameOnPage(facts), issueOf(facts, sentences)].filter((each) => each !== null)
  return quotes.length > 0
    ? `- The newest is ${quotes.map((quote) => `“${quote}”`).join(', ')}.${cite(page.id, quotes)}`
    : null
}
