import type { AnswerSentence, Calculation, Citation, Unsupported } from '../../../index.ts'
import { isWebAddress } from '../../../library/document-name.ts'
import { lettersOf } from '../../../library/language/characters.ts'
import { columnsOf, plainText, wrapped } from '../plain-text.ts'
import { formatTable } from '../table.ts'

export interface FootnoteOptions {
  /**
   * Columns of the terminal: lines are wrapped, and quoted rows that fit are set below the names of their columns. Infinite, as
   * in a pipe, lines stay whole, and rows have bars.
   */
  readonly width?: number | undefined
  /** Makes the marker a hyperlink of the terminal (OSC 8). */
  readonly link?: ((citation: Citation) => string | null) | undefined
}

/** The footnotes in the order of their markers: `[1] Label — "quote" (file)`; labels say the page. */
export function footnotes(
  citations: readonly Citation[],
  calculations: readonly Calculation[] = [],
  { width = Number.POSITIVE_INFINITY, link = () => null }: FootnoteOptions = {},
): readonly string[] {
  const wrap = (line: string) => wrapped(line, width, '    ')
  const names = fileNames(citations.map(({ source }) => oneLine(source)))
  const quotes = citations.map((citation) => {
    const { marker } = citation
    const source = oneLine(citation.source)
    const rows = quotedRows(citation, width)
    const text = [wrap(footnote(citation, names.get(source) ?? source, rows !== null)), ...(rows ?? [])].join('\n')
    const url = link(citation)
    return { marker, text: url === null ? text : text.replace(`[${marker}]`, hyperlink(`[${marker}]`, url)) }
  })
  const formulas = calculations.map((each) => ({ marker: each.marker, text: wrap(formulaNote(each)) }))
  return [...quotes, ...formulas].sort((a, b) => a.marker - b.marker).map(({ text }) => text)
}

/** Which sentences of the answer nobody read again, and which their reader has corrected, a line each. */
export function notesOnSentences(sentences: readonly AnswerSentence[] = []): readonly string[] {
  const shown = sentences.filter(({ state }) => state !== 'unsupported')
  const quoted = shown.filter(({ state }) => state === 'quoted')
  const corrected = shown.filter(({ correctedFrom }) => correctedFrom !== undefined)
  const told = (lead: string, told: readonly AnswerSentence[], remarks: readonly (string | undefined)[]) => {
    const numbers = told.map((each) => String(shown.indexOf(each) + 1))
    const which = `${numbers.length === 1 ? 'sentence' : 'sentences'} ${listed.format(numbers)}`
    const said = [...new Set(remarks.flatMap((each) => (each ? [oneLine(each)] : [])))]
    return told.length > 0 ? [`${lead}: ${which}${said.length > 0 ? ` (${said.join('; ')})` : ''}`] : []
  }
  return [
    ...told(
      'Quoted, not read again',
      quoted,
      quoted.map(({ reason }) => reason),
    ),
    ...told(
      'Corrected by the second reading',
      corrected,
      corrected.map(({ correctedFrom }) => `written as “${correctedFrom}”`),
    ),
  ]
}

const listed = new Intl.ListFormat('en-GB')

/** What was written and could not be verified, with the reasons, apart from the answer. */
export function notVerified(unsupported: readonly Unsupported[] = []): readonly string[] {
  if (unsupported.length === 0) return []
  const line = ({ text, reason }: Unsupported) => `- ${oneLine(text)}${reason === '' ? '' : ` (${oneLine(reason)})`}`
  return ['Not verified:', ...unsupported.map(line)]
}

function footnote({ marker, label, quote, verified }: Citation, name: string, isFollowed: boolean): string {
  const doubt = verified ? '' : ' – not found in this library'
  const said = isFollowed ? '' : ` — "${oneLine(quote)}"`
  return `[${marker}] ${oneLine(label)}${said} (${name})${doubt}${isFollowed ? ':' : ''}`
}

/** The rows that a quote consists of, aligned; null where it has other words too, is no row, or is too wide. */
function quotedRows({ table, quote }: Citation, width: number): readonly string[] | null {
  if (
    !table ||
    !Number.isFinite(width) ||
    table.columns.length < 2 ||
    lettersOf(table.rows.flat().join('')) !== lettersOf(quote)
  )
    return null
  const names = table.columns.map((path) => path.join(' '))
  const isNamed = names.some((name) => name !== '')
  const [first = [], ...others] = isNamed ? [names, ...table.rows] : table.rows
  const lines = formatTable(first, others)
    .split('\n')
    .map((line) => `    ${line}`)
  return lines.every((line) => columnsOf(line) <= width) ? lines : null
}

/** Each path by its file's name; files of one name by as much of their folders as sets them apart. */
function fileNames(sources: readonly string[]): ReadonlyMap<string, string> {
  const paths = [...new Set(sources)].filter((source) => !isWebAddress(source))
  const end = (path: string, parts: number) => path.split(/[\\/]/).slice(-parts).join('/')
  return new Map(
    paths.map((path) => {
      const others = paths.filter((each) => each !== path)
      let parts = 1
      while (end(path, parts).length < path.length && others.some((each) => end(each, parts) === end(path, parts)))
        parts += 1
      return [path, end(path, parts)]
    }),
  )
}

/** `[3] (1,875 + 689) / 3,720 = 0.689` */
function formulaNote({ marker, expression, value }: Calculation): string {
  return `[${marker}] ${oneLine(expression)} = ${shownNumber(value)}`
}

/** Exact if that takes four decimals at most, else with three digits that count. */
function shownNumber(value: number): string {
  const digits = Math.max(3, Math.trunc(Math.abs(value)).toString().length)
  const isShort = Number(value.toFixed(4)) === value
  return value.toLocaleString(
    'en-US',
    isShort ? { maximumFractionDigits: 4 } : { minimumSignificantDigits: digits, maximumSignificantDigits: digits },
  )
}

/** A text that a terminal opens at an address: OSC 8. */
function hyperlink(text: string, url: string): string {
  return `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`
}

function oneLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim()
}
