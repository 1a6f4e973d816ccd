import { useEffect, useRef, useState } from 'preact/hooks'
import { documents, type LibraryDocument } from './api.ts'

interface Upload {
  readonly file: File
  readonly state: 'waiting' | 'reading' | 'added' | 'failed'
  readonly message: string | null
}

export interface DocumentsProps {
  /** The documents that questions search; empty means all. */
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (chosen: ReadonlySet<string>) => void
}

/** The library: what it holds, files to add, and which documents are asked. */
export function Documents({ chosen, onChoose }: DocumentsProps) {
  const [list, setList] = useState<readonly LibraryDocument[] | null>(null)
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const refresh = () =>
    documents.list().then(
      ({ documents: all }) => setList(all),
      (error: Error) => setProblem(error.message),
    )
  useEffect(() => void refresh(), [])
  const change = (file: File, state: Upload['state'], message: string | null = null) =>
    setUploads((all) => all.map((each) => (each.file === file ? { file, state, message } : each)))
  const add = async (files: readonly File[]) => {
    setUploads((all) => [
      ...all.filter(({ file }) => !files.includes(file)),
      ...files.map((file) => ({ file, state: 'waiting' as const, message: null })),
    ])
    for (const file of files) {
      change(file, 'reading')
      const { state, message } = await upload(file)
      change(file, state, message)
      await refresh()
    }
  }
  const onDragOver = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void add([...(event.dataTransfer?.files ?? [])])
  }
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    onChoose(next)
  }
  const remove = (document: LibraryDocument) => {
    if (!confirm(`Remove “${document.title ?? document.source}” from the library?`)) return
    documents.remove(document.documentId).then(refresh, (error: Error) => setProblem(error.message))
  }
  return (
    <section
      class="documents"
      aria-label="Documents"
      onDragOver={onDragOver}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <div class={isOver ? 'drop over' : 'drop'}>
        <p>Drop files here: PDF, Word, Excel, PowerPoint, HTML, Markdown, text, e-books, mail.</p>
        <button type="button" class="primary" onClick={() => input.current?.click()}>
          Choose files
        </button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          onChange={(event) => void add([...(event.currentTarget.files ?? [])])}
        />
      </div>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {uploads.length > 0 && (
        <ul class="uploads" aria-live="polite">
          {uploads.map(({ file, state, message }) => (
            <li class={state}>
              <span>{file.name}</span> <small>{message ?? states[state]}</small>
              {state === 'reading' && <progress />}
              {state === 'failed' && (
                <button type="button" onClick={() => void add([file])}>
                  Try again
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {list?.length === 0 && <p class="empty">The library is empty. Add a document, then ask about it.</p>}
      {list && list.length > 0 && (
        <>
          <p class="count">
            {chosen.size === 0
              ? `Questions search all ${list.length} documents.`
              : `Questions search ${chosen.size} of ${list.length} documents.`}
            {chosen.size > 0 && (
              <button type="button" onClick={() => onChoose(new Set())}>
                Search all
              </button>
            )}
          </p>
          <ul class="library">
            {list.map((document) => (
              <li>
                <label>
                  <input
                    type="checkbox"
                    checked={chosen.has(document.documentId)}
                    onChange={() => toggle(document.documentId)}
                  />
                  <span>
                    {document.title ?? document.source}
                    <small>{describe(document)}</small>
                  </span>
                </label>
                {document.removable && (
                  <button
                    type="button"
                    class="remove"
                    aria-label={`Remove ${document.title ?? document.source}`}
                    onClick={() => remove(document)}
                  >
                    ✕
                  </button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

/** Sends a file, and says what became of it. */
async function upload(file: File): Promise<Pick<Upload, 'state' | 'message'>> {
  try {
    const [added] = (await documents.add(file)).documents
    if (!added) return { state: 'failed', message: 'Files of this kind are not read.' }
    return added.status === 'failed'
      ? { state: 'failed', message: added.error?.message ?? null }
      : { state: 'added', message: null }
  } catch (error) {
    return { state: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

const states: Readonly<Record<Upload['state'], string>> = {
  waiting: 'waiting',
  reading: 'reading …',
  added: 'added',
  failed: 'not added',
}

function describe({ authors, year, pages, source, format }: LibraryDocument): string {
  const who = authors.length > 2 ? `${authors[0]} and others` : authors.join(', ')
  const size = format === 'pdf' || format === 'pptx' ? `${pages} page${pages === 1 ? '' : 's'}` : format
  return [who, year, size, source].filter(Boolean).join(' · ')
}
