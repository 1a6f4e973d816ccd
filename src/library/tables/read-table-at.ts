import type { TablePlace } from '../port/library.ts'
import type { PassageIndex } from '../port/passage-index.ts'
import { tableAt } from './table-at.ts'

/** How much of a table is shown before and after a place in it, in characters of the page. */
const mostShown = 50_000

/** What a place on a page says, if it lies in a table. */
export async function readTableAt(
  index: Pick<PassageIndex, 'tables' | 'pageWindow'>,
  { documentId, page, offset }: { readonly documentId: string; readonly page: number; readonly offset: number },
): Promise<TablePlace | null> {
  const [part] = await index.tables(documentId, page, { start: offset, end: offset + 1 })
  if (!part) return null
  const { whole } = part
  const within = { start: Math.max(whole.start, offset - mostShown), end: Math.min(whole.end, offset + mostShown) }
  const parts = await index.tables(documentId, page, within)
  const range = { start: parts[0]?.start ?? part.start, end: parts.at(-1)?.end ?? part.end }
  const window = await index.pageWindow(documentId, page, range)
  if (!window) return null
  return tableAt(parts, offset, ({ start, end }) => window.text.slice(start - window.start, end - window.start))
}
