import { importNote } from '../../answers/reliability.ts'
import { withNotes } from '../answer/footnote.tsx'
import { type ThreadMessage, threads } from '../api/requests.ts'

/** Saves a conversation as Markdown, with the quotes of its footnotes. */
export async function exportThread(threadId: string, title: string): Promise<void> {
  const { messages } = await threads.messages(threadId)
  const text = `# ${title}\n\n${messages.map(written).join('\n\n')}\n`
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/markdown' }))
  link.download = `${fileName(title)}.md`
  link.click()
  URL.revokeObjectURL(link.href)
}

function written(message: ThreadMessage): string {
  const { role, content, citations = [], imported } = message
  if (role === 'user') return `## ${content}`
  // Markers count anew in each answer, so its notes stand below it.
  const notes = withNotes(content, message)
  return imported ? `${notes}\n\n${importNote(imported, citations.length)}` : notes
}

function fileName(title: string): string {
  const plain = title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '')
  return plain.slice(0, 60) || 'conversation'
}
