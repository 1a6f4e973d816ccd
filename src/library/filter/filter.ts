import { NothingMatches } from '../../errors.ts'
import type { DocumentRecord } from '../port/document.ts'
import type { FilterOptions } from '../port/passage-index.ts'
import type { Field } from './fields.ts'
import { type Means, parseFilter } from './parse-filter.ts'
import { tagFrom } from './tags.ts'

/** A filter that was read. */
export interface Filter {
  readonly means: Means
  readonly text: string
  /** Those that it compares. */
  readonly fields: readonly Field[]
}

/** What is meant; null if nothing is limited. Throws `FilterInvalid`, and `UsageError` for what is no tag. */
export function filterFrom({ where = '', tags = [] }: FilterOptions): Filter | null {
  const wanted = tags.map(tagFrom)
  const written = where.trim()
  if (wanted.length === 0 && written === '') return null
  const { means, fields } = written === '' ? { means: () => true, fields: [] } : parseFilter(where)
  const texts = [
    ...wanted.map((tag) => `tag=${/\s/.test(tag) ? JSON.stringify(tag) : tag}`),
    ...(written === '' ? [] : [wanted.length > 0 ? `(${written})` : written]),
  ]
  return {
    means: (document) => wanted.every((tag) => document.tags.includes(tag)) && means(document),
    text: texts.join(' and '),
    fields,
  }
}

/** Those of the documents, or of the named ones, that are meant. Throws `NothingMatches` if there are some, and none fits. */
export function documentsMeant(
  documents: readonly DocumentRecord[],
  filter: Filter | null,
  named?: readonly string[] | null,
): readonly DocumentRecord[] {
  const wanted = named && new Set(named)
  const asked = wanted ? documents.filter(({ documentId }) => wanted.has(documentId)) : documents
  const meant = filter ? asked.filter(filter.means) : asked
  if (filter === null || meant.length > 0 || asked.length === 0) return meant
  const { length } = asked
  throw new NothingMatches(
    `The filter means none of ${length} ${length === 1 ? 'document' : 'documents'}: ${filter.text}. Change it, or leave it out.`,
  )
}
