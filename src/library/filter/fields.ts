import { basename } from 'node:path'
import { observation } from '../../events/index.ts'
import { keysOf } from '../../options.ts'
import type { DocumentRecord } from '../port/document.ts'
import { kindIn } from './tags.ts'

/** What of a document is compared; `file` is the last part of its path. */
const valuesOf = {
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
} satisfies Readonly<Record<string, (document: DocumentRecord) => readonly string[]>>

export const fields = keysOf(valuesOf)
export type Field = (typeof fields)[number]

interface WantedValue {
  readonly what: string
  readonly isValue: (text: string) => boolean
}

/** Fields that have an order, and what they are compared with. */
export const ordered: Readonly<Partial<Record<Field, WantedValue>>> = {
  year: { what: 'a whole number, such as 2021', isValue: (text) => /^\d{1,4}$/.test(text) },
  added: {
    what: 'a date, such as 2026-01-31, 2026-01 or 2026',
    isValue: (text) => /^\d{4}(?:-\d\d(?:-\d\d)?)?$/.test(text) && !Number.isNaN(Date.parse(text)),
  },
}

const formats: readonly string[] = observation.shape.format.unwrap().options
const format: WantedValue = {
  what: `a format; there are ${formats.join(', ')}`,
  isValue: (text) => formats.includes(text.toLowerCase()),
}

/** What a field is compared with, if not with any text. */
export function wantedValue(field: Field, operator: string): WantedValue | undefined {
  return field === 'format' && operator !== '~' ? format : ordered[field]
}

type Comparison = (own: readonly string[], asked: string) => boolean

/** `!=` is the opposite of `=`, so that a document without a year is not of 2020. */
const comparisons = {
  '=': (own, asked) => own.includes(asked),
  '!=': (own, asked) => !own.includes(asked),
  '<': (own, asked) => own.some((each) => each < asked),
  '<=': (own, asked) => own.some((each) => each <= asked),
  '>': (own, asked) => own.some((each) => each > asked),
  '>=': (own, asked) => own.some((each) => each >= asked),
  '~': (own, asked) => own.some((each) => each.includes(asked)),
} satisfies Readonly<Record<string, Comparison>>

export const operators = keysOf(comparisons)

/** Whether a document's own value of a field stands so to this one. */
export function comparing(field: Field, operator: (typeof operators)[number], value: string) {
  // A month is compared with months, a day with days.
  const part = (text: string) => (field === 'added' ? text.slice(0, value.length) : text)
  return (document: DocumentRecord): boolean => {
    const own = valuesOf[field](document).map((text) => comparable(field, part(text)))
    return comparisons[operator](own, comparable(field, value))
  }
}

/** Years have four digits, so that they are compared as texts are. */
function comparable(field: Field, text: string): string {
  return field === 'year' ? text.padStart(4, '0') : text.normalize('NFC').toLowerCase()
}
