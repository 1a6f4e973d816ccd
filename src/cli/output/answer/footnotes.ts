import type { Calculation, Citation, Unsupported } from '../../../index.ts'
import { isWebAddress } from '../../../library/document-name.ts'
import { plainText } from '../plain-text.ts'

export interface FootnoteOptions {
  /** Breaks a line; by default lines stay whole. */
  readonly wrap?: ((line: string) => string) | undefined
  /** Makes the marker a hyperlink of the terminal (OSC 8). */
  readonly link?: ((citation: Citation) => string | null) | undefined
}

/** The footnotes in the order of their markers: `[1] Label — "quote" (file, p. 5)`, with the page of a viewer. */
export function footnotes(
  citations: readonly Citation[],
  calculations: readonly Calculation[] = [],
  { wrap = (line) => line, link = () => null }: FootnoteOptions = {},
): readonly string[] {
  const names = fileNames(citations.map(({ source }) => oneLine(source)))
  const quotes = citations.map((citation) => {
    const { marker } = citation
    const source = oneLine(citation.source)
    const text = wrap(footnote(citation, names.get(source) ?? source))
    const url = link(citation)
    return { marker, text: url === null ? text : text.replace(`[${marker}]`, hyperlink(`[${marker}]`, url)) }
  })
  const formulas = calculations.map((each) => ({ marker: each.marker, text: wrap(formulaNote(each)) }))
  return [...quotes, ...formulas].sort((a, b) => a.marker - b.marker).map(({ text }) => text)
}

/** What was written and could not be verified, with the reasons, apart from the answer. */
export function notVerified(unsupported: readonly Unsupported[] = []): readonly string[] {
  if (unsupported.length === 0) return []
  const line = ({ text, reason }: Unsupported) => `- ${oneLine(text)}${reason === '' ? '' : ` (${oneLine(reason)})`}`
  return ['Not verified:', ...unsupported.map(line)]
}

function footnote({ marker, label, quote, source, page, verified }: Citation, name: string): string {
  const hasPages = page > 1 || /\bp\. \S+$/.test(label)
  const place = hasPages && !isWebAddress(source) ? `${name}, p. ${page}` : name
  const doubt = verified ? '' : ' – not found in this library'
  return `[${marker}] ${oneLine(label)} — "${oneLine(quote)}" (${place})${doubt}`
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
