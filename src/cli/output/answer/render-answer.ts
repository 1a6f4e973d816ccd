import pc from 'picocolors'
import { importNote } from '../../../answers/reliability.ts'
import type { RunResult, ThreadMessage, Unsupported } from '../../../index.ts'
import { describeNote } from '../../../runs/log/describe-note.ts'
import { plainLines, plainText, wrapped } from '../plain-text.ts'
import type { FootnoteLink } from '../terminal.ts'
import { footnotes, notesOnSentences, notVerified } from './footnotes.ts'
import { highlight, renderMarkdown, withoutHighlights } from './render-markdown.ts'

export interface RenderOptions {
  /** False in pipes and where NO_COLOR is set. */
  readonly color: boolean
  /** Columns of the terminal; infinite in a pipe, which gets whole lines. */
  readonly width: number
  /** Where footnotes lead, on a terminal with hyperlinks. */
  readonly link?: FootnoteLink | undefined
}

/** An answer for people: text without control sequences and without the marks of Markdown, with styles where `color`. */
export function renderAnswer(result: RunResult, options: RenderOptions): string {
  const { answer, clarification, abstained, confidence } = result
  const style = pc.createColors(options.color)
  const percent = answer && !abstained && confidence !== null && `Confidence: ${Math.round(100 * confidence)}%`
  const noted = {
    ...result,
    citations: result.citations,
    content: answer ? highlighted(result) : (clarification ?? ''),
  }
  return renderMessage(noted, options, percent ? style.dim(percent) : '')
}

type Noted = Pick<ThreadMessage, 'content' | 'runId' | 'citations' | 'calculations' | 'sentences' | 'unsupported'>
type Message = Noted & Pick<ThreadMessage, 'note'> & { readonly imported?: ThreadMessage['imported'] | null }

/** What an assistant has said: its text, `after` behind it, its footnotes, and apart what is not verified. */
export function renderMessage(message: Message, { color, width, link }: RenderOptions, after = ''): string {
  const { content, runId, citations = [], calculations, sentences, unsupported, imported } = message
  const wrap = (line: string) => wrapped(line, width, '    ')
  const notes = {
    width,
    link: link && ((citation: RunResult['citations'][number]) => link(runId, citation)),
  }
  const parts = [
    renderMarkdown(plainText(content), { color, width }),
    after,
    footnotes(citations, calculations, notes).join('\n'),
    notesOnSentences(sentences).map(wrap).join('\n'),
    notVerified(unsupported?.map(withoutMarks)).map(wrap).join('\n'),
    content && imported ? wrap(importNote(imported, citations.length)) : '',
    message.note ? plainLines(describeNote(message.note)) : '',
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function withoutMarks({ text, reason }: Unsupported): Unsupported {
  const plain = { color: false, width: Number.POSITIVE_INFINITY }
  return { text: renderMarkdown(plainText(text), plain), reason }
}

/** The answer, with the words between marks that answer most shortly. */
function highlighted({ answer, highlights }: RunResult): string {
  if (answer !== withoutHighlights(answer)) return withoutHighlights(answer)
  const at = [...highlights].sort((a, b) => b.start - a.start)
  return at.reduce(
    (text, { start, end }) =>
      `${text.slice(0, start)}${highlight.start}${text.slice(start, end)}${highlight.end}${text.slice(end)}`,
    answer,
  )
}
