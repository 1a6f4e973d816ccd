import { stringify } from 'yaml'
import { importNote } from '../../answers/reliability.ts'
import { bibtexOf, referencesOf } from '../../claims/export/references.ts'
import type { Citation, DocumentRecord, KeptScore, RunSummary, ThreadMessage } from '../../index.ts'
import { describeNote } from '../../runs/log/describe-note.ts'
import { footnotes, notesOnSentences, notVerified } from '../output/answer/footnotes.ts'
import { plainText } from '../output/plain-text.ts'

export interface ExportedThread {
  readonly threadId: string
  readonly messages: readonly ThreadMessage[]
  readonly runs: readonly (RunSummary & { readonly scores?: readonly KeptScore[] })[]
  /** The documents of the library. */
  readonly documents: readonly DocumentRecord[]
}

export type ExportFormat = 'md' | 'json' | 'yaml' | 'bibtex'

/** A conversation as text. Text of models and documents cannot load an image, run markup or add an entry. */
export function exportThread(thread: ExportedThread, format: ExportFormat): string {
  return writers[format](thread)
}

const writers: Readonly<Record<ExportFormat, (thread: ExportedThread) => string>> = {
  md: toMarkdown,
  json: (thread) => `${JSON.stringify(toData(thread), null, 2)}\n`,
  yaml: (thread) => stringify(toData(thread), { aliasDuplicateObjects: false }),
  bibtex: (thread) => bibtexOf(referencesOf(citationsOf(thread), thread.documents)),
}

function toData({ threadId, messages, runs }: ExportedThread): unknown {
  const data = {
    threadId,
    messages: messages.map(({ runId: _, messageId: _id, createdAt: _at, added: _added, ...said }) => said),
    runs,
  }
  return JSON.parse(JSON.stringify(data), (_, value) => (typeof value === 'string' ? plainText(value) : value))
}

function toMarkdown({ threadId, messages }: ExportedThread): string {
  const turns = messages.map((message) => {
    const { role, content, citations = [], calculations, sentences, unsupported, imported } = message
    const text = inertMarkdown(content)
    if (role === 'user') return `## Question\n\n${text.replace(/^/gm, '> ')}`
    const notes = footnotes(citations, calculations).map((note) => `- ${inertMarkdown(note)}`)
    const [heading = '', ...left] = notVerified(unsupported).map(inertMarkdown)
    const worth = imported ? importNote(imported, citations.length) : ''
    const doubt = notesOnSentences(sentences).map(inertMarkdown).join('\n\n')
    const own = message.note ? inertMarkdown(describeNote(message.note)).replace(/^/gm, '> ') : ''
    const parts = ['## Answer', text, notes.join('\n'), doubt, heading, left.join('\n'), worth, own]
    return parts.filter((part) => part !== '').join('\n\n')
  })
  return `${[`# Thread ${threadId}`, ...turns].join('\n\n')}\n`
}

/** Markdown without HTML, images and hidden links: as entities, since the text before could escape a backslash. */
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
