import { isOneParagraph } from '../../library/index.ts'
import type { AskedQuestion, Candidate } from '../parts/parts.ts'
import { cite } from '../parts/quoting.ts'
import { phraseRow } from './phrase-row.ts'

/**
 * A candidate as it is shown, in the markup that the verification reads: the sentence that answers, then its neighbours; a
 * row with the names of its columns, and the header of its table quoted too. If it is sure, what answers is set in bold.
 */
export function writeQuote(quote: Candidate, passage: string, asked: AskedQuestion, isSure: boolean): string {
  const { id, row, text, snippet, start, end } = quote
  const shown = passage.slice(snippet.start, snippet.end)
  if (row) {
    return phraseRow(row, asked) + cite(id, row.header === '' ? [shown] : [shown, row.header])
  }
  const [before, after] = [passage.slice(snippet.start, start), passage.slice(end, snippet.end)]
  // Where what is shown has asterisks of its own, more of them would not read as bold.
  const isBold = isSure && !shown.includes('*') && !MARKED.test(text) && text !== shown
  const answer = isBold ? `**${text}**` : text
  const quoted = (words: string) => linesOf(words).map((line) => line + cite(id, [shown]))
  if (before.trim() === '') return quoted(before + answer + after).join('\n')
  // What is no sentence, such as a heading, says something with what follows it.
  if (!ENDS.test(text)) return [quoted(answer + after).join('\n'), quoted(before).join('\n')].join('\n\n')
  return [quoted(answer).join('\n'), [...quoted(before), ...quoted(after)].join('\n')].join('\n\n')
}

/** Items, rows, headings and what follows an empty line stay on lines of their own; others are joined. */
function linesOf(text: string): readonly string[] {
  const lines: string[] = []
  let before = ''
  for (const line of text.split('\n').map((each) => each.trim())) {
    const last = lines.at(-1)
    if (last !== undefined && before !== '' && line !== '' && isOneParagraph(before, line))
      lines[lines.length - 1] = `${last} ${line}`
    else if (line !== '') lines.push(line.replace(BULLET, '- '))
    before = line
  }
  return lines.map((line) => line.replaceAll(/\s+/g, ' '))
}

const BULLET = /^[•◦▪‣·*–—]\s+/
const MARKED = /^(?:[•◦▪‣·*–—-]|\(?\d{1,3}[.)])\s+\S/
const ENDS = /[.!?][”"’)\]]*\d*$/u
