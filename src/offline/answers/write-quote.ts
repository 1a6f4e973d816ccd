import { isRow } from '../../library/language/table.ts'
import { cite } from '../documents/quoting.ts'
import type { Candidate, ExtractiveParts } from '../parts/parts.ts'
import { phraseRow } from './phrase-row.ts'

type Wording = Pick<ExtractiveParts, 'readQuestion' | 'contentStems' | 'answerSpan'>

/**
 * A candidate as it is shown, in the markup that the verification reads: a sentence with its neighbours, in it what the
 * question asks for in bold; a row with the names of its columns, and the header of its table quoted too.
 */
export function writeQuote(quote: Candidate, passage: string, question: string, parts: Wording): string {
  const { id, row, text, snippet, start, end } = quote
  const shown = passage.slice(snippet.start, snippet.end)
  if (row) {
    const { text: said } = phraseRow(text, row, parts.readQuestion(question), parts.contentStems)
    return (
      said +
      cite(
        id,
        [shown, row.table.headerText].filter((each) => each.trim() !== ''),
      )
    )
  }
  const before = passage.slice(snippet.start, start)
  const marked = `${before}${highlighted(text, question, shown, parts)}${passage.slice(end, snippet.end)}`
  return linesOf(marked)
    .map((line) => line + cite(id, [shown]))
    .join('\n')
}

/** Items, rows and what follows an empty line stay on lines of their own; others are joined. */
function linesOf(text: string): readonly string[] {
  const lines: string[] = []
  let isParted = true
  for (const line of text.split('\n').map((each) => each.trim())) {
    const last = lines.at(-1)
    const goesOn = last !== undefined && !isParted && !MARKED.test(line) && !isRow(line) && !isRow(last)
    if (goesOn && line !== '') lines[lines.length - 1] = `${last} ${line}`
    else if (line !== '') lines.push(line.replace(BULLET, '- '))
    isParted = line === ''
  }
  return lines.map((line) => line.replaceAll(/\s+/g, ' '))
}

const BULLET = /^[•◦▪‣·*–—]\s+/
const MARKED = /^(?:[•◦▪‣·*–—-]|\(?\d{1,3}[.)])\s+\S/

/**
 * The time or figure that the question asks for set in bold, where it is plain which one that is; else the sentence that
 * answers, so that it is seen at once among its neighbours.
 */
function highlighted(text: string, question: string, shown: string, { answerSpan }: Wording): string {
  // Where what is shown has asterisks of its own, more of them would not read as bold.
  if (shown.includes('*')) return text
  const sentence = shown !== text && !MARKED.test(text) ? { start: 0, end: text.length } : null
  const span = answerSpan(question, text) ?? sentence
  return span ? `${text.slice(0, span.start)}**${text.slice(span.start, span.end)}**${text.slice(span.end)}` : text
}
