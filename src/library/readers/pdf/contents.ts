import { hasLetter, lettersOf } from '../../language/characters.ts'
import type { Line } from './lines.ts'

const fewestEntries = 4

/** The heading of a table of contents. */
export const contentsName =
  /^(?:(?:table of )?contents|inhalt(?:sverzeichnis|sübersicht)?|table des matières|sommaire|índice(?: general)?|tabla de contenidos?):?$/i

/** Whether most lines of a page end in the number of another. */
export function isContents(lines: readonly Line[]): boolean {
  const entries = lines.filter(endsInNumber).length
  return entries >= fewestEntries && entries * 2 > lines.length
}

/** Whether a line ends in what may be the number of a page. */
export function endsInNumber({ text }: Line): boolean {
  return numberAtEnd(text) !== '' && hasLetter(text)
}

/** The up to four digits behind a space at the end of a line. */
function numberAtEnd(text: string): string {
  return / (\d{1,4})$/.exec(text.slice(-5))?.[1] ?? ''
}

/** Whether a page is one of the table of contents: unlike those of other tables, its numbers rise. */
export function isContentsPage(lines: readonly Line[]): boolean {
  if (!isContents(lines)) return false
  const numbers = lines.filter(endsInNumber).map(({ text }) => Number(numberAtEnd(text)))
  return numbers.every((number, at) => number >= (numbers[at - 1] ?? 0))
}

interface Page {
  readonly number: number
  readonly lines: readonly Line[]
}

/**
 * The lines that repeat an entry of the table of contents, or its beginning, on the page that the entry names. The printed
 * number of a page may differ from its place in the file; the difference that fits most lines is taken.
 */
export function listedLines(pages: readonly Page[]): ReadonlySet<Line> {
  const entries = new Map<string, Entry[]>()
  for (const entry of pages.filter(({ lines }) => isContentsPage(lines)).flatMap(({ lines }) => entriesIn(lines))) {
    const beginning = beginningOf(entry.letters)
    entries.set(beginning, [...(entries.get(beginning) ?? []), entry])
  }
  const byOffset = new Map<number, Set<Line>>()
  for (const { number, lines } of pages.filter(({ lines }) => !isContentsPage(lines))) {
    for (const line of lines) {
      const letters = lettersOf(line.text)
      const listed = entries.get(beginningOf(letters))?.filter((entry) => entry.letters.startsWith(letters)) ?? []
      for (const { page } of listed) byOffset.set(number - page, (byOffset.get(number - page) ?? new Set()).add(line))
    }
  }
  const [most = new Set<Line>()] = [...byOffset.values()].sort((one, other) => other.size - one.size)
  return most
}

function beginningOf(letters: string): string {
  return letters.slice(0, fewestLetters)
}

/** Letters and digits of the first line of a heading that is longer. */
const fewestLetters = 12

interface Entry {
  /** Its letters and digits without those of the page. */
  readonly letters: string
  readonly page: number
}

/** The entries of a page; one that is broken is also there as a whole. */
function entriesIn(lines: readonly Line[]): readonly Entry[] {
  return lines.flatMap((line, at) => {
    if (!endsInNumber(line)) return []
    const page = numberAtEnd(line.text)
    const text = line.text.slice(0, -page.length)
    const before = lines[at - 1]
    const isBroken = before !== undefined && !endsInNumber(before) && before.font === line.font
    return (isBroken ? [text, `${before.text} ${text}`] : [text]).map((each) => ({
      letters: lettersOf(each),
      page: Number(page),
    }))
  })
}
