import { useEffect, useRef, useState } from 'preact/hooks'
import {
  type Details,
  documents,
  type KeptFolder,
  type LibraryDocument,
  type Limit,
  pause,
  type SearchHit,
  useLoaded,
} from '../api/requests.ts'
import { count, Form, Problem, SendOrBack, useKept } from '../controls.tsx'
import { AboutDocument, type SuggestedProps } from './about-document.tsx'
import { TagChips } from './limits.tsx'
import { Passages } from './passages.tsx'
import { Uploads, useUploads } from './uploads.tsx'

/** The documents of the library, those that questions search, and files on their way into it. */
export function useLibrary(onProblem: (error: Error) => void) {
  const [list, setList] = useState<readonly LibraryDocument[] | null>(null)
  // Kept in the tab: a table and a report are found again by the documents that they ask.
  const [kept, keep] = useKept('quaero documents')
  const [keptLimit, keepLimit] = useKept('quaero limit')
  const limit: Limit | null = keptLimit === '' ? null : JSON.parse(keptLimit)
  const isThere = (id: string) => list === null || list.some(({ documentId }) => documentId === id)
  const chosen: ReadonlySet<string> = new Set(kept.split(' ').filter((id) => id !== '' && isThere(id)))
  const choose = (ids: Iterable<string>) => keep([...ids].join(' '))
  const refresh = () => documents.list().then(setList, onProblem)
  useEffect(() => void refresh(), [])
  return {
    /** Null until they are known. */
    list,
    /** By id; empty means all. */
    chosen,
    choose,
    /** Chooses a document, or no longer. */
    toggle: (id: string) => choose(chosen.has(id) ? [...chosen].filter((each) => each !== id) : [...chosen, id]),
    refresh: () => void refresh(),
    limit: limit ?? noLimit,
    /** Null leaves a conversation its own. */
    limitTo: (wanted: Limit | null) => keepLimit(wanted ? JSON.stringify(wanted) : ''),
    /** What questions are sent with. A conversation keeps its limits until others are chosen here. */
    choice: { ...(chosen.size > 0 && { documentIds: [...chosen] }), ...limit },
    uploads: useUploads(() => void refresh()),
    remove: (id: string) => void documents.remove(id).then(refresh, onProblem),
    set: (id: string, details: Details) => void documents.set(id, details).then(refresh, onProblem),
  }
}

const noLimit: Limit = { tags: [], where: '' }

type Library = ReturnType<typeof useLibrary>

export interface DocumentsProps extends Pick<SuggestedProps<Library>, 'onSuggest'> {
  readonly library: Library
  readonly onAdd: (files: readonly File[]) => void
}

/** The library: what it holds, files to add, which documents are asked, and search. */
export function Documents({ library, onAdd, onSuggest }: DocumentsProps) {
  const { list, chosen, choose, uploads, limit } = library
  const isLimited = limit.tags.length > 0 || limit.where !== ''
  // Asked for anew where a document has got other tags.
  const key = isLimited ? JSON.stringify([limit, list?.map(({ tags }) => tags)]) : null
  const { value: fitting, error } = useLoaded(key, () => documents.list(limit))
  const ids = fitting && new Set(fitting.map(({ documentId }) => documentId))
  const shown = (list ?? []).filter(({ documentId }) => !isLimited || ids?.has(documentId))
  const searched = shown.filter(({ documentId }) => chosen.size === 0 || chosen.has(documentId))
  return (
    <div class="documents">
      <h1>Documents</h1>
      <DropZone onAdd={onAdd} />
      <Uploads {...uploads} />
      <KeptFolders onChange={library.refresh} />
      {list?.length === 0 && <p class="empty">The library is empty. Add a document, then ask about it.</p>}
      {list && list.length > 0 && (
        <>
          <LibrarySearch />
          <TagChips library={library} />
          {error && <Problem>{error}</Problem>}
          <p class="count">
            {chosen.size === 0 && !isLimited
              ? `Questions search ${list.length === 1 ? 'this document' : `all ${list.length} documents. Choose some to search only these`}.`
              : `Questions search ${searched.length} of ${list.length} documents.`}
            {chosen.size > 0 && (
              <button type="button" onClick={() => choose([])}>
                Search all
              </button>
            )}
          </p>
          <ul class="rows library" aria-label="The library">
            {shown.map((document) => (
              <DocumentRow key={document.documentId} {...{ document, library, onSuggest }} />
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
      <p class="quiet">
        PDF, Word, OpenDocument, RTF, Excel, PowerPoint, HTML, Markdown, text, e-books, mail, pictures
      </p>
      <button type="button" class="primary" onClick={() => input.current?.click()}>
        Choose files
      </button>
      <input ref={input} type="file" multiple hidden aria-label="Files to add" onChange={choose} />
    </div>
  )
}

const lookEveryMs = 10_000

/** The folders that the server keeps current, if it does; `onChange` hears when one has changed. */
function KeptFolders({ onChange }: { readonly onChange: () => void }) {
  const [folders, show] = useState<readonly KeptFolder[]>([])
  const isAny = folders.length > 0
  useEffect(() => {
    const look = () => void documents.folders().then(show, () => {})
    look()
    const timer = isAny ? setInterval(look, lookEveryMs) : undefined
    return () => clearInterval(timer)
  }, [isAny])
  const changed = folders.map(({ changedAt }) => changedAt).join()
  useEffect(() => {
    if (isAny) onChange()
  }, [changed])
  return folders.map(({ name, changedAt, counts, problem }) => (
    <p class="count" role="status">
      {problem ? `Folder ${name}: ${problem.message}.` : `The folder ${name} is kept current.`}
      {changedAt &&
        ` Last change: ${new Date(changedAt).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })}`}
      {changedAt && ` Since it is kept: ${countsInWords(counts)}.`}
    </p>
  ))
}

function countsInWords(counts: KeptFolder['counts']): string {
  const some = Object.entries(counts).filter(([, number]) => number > 0)
  return some.map(([what, number]) => `${number} ${what}`).join(', ')
}

const mostFound = 6
const patienceMs = 250

/** Searches the passages of the library, without an answer. */
function LibrarySearch() {
  const [words, setWords] = useState('')
  const isAsked = words.trim() !== ''
  const { value, error } = useLoaded(isAsked ? words : null, async (signal) => {
    await pause(patienceMs, signal)
    return documents.search(words, mostFound)
  })
  // What was found before stays until more is known.
  const hits = useRef<readonly SearchHit[] | undefined>(undefined)
  hits.current = isAsked ? (value ?? hits.current) : undefined
  return (
    <div class="library-search">
      <input
        type="search"
        aria-label="Search the documents"
        placeholder="Search the documents for words"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <p class="quiet" role="status">
        {error ?? (hits.current?.length === 0 ? 'No passage holds these words.' : '')}
      </p>
      {hits.current && hits.current.length > 0 && <Passages hits={hits.current} label="Passages found" />}
    </div>
  )
}

interface DocumentRowProps extends Pick<DocumentsProps, 'library' | 'onSuggest'> {
  readonly document: LibraryDocument
}

/** A document: chosen for questions or not, what it says of itself, its title, authors and year to correct, and removed. */
function DocumentRow({ document, library, onSuggest }: DocumentRowProps) {
  const [isEdited, edit] = useState(false)
  const [isOpen, open] = useState(false)
  const { documentId, removable, editable } = document
  const name = document.title ?? document.source
  const save = (details: Details) => {
    edit(false)
    library.set(documentId, details)
  }
  if (isEdited) {
    return (
      <li>
        <DetailsForm document={document} onSave={save} onBack={() => edit(false)} />
      </li>
    )
  }
  return (
    <li>
      <label class="what">
        <input type="checkbox" checked={library.chosen.has(documentId)} onChange={() => library.toggle(documentId)} />
        <span>
          {name}
          <small>{describe(document)}</small>
        </span>
      </label>
      <span class="row-tools">
        <button type="button" aria-label={`About ${name}`} aria-expanded={isOpen} onClick={() => open(!isOpen)}>
          About
        </button>
        {editable && (
          <button type="button" aria-label={`Edit ${name}`} onClick={() => edit(true)}>
            Edit
          </button>
        )}
        {removable && (
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => confirm(`Remove “${name}” from the library?`) && library.remove(documentId)}
          >
            Remove
          </button>
        )}
      </span>
      {isOpen && <AboutDocument of={document} onSuggest={onSuggest} />}
    </li>
  )
}

interface DetailsFormProps {
  readonly document: LibraryDocument
  readonly onSave: (details: Details) => void
  readonly onBack: () => void
}

/** An emptied field takes the correction back: what was read in the document stands again. */
function DetailsForm({ document, onSave, onBack }: DetailsFormProps) {
  const was = {
    title: document.title ?? '',
    authors: document.authors.join('; '),
    year: String(document.year ?? ''),
    tags: document.tags.join(', '),
  }
  const save = ({ title = '', authors = '', year = '', tags = '' }) => {
    const names = authors.split(/[;\n]/).map((each) => each.trim())
    const written = names.filter((each) => each !== '')
    // What was not touched stays as it was read.
    onSave({
      ...(title !== was.title && { title: title.trim() || null }),
      ...(authors !== was.authors && { authors: written.length > 0 ? written : null }),
      ...(year !== was.year && { year: Number(year) || null }),
      ...(tags !== was.tags && { tags: tags.split(',').flatMap((tag) => tag.trim() || []) }),
    })
  }
  return (
    <Form class="details" onSend={save}>
      <label>
        Title
        <input name="title" defaultValue={was.title} maxLength={1000} />
      </label>
      <label>
        Authors, separated by semicolons
        <input name="authors" defaultValue={was.authors} />
      </label>
      <label class="short">
        Year
        <input name="year" defaultValue={was.year} inputMode="numeric" pattern="\d{4}" />
      </label>
      <label>
        Tags, separated by commas
        <input name="tags" defaultValue={was.tags} />
      </label>
      <SendOrBack send="Save" onBack={onBack} />
    </Form>
  )
}

function describe({ authors, year, pages, source, format, tags, reference }: LibraryDocument): string {
  const who = authors.length > 2 ? `${authors[0]} and others` : authors.join('; ')
  const size = format === 'pdf' || format === 'pptx' ? count(pages, 'page') : format
  return [reference?.id, who, year, size, source, tags.join(', ')].filter(Boolean).join(' · ')
}
