import { useRef } from 'preact/hooks'
import type { Citation } from '../api/requests.ts'
import { DocumentRow } from './document-row.tsx'
import { LibrarySearch } from './library-search.tsx'
import { Uploads, type UploadsState } from './uploads.tsx'
import type { LibraryState } from './use-library.ts'

export interface DocumentsProps {
  readonly library: LibraryState
  readonly uploads: UploadsState
  /** The documents that questions search; empty means all. */
  readonly chosen: ReadonlySet<string>
  readonly onAdd: (files: readonly File[]) => void
  readonly onChoose: (chosen: ReadonlySet<string>) => void
  readonly onOpen: (citation: Citation) => void
}

/** The library: what it holds, files to add, which documents are asked, and search. */
export function Documents({ library, uploads, chosen, onAdd, onChoose, onOpen }: DocumentsProps) {
  const { list } = library
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    onChoose(next)
  }
  return (
    <div class="documents">
      <h1>Documents</h1>
      <DropZone onAdd={onAdd} />
      <Uploads {...uploads} />
      {list?.length === 0 && <p class="empty">The library is empty. Add a document, then ask about it.</p>}
      {list && list.length > 0 && (
        <>
          <LibrarySearch onOpen={onOpen} />
          <p class="count">
            {chosen.size === 0
              ? `Questions search ${list.length === 1 ? 'this document' : `all ${list.length} documents. Choose some to search only these`}.`
              : `Questions search ${chosen.size} of ${list.length} documents.`}
            {chosen.size > 0 && (
              <button type="button" onClick={() => onChoose(new Set())}>
                Search all
              </button>
            )}
          </p>
          <ul class="rows library" aria-label="The library">
            {list.map((document) => (
              <DocumentRow
                key={document.documentId}
                document={document}
                isChosen={chosen.has(document.documentId)}
                onToggle={() => toggle(document.documentId)}
                onRemove={() => library.remove(document.documentId)}
                onSet={(details) => library.set(document.documentId, details)}
              />
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

/** Where files are chosen; they may be dropped anywhere on the page. */
export function DropZone({ onAdd }: Pick<DocumentsProps, 'onAdd'>) {
  const input = useRef<HTMLInputElement>(null)
  const choose = () => {
    if (!input.current) return
    onAdd([...(input.current.files ?? [])])
    input.current.value = ''
  }
  return (
    <div class="drop">
      <p>Drop files here</p>
      <p class="quiet">PDF, Word, Excel, PowerPoint, HTML, Markdown, text, e-books, mail</p>
      <button type="button" class="primary" onClick={() => input.current?.click()}>
        Choose files
      </button>
      <input ref={input} type="file" multiple hidden aria-label="Files to add" onChange={choose} />
    </div>
  )
}
