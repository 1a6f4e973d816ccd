import { basename } from 'node:path'
import { NothingMatches } from '../../errors.ts'
import type { DocumentRecord } from '../port/document.ts'
import type { FilterOptions } from '../port/passage-index.ts'
import { type Filter, type FilterField, type FilterOperator, type FilterTest, parseFilter } from './parse-filter.ts'
import { kindIn, tagFrom } from './tags.ts'

/** A filter that was read, with its text. */
export interface ChosenBy {
  readonly filter: Filter
  readonly text: string
}

/** What is meant; null if nothing is limited. Throws `FilterInvalid`, and `UsageError` for what is no tag. */
export function filterFrom({ where = '', tags = [] }: FilterOptions): ChosenBy | null {
  const tagged = tags.map(tagFrom).map((tag) => ({ kind: 'test', field: 'tag', operator: '=', value: tag }) as const)
  const written = where.trim()
  const parts: readonly Filter[] = [...tagged, ...(written === '' ? [] : [parseFilter(where)])]
  if (parts.length === 0) return null
  const texts = [
    ...tagged.map(({ value }) => `tag=${/\s/.test(value) ? JSON.stringify(value) : value}`),
    ...(written === '' ? [] : [tags.length > 0 ? `(${written})` : written]),
  ]
  return { filter: { kind: 'and', parts }, text: texts.join(' and ') }
}

/** Those of the documents that are meant. Throws `NothingMatches` if there is none. */
export function documentsMeant(
  documents: readonly DocumentRecord[],
  { filter, text }: ChosenBy,
): readonly DocumentRecord[] {
  const meant = documents.filter((document) => matches(filter, document))
  if (meant.length > 0) return meant
  const { length } = documents
  throw new NothingMatches(
    `The filter means none of ${length} ${length === 1 ? 'document' : 'documents'}: ${text}. Change it, or leave it out.`,
  )
}

export function matches(filter: Filter, document: DocumentRecord): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matches(part, document))
    case 'or':
      return filter.parts.some((part) => matches(part, document))
    case 'not':
      return !matches(filter.of, document)
    case 'test':
      return holds(filter, document)
  }
}

/** `!=` is the opposite of `=`, so that a document without a year is not of 2020. */
function holds({ field, operator, value }: FilterTest, document: DocumentRecord): boolean {
  if (operator === '!=') return !holds({ kind: 'test', field, operator: '=', value }, document)
  return valuesOf[field](document).some((own) => comparisons[operator](orderOf(field, own, value)))
}

const valuesOf: Readonly<Record<FilterField, (document: DocumentRecord) => readonly string[]>> = {
  title: ({ title }) => (title === null ? [] : [title]),
  author: ({ authors }) => authors,
  year: ({ year }) => (year === null ? [] : [`${year}`]),
  kind: ({ tags }) => tags.flatMap((tag) => kindIn(tag) ?? []),
  format: ({ format }) => [format],
  path: ({ source }) => [source],
  file: ({ source }) => [basename(source)],
  tag: ({ tags }) => tags,
  key: ({ reference }) => (reference ? [reference.id] : []),
  added: ({ addedAt }) => (addedAt === null ? [] : [addedAt]),
}

/** How a document's own value stands to the one that is asked for: below, at or above it; `holds` where it contains it. */
interface Order {
  readonly order: number
  readonly holds: boolean
}

const comparisons: Readonly<Record<Exclude<FilterOperator, '!='>, (compared: Order) => boolean>> = {
  '=': ({ order }) => order === 0,
  '<': ({ order }) => order < 0,
  '<=': ({ order }) => order <= 0,
  '>': ({ order }) => order > 0,
  '>=': ({ order }) => order >= 0,
  '~': ({ holds }) => holds,
}

function orderOf(field: FilterField, own: string, asked: string): Order {
  if (field === 'year') return { order: Number(own) - Number(asked), holds: false }
  // A month is compared with months, a day with days.
  const [one, other] = [folded(field === 'added' ? own.slice(0, asked.length) : own), folded(asked)]
  return { order: one < other ? -1 : Number(one > other), holds: one.includes(other) }
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** The fields that a filter compares. */
export function fieldsIn(filter: Filter): readonly FilterField[] {
  if (filter.kind === 'test') return [filter.field]
  return filter.kind === 'not' ? fieldsIn(filter.of) : filter.parts.flatMap(fieldsIn)
}
