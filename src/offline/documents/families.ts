import { DATE, VERSION, withoutMarks, YEAR } from '../language/version-words.ts'
import type { DocumentFacts, ExtractiveParts, KnownDocument } from '../parts/parts.ts'
import { fileNameOf } from './known-as.ts'
import { dateLineOf, versionOn } from './title-page.ts'

/** Share of words that two names without their marks must have in common; less, if their files are called the same. */
const SAME_NAME = 0.75

type Stems = ExtractiveParts['contentStems']

/** All vintages of one document: reports of several years, versions, draft and final; itself among them. */
export function versionsOf(
  document: KnownDocument,
  documents: readonly KnownDocument[],
  contentStems: Stems,
): readonly KnownDocument[] {
  return documents.filter(
    (other) => other.documentId === document.documentId || areVersions(document, other, contentStems),
  )
}

function areVersions(one: KnownDocument, other: KnownDocument, contentStems: Stems): boolean {
  const files = [one, other].map((each) => contentStems(withoutMarks(fileNameOf(each)).replace(/\.\p{L}{2,5}$/u, '')))
  const sameFile = files[0] !== undefined && files[0].length > 0 && overlap(files[0], files[1] ?? []) === 1
  if (one.title === null || other.title === null) return one.title === other.title && sameFile
  const titles = [one, other].map(({ title }) => contentStems(withoutMarks(title ?? '')))
  const [a = [], b = []] = titles
  // A word in the place of another names another thing: "Alder Annual Report", "Birch Annual Report".
  const isLonger = a.every((word) => b.includes(word)) || b.every((word) => a.includes(word))
  return isLonger && a.length > 0 && b.length > 0 && (sameFile || overlap(a, b) >= SAME_NAME)
}

function overlap(one: readonly string[], other: readonly string[]): number {
  const all = new Set([...one, ...other])
  return all.size === 0 ? 0 : [...all].filter((word) => one.includes(word) && other.includes(word)).length / all.size
}

/** A vintage with all that may tell its age. */
export interface Version {
  readonly document: KnownDocument
  readonly facts: DocumentFacts | null
}

type Age = (vintage: Version) => number | null

const nameYear: Age = ({ document }) => lastYear(document.title ?? '') ?? lastYear(fileNameOf(document))
const pageDate: Age = ({ facts }) => (facts ? timeOf(dateLineOf(facts) ?? '') : null)
const version: Age = ({ document, facts }) => {
  const [named] = [document.title ?? '', fileNameOf(document)].flatMap((name) => versionsIn(name.replace(/_/gu, ' ')))
  const onPage = named === undefined && facts ? versionOn(facts) : null
  return named ?? (onPage === null ? null : Number.parseFloat(onPage))
}
const state: Age = ({ document }) => {
  const name = `${document.title ?? ''} ${fileNameOf(document).replace(/_/gu, ' ')}`
  if (/(?<!\p{L})(?:draft|preliminary|provisional|superseded|obsolete|old)(?!\p{L})/iu.test(name)) return 0
  return /(?<!\p{L})(?:final|revised|updated?|new|current|amended|signed)(?!\p{L})/iu.test(name) ? 1 : null
}

/** The years that a vintage may be called by: that of its name, else its own. */
export function yearOf(vintage: Version): number | null {
  const date = pageDate(vintage)
  return nameYear(vintage) ?? vintage.document.year ?? (date === null ? null : new Date(date).getUTCFullYear())
}

/** The newest first, by the first sign of age that all of them have; null without such a sign. */
export function newestFirst(vintages: readonly Version[]): readonly Version[] | null {
  const ages = [nameYear, version, pageDate, ({ document }: Version) => document.year, state]
  const age = ages.find((each) => {
    const values = vintages.map(each)
    return values.every((value) => value !== null) && new Set(values).size === vintages.length
  })
  return age ? [...vintages].sort((a, b) => (age(b) ?? 0) - (age(a) ?? 0)) : null
}

/** The versions that a question names, for instance 1 and 2. */
export function versionsIn(text: string): readonly number[] {
  return Array.from(text.matchAll(VERSION), ([, number]) => Number(number))
}

export const versionOf = version
export const stateOf = state

export function yearsIn(text: string): readonly number[] {
  return Array.from(text.matchAll(YEAR), ([year]) => Number(year))
}

function lastYear(text: string): number | null {
  return yearsIn(text).at(-1) ?? null
}

/** Milliseconds since 1970; null if the line holds no date that can be read for certain. */
function timeOf(line: string): number | null {
  const written = DATE.exec(line)?.[0]
  // Whether 3/4/2021 is in March or April is not certain.
  if (written === undefined || /^\d{1,2}[./]\d/u.test(written)) return null
  const time = Date.parse(`${written.replace(/(?<=\d)(?:st|nd|rd|th)\b/u, '').replace(/[.,]/gu, ' ')} UTC`)
  return Number.isNaN(time) ? null : time
}
