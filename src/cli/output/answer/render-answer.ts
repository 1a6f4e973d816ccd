import { stripVTControlCharacters } from 'node:util'
import pc from 'picocolors'
import { importNote } from '../../../answers/import-note.ts'
import type { RunResult } from '../../../index.ts'
import { plainText } from '../plain-text.ts'
import type { FootnoteLink } from '../terminal.ts'
import { footnotes, notVerified } from './footnotes.ts'
import { renderMarkdown } from './render-markdown.ts'
import { withVisibleLinks } from './visible-links.ts'

export interface RenderOptions {
  readonly color: boolean
  /** Columns of the terminal. Without colours nothing is wrapped, so that a pipe gets whole lines. */
  readonly width: number
  /** Where footnotes lead, on a terminal with hyperlinks. */
  readonly link?: FootnoteLink | undefined
}

/** An answer for people, without control sequences of its text: rendered for a terminal, Markdown for a pipe. */
export function renderAnswer(result: RunResult, { color, width, link }: RenderOptions): string {
  const style = pc.createColors(color)
  const wrap = (line: string) => (color ? wrapped(line, width, '    ') : line)
  const answer = plainText(color ? inBold(result) : result.answer || (result.clarification ?? '')).trim()
  const notes = { wrap, link: link && ((citation: RunResult['citations'][number]) => link(result.runId, citation)) }
  const parts = [
    color ? renderMarkdown(answer, width) : withVisibleLinks(answer),
    result.answer &&
      !result.abstained &&
      result.confidence !== null &&
      style.dim(`Confidence: ${Math.round(100 * result.confidence)}%`),
    footnotes(result.citations, result.calculations, notes).join('\n'),
    notVerified(result.unsupported).map(wrap).join('\n'),
    result.answer && result.imported && wrap(importNote(result.imported, result.citations.length)),
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
