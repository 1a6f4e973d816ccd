import { DATE, type DocumentCard } from '../../library/index.ts'
import type { ExtractiveParts, KnownDocument } from '../parts/parts.ts'

/** What a person calls a document: its title, else its file name. */
export function nameOf(document: KnownDocument): string {
  return document.title ?? fileNameOf(document)
}

export function fileNameOf({ source }: KnownDocument): string {
  return source.split(/[\\/]/).at(-1) ?? source
}

/** Its name with what else a person may know it by: "Megastore (Baker et al., 2011)". */
function describe(document: KnownDocument): string {
  const { authors, year } = document
  const [first = '', second = ''] = authors.map(surname)
  const author = authors.length > 2 ? `${first} et al.` : [first, second].filter((name) => name !== '').join(' and ')
  const known = [author, String(year ?? '')].filter((each) => each !== '').join(', ')
  return known === '' ? nameOf(document) : `${nameOf(document)} (${known})`
}

function surname(author: string): string {
  return author.split(',')[0]?.trim().split(/\s+/).at(-1) ?? author
}

/** What tells documents of one name apart, best first; the last always does. */
const MARKS: readonly ((document: KnownDocument, card: DocumentCard | null) => string | null)[] = [
  (_, card) => DATE.exec(card?.date[0]?.text ?? '')?.[0] ?? null,
  fileNameOf,
  ({ source }) => source,
]

/**
 * Names to choose from, each different: with author and year, and where the titles are the same, with the date or the
 * file name that tells one from the other.
 */
export async function distinctNames(
  documents: readonly KnownDocument[],
  { card }: Pick<ExtractiveParts, 'card'>,
): Promise<readonly string[]> {
  const known = await Promise.all(
    documents.map(async (document) => ({ document, name: nameOf(document), card: await card(document.documentId) })),
  )
  return known.map((each) => {
    const alike = known.filter(({ name }) => name === each.name)
    if (alike.length === 1) return describe(each.document)
    const tells = (mark: (typeof MARKS)[number]) => {
      const marks = alike.map((other) => mark(other.document, other.card))
      return !marks.includes(null) && new Set(marks).size === alike.length
    }
    return `${each.name} (${MARKS.find(tells)?.(each.document, each.card) ?? each.document.source})`
  })
}
