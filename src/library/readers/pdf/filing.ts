import type { Provenance } from '../../port/document.ts'
import type { Line } from './lines.ts'

/** What the title page of a filing with the Securities and Exchange Commission states in the places the form sets. */
export interface Filing {
  /** "Netflix, Inc., 10-K 2017"; null where nobody is named. */
  readonly title: Provenance<string> | null
  readonly year: Provenance<number> | null
}

const from = 'form on page 1'

/** Null if the page is no such form. Its largest type is the commission, the form's number or the company. */
export function readFiling(page: readonly Line[]): Filing | null {
  const lines = page.map((line) => line.text)
  const isFiling = lines.some((text) => /securities and exchange commission$/iu.test(text))
  const kind = lines.map((text) => /^form (\d{1,2}-\p{L}{1,2}(?:\/A)?)$/iu.exec(text)?.[1]).find(Boolean)
  if (!isFiling || !kind) return null
  const company = companyOf(page)
  const { period, year } = periodOf(lines.join('\n'))
  const title = `${company}, ${kind.toUpperCase()} ${period}`.trim()
  return { title: company === null ? null : { value: title, from }, year: year > 0 ? { value: year, from } : null }
}

/** What stands above "(Exact name of registrant …)"; without it, the largest type that is not the form's own. */
function companyOf(page: readonly Line[]): string | null {
  const named = page.filter(({ text }) => /\p{L}{2}/u.test(text))
  const below = named.findIndex(({ text }) => /^\(exact name of (?:the )?registrant/iu.test(text))
  if (below > 0) return named[below - 1]?.text ?? null
  const own = named.filter(({ text }) => !/^(?:united states|form |.*securities and exchange commission$)/iu.test(text))
  const largest = own.reduce<Line | null>((most, line) => (most && most.size >= line.size ? most : line), null)
  return largest && own.every((line) => line === largest || line.size < largest.size) ? largest.text : null
}

const date = String.raw`(\p{L}{3,9}\.? \d{1,2}, ((?:19|20)\d{2}))`
const annual = new RegExp(`fiscal year ended\\b\\D{0,60}?\\s${date}`, 'iu')
const other = new RegExp(`(?:period ended\\b|earliest event reported)\\D{0,60}?\\s${date}`, 'iu')

/** The year of an annual report; the date of another. */
function periodOf(text: string): { readonly period: string; readonly year: number } {
  const [, , year = ''] = annual.exec(text) ?? []
  if (year !== '') return { period: year, year: Number(year) }
  const [, day = '', ofDay] = other.exec(text) ?? []
  return { period: day, year: Number(ofDay ?? 0) }
}
