/** The names of months, long and short, in the languages whose dates are known. */
const months: ReadonlySet<string> = new Set(
  ['en', 'de', 'fr', 'es']
    .flatMap((language) => (['long', 'short'] as const).map((month) => new Intl.DateTimeFormat(language, { month })))
    .flatMap((format) => Array.from({ length: 12 }, (_, month) => format.format(new Date(2000, month, 15))))
    .map((name) => name.replace('.', '').toLowerCase()),
)
/** The words beside the date of a line that states it: "Version 2, last updated on", "For the fiscal year ended". */
const mostWordsBeside = 6
/** From the month to the year: "July 5 - 10, 2020". */
const mostBetween = 3

/** The year of a stamp, of a date that makes a short line with its label, or of a copyright line: never one within text. */
export function statedYear(page: readonly string[]): { readonly value: number; readonly from: string } | null {
  const lines = withoutReleases(page.join('\n')).split('\n')
  const stamp = lines.filter((line) => /^arxiv:/iu.test(line)).flatMap(yearsIn)
  if (stamp.length > 0) return { value: stamp.at(-1) ?? 0, from: 'arXiv stamp' }
  const dated = [...new Set(lines.filter(isDateLine).flatMap(yearsIn))]
  // Dates that disagree are those of several versions.
  if (dated.length > 1) return null
  if (dated[0]) return { value: dated[0], from: 'date on page 1' }
  const notices = lines.flatMap((line) => line.match(/(?:©|\(c\)|copyright)[^\p{L}]{0,60}/giu) ?? [])
  // Its years run from the first version to this one.
  const held = Math.max(...notices.flatMap(yearsIn))
  return held > 0 ? { value: held, from: 'copyright line on page 1' } : null
}

/**
 * A text without the lines that date an e-book instead of the book: "Release date: August 1, 1997 [eBook #1013]", "Most recently
 * updated: 2021". Whatever does not call itself an e-book has none.
 */
export function withoutReleases(text: string): string {
  return ebook.test(text.slice(0, beginning)) ? text.replace(release, '') : text
}

const beginning = 2000
const ebook = /\be-?book\b/iu
const release = /^.{0,40}\b(?:released?|posting|posted|updated|produced|converted)\b.*$|^.*\be-?book\b.*$/gimu

/** Whether a line is a date of one year, perhaps with a label. */
export function isDateLine(line: string): boolean {
  if (new Set(yearsIn(line)).size !== 1 || /\p{Ll}\.$/u.test(line)) return false
  const tokens = line.toLowerCase().match(/\p{L}+|\d+/gu) ?? []
  const year = tokens.findIndex((token) => yearsIn(token).length > 0)
  const isDate =
    tokens.slice(Math.max(0, year - mostBetween), year).some((token) => months.has(token)) ||
    /\b(?:\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{4})\b/u.test(line)
  const beside = tokens.filter((token) => /^\p{L}{2}/u.test(token) && !months.has(token))
  return isDate && beside.length <= mostWordsBeside
}

function yearsIn(text: string): readonly number[] {
  return (text.match(/(?<!\d)(?:19|20)\d{2}(?!\d)/gu) ?? []).map(Number)
}
