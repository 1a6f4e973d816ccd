import { stripVTControlCharacters } from 'node:util'
import pc from 'picocolors'
import type { Calculation, Citation, RunResult, Unsupported } from '../../../index.ts'
import { plainText } from '../plain-text.ts'
import { renderMarkdown } from './render-markdown.ts'
import { withVisibleLinks } from './visible-links.ts'

export interface RenderOptions {
  readonly color: boolean
  /** Columns of the terminal. Without colours nothing is wrapped, so that a pipe gets whole lines. */
  readonly width: number
}

/** An answer for people, without control sequences of its text: rendered for a terminal, Markdown for a pipe. */
export function renderAnswer(result: RunResult, { color, width }: RenderOptions): string {
  const style = pc.createColors(color)
  const wrap = (line: string) => (color ? wrapped(line, width, '    ') : line)
  const answer = plainText(color ? inBold(result) : result.answer || (result.clarification ?? '')).trim()
  const parts = [
    color ? renderMarkdown(answer, width) : withVisibleLinks(answer),
    result.answer &&
      !result.abstained &&
      result.confidence !== null &&
      style.dim(`Confidence: ${Math.round(100 * result.confidence)}%`),
    footnotes(result.citations, result.calculations).map(wrap).join('\n'),
    notVerified(result.unsupported).map(wrap).join('\n'),
  ]
  return parts.filter((part) => part).join('\n\n')
}

/** The answer in Markdown, with its highlights in bold. */
function inBold({ answer, clarification, highlights }: RunResult): string {
  if (!answer) return clarification ?? ''
  return [...highlights]
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end }) => `${text.slice(0, start)}**${text.slice(start, end)}**${text.slice(end)}`, answer)
}

/** The footnotes in the order of their markers: `[1] Label — "quote" (source, p. 5)`, with the page of a viewer. */
export function footnotes(
  citations: readonly Citation[],
  calculations: readonly Calculation[] = [],
): readonly string[] {
  const notes = [...citations.map(footnote), ...calculations.map(formulaNote)]
  return notes.sort((a, b) => a.marker - b.marker).map(({ text }) => text)
}

interface Note {
  readonly marker: number
  readonly text: string
}

/** `[3] (1,875 + 689) / 3,720 = 0.689` */
function formulaNote({ marker, expression, value }: Calculation): Note {
  return { marker, text: `[${marker}] ${oneLine(expression)} = ${shownNumber(value)}` }
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

function footnote({ marker, label, quote, source, page }: Citation): Note {
  const hasPages = page > 1 || /\bp\. \S+$/.test(label)
  const place = hasPages && !/^https?:/i.test(source) ? `${source}, p. ${page}` : source
  return { marker, text: `[${marker}] ${oneLine(label)} — "${oneLine(quote)}" (${oneLine(place)})` }
}

/** What was written and could not be verified, with the reasons, apart from the answer. */
export function notVerified(unsupported: readonly Unsupported[] = []): readonly string[] {
  if (unsupported.length === 0) return []
  const line = ({ text, reason }: Unsupported) => `- ${oneLine(text)}${reason === '' ? '' : ` (${oneLine(reason)})`}`
  return ['Not verified:', ...unsupported.map(line)]
}

function oneLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim()
}

/** Breaks a line between words; every line but the first is indented. */
function wrapped(line: string, width: number, indent: string): string {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    const longer = current ? `${current} ${word}` : word
    if (current && stripVTControlCharacters(longer).length > width) {
      lines.push(current)
      current = `${indent}${word}`
    } else current = longer
  }
  return [...lines, current].join('\n')
}
