import { stringify } from 'yaml'
import type { Citation, DocumentRecord, KeptScore, RunSummary, ThreadMessage } from '../../index.ts'
import { footnotes } from '../output/answer/render-answer.ts'
import { plainText } from '../output/plain-text.ts'
import { bibtexEntries } from './bibtex.ts'

/** A conversation, and what is needed to write it down elsewhere. */
export interface ExportedThread {
  readonly threadId: string
  readonly messages: readonly ThreadMessage[]
  /** With what was said of them. */
  readonly runs: readonly (RunSummary & { readonly scores?: readonly KeptScore[] })[]
  /** Documents of the library; those that are cited are named in full. */
  readonly documents: readonly DocumentRecord[]
}

export type ExportFormat = 'md' | 'json' | 'yaml' | 'bibtex'

/**
 * A conversation as text: `md` to read, `json` and `yaml` to process (`{ threadId, messages: [{ role, content,
 * citations? }], runs }`), `bibtex` for the documents that it cites. Text of models and documents stays text: it can
 * load no image, run no markup, add no entry.
 */
export function exportThread(thread: ExportedThread, format: ExportFormat): string {
  return writers[format](thread)
}

const writers: Readonly<Record<ExportFormat, (thread: ExportedThread) => string>> = {
  md: toMarkdown,
  json: (thread) => `${JSON.stringify(toData(thread), null, 2)}\n`,
  yaml: (thread) => stringify(toData(thread), { aliasDuplicateObjects: false }),
  bibtex: (thread) => bibtexEntries(citationsOf(thread), thread.documents),
}

/** The thread as data, without anything in its texts that a terminal would obey. */
function toData({ threadId, messages, runs }: ExportedThread): unknown {
  const data = {
    threadId,
    messages: messages.map(({ role, content, citations }) => ({ role, content, ...(citations && { citations }) })),
    runs,
  }
  return JSON.parse(JSON.stringify(data), (_, value) => (typeof value === 'string' ? plainText(value) : value))
}

function toMarkdown({ threadId, messages }: ExportedThread): string {
  const turns = messages.map(({ role, content, citations = [] }) => {
    const text = inertMarkdown(content)
    if (role === 'user') return `## Question\n\n${text.replace(/^/gm, '> ')}`
    const notes = footnotes(citations).map((note) => `- ${inertMarkdown(note)}`)
    return ['## Answer', text, ...(notes.length > 0 ? [notes.join('\n')] : [])].join('\n\n')
  })
  return `${[`# Thread ${threadId}`, ...turns].join('\n\n')}\n`
}

/**
 * Markdown that formats but does nothing: no HTML, no image, no link but one that is written out. Entities are used,
 * since a backslash can itself be escaped by the text before it.
 */
function inertMarkdown(text: string): string {
  return plainText(text)
    .trim()
    .replace(/<(?=[a-z/!?])/gi, '&lt;')
    .replace(/!\[/g, '!&#91;')
    .replace(/\](?=[(:])/g, '&#93;')
}

function citationsOf({ messages }: ExportedThread): readonly Citation[] {
  return messages.flatMap(({ citations = [] }) => citations)
}
