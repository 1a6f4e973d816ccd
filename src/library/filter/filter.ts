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

/** Those of the documents, or of the named ones, that are meant. Throws `NothingMatches` if there are some, and none fits. */
export function documentsMeant(
  documents: readonly DocumentRecord[],
  chosenBy: ChosenBy | null,
  named?: readonly string[] | null,
): readonly DocumentRecord[] {
  const wanted = named && new Set(named)
  const asked = wanted ? documents.filter(({ documentId }) => wanted.has(documentId)) : documents
  if (chosenBy === null || asked.length === 0) return asked
  const { filter, text } = chosenBy
  const meant = asked.filter((document) => matches(filter, document))
  if (meant.length > 0) return meant
  const { length } = asked
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
  const asked = comparable(field, value)
  // A month is compared with months, a day with days.
  const own = (text: string) => comparable(field, field === 'added' ? text.slice(0, value.length) : text)
  return valuesOf[field](document).some((text) => comparisons[operator](own(text), asked))
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

const comparisons: Readonly<Record<Exclude<FilterOperator, '!='>, (own: string, asked: string) => boolean>> = {
  '=': (own, asked) => own === asked,
  '<': (own, asked) => own < asked,
  '<=': (own, asked) => own <= asked,
  '>': (own, asked) => own > asked,
  '>=': (own, asked) => own >= asked,
  '~': (own, asked) => own.includes(asked),
}

/** Years have four digits, so that they are compared as texts are. */
function comparable(field: FilterField, text: string): string {
  return field === 'year' ? text.padStart(4, '0') : text.normalize('NFC').toLowerCase()
}

/** The fields that a filter compares. */
export function fieldsIn(filter: Filter): readonly FilterField[] {
  if (filter.kind === 'test') return [filter.field]
  return filter.kind === 'not' ? fieldsIn(filter.of) : filter.parts.flatMap(fieldsIn)
}
