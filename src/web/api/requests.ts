import { useEffect, useState } from 'preact/hooks'
import type {
  ClaimQuote,
  ClaimStanding,
  DocumentDetails,
  DocumentRecord,
  PageTable,
  RunResult,
  RunSummary,
  SearchHit,
  StreamEvent,
  ThreadMessage,
  ThreadRecord,
} from 'quaero'
import { hasPages, pageName } from '../../library/port/document.ts'

export type { ClaimStanding, RunResult, RunSummary, SearchHit, StreamEvent, ThreadMessage, ThreadRecord }
export type Citation = RunResult['citations'][number]
/** What of a result an answer shows. */
export type Answered = Pick<RunResult, 'answer' | 'citations' | 'calculations' | 'sentences' | 'unsupported'> &
  Pick<RunResult, 'highlights' | 'imported' | 'confidence' | 'model'>
/** The text of a page, and the tables in it that were asked for. */
export interface PageOfDocument {
  readonly text: string
  readonly confidence: number | null
  readonly tables: readonly PageTable[]
}
/** How many pages a document has, and those that have another number in print. */
export interface PagesOfDocument {
  readonly pages: number
  readonly printed: readonly { readonly page: number; readonly printed: string }[]
}
export type FileState = 'unchanged' | 'changed' | 'none'
export type LibraryDocument = DocumentRecord & { readonly editable: boolean; readonly removable: boolean }
export type OpenedDocument = LibraryDocument & Pick<DocumentDetails, 'summary' | 'questions' | 'recognised'>
/** A passage that was found, or a sentence in its place. */
export type Found = Omit<SearchHit, 'rank' | 'score' | 'passageId' | 'also'>

/** True for two footnotes on the same words. */
export function isSame(one: Citation, other: Citation | null): boolean {
  const isOnPage = one.documentId === other?.documentId && one.page === other.page
  return isOnPage && one.start === other.start && one.end === other.end
}

/** A passage of the library, opened like a footnote. */
export function citationOf(hit: Found, marker: number): Citation {
  const { documentId, title, source, page, section, text, start, end } = hit
  const place = { documentId, title, source, page, section, start, end }
  return { ...place, marker, label: placeOf(hit), quote: text, verified: true }
}

/** Words that a claim quotes, opened like a footnote. */
export function citationOfQuote({ text, ...place }: ClaimQuote, marker: number): Citation {
  const label = `${place.title ?? place.source}, ${pageName(place.page)}`
  return { ...place, marker, label, quote: text, verified: true }
}

/** The page of a passage, or its section where its document has no pages. */
export function placeOf({ format, page, pageLabel, section }: Found): string {
  return hasPages(format, page) || !section ? pageName(page, pageLabel) : section
}

/** What the server refused, in its own words. */
export class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** The server did not answer at all. */
export class Offline extends Error {}

const unreachable = 'The server does not answer. It may have stopped: start it again with "quaero serve".'

/** Throws `Offline`, or `Refused` for a status that is no success. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, init).catch(() => {
    throw init.signal?.aborted ? init.signal.reason : new Offline(unreachable)
  })
  if (response.ok) return response
  throw refusalOf(response.status, await response.json().catch(() => null))
}

function refusalOf(status: number, body: unknown): Refused {
  const { code = 'unexpected', message = `The server answered with status ${status}.` } = problemIn(body)
  return new Refused(status, code, message)
}

function problemIn(body: unknown): { readonly code?: string; readonly message?: string } {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null
  return typeof error === 'object' && error !== null ? error : {}
}

/** JSON of the server, which checks it against the schema of the route. */
async function json<T>(path: string, init?: RequestInit): Promise<T> {
  return (await send(path, init)).json()
}

export function body(value: unknown, method = 'POST'): RequestInit {
  return { method, body: JSON.stringify(value), headers: { 'content-type': 'application/json' } }
}

/** What the page knows of its server. */
export interface Session {
  /** What is written here: digests, where there is no language model. */
  readonly reports: 'report' | 'digest'
}

/** Exchanges the token of the printed link for a cookie that scripts cannot read; whoever has the cookie needs no token. */
export function begin(token: string | null): Promise<Session> {
  return json('/api/session', { method: 'POST', ...(token && { headers: { authorization: `Bearer ${token}` } }) })
}

export const threads = {
  list: (search: string) =>
    json<{ threads: readonly ThreadRecord[] }>(`/api/threads?limit=100&search=${encodeURIComponent(search)}`),
  messages: (id: string) => json<{ messages: readonly ThreadMessage[] }>(`/api/threads/${id}`),
  /** Sentences of its answers that no longer stand in the documents of now. */
  async fallen(id: string): Promise<readonly ClaimStanding[]> {
    const { claims } = await json<{ claims: readonly ClaimStanding[] }>(`/api/claims/check?threadId=${id}`)
    return claims.filter(({ stands }) => !stands)
  },
  rename: (id: string, title: string) => json(`/api/threads/${id}`, body({ title }, 'PATCH')),
  fork: (id: string, at: number) => json<{ threadId: string }>(`/api/threads/${id}/fork`, body({ at })),
  remove: (id: string) => json(`/api/threads/${id}`, { method: 'DELETE' }),
}

export const runs = {
  of: (threadId: string) => json<{ runs: readonly RunSummary[] }>(`/api/runs?limit=200&threadId=${threadId}`),
  result: (id: string) => json<RunResult>(`/api/runs/${id}`),
  cancel: (id: string) => json(`/api/runs/${id}/cancel`, { method: 'POST' }),
  note: (id: string, text: string) =>
    json<{ note: RunResult['note'] | null }>(`/api/runs/${id}/note`, body({ text }, 'PUT')),
}

/** What questions are limited to: documents with each of the tags that fit the filter; an empty one is none. */
export interface Limit {
  readonly tags: readonly string[]
  readonly where: string
}

/** What may be corrected of a document; null takes a correction back. */
export interface Details {
  readonly title?: string | null
  readonly authors?: readonly string[] | null
  readonly year?: number | null
  readonly tags?: readonly string[]
}

/** Of a file that was sent. */
export interface Added {
  readonly status: string
  readonly error: { readonly code: string; readonly message: string } | null
}

/** Workers that are connected, and questions that wait for one; neither where there is no queue. */
export const queue = {
  state: () => json<{ readonly workers?: number; readonly waiting?: number }>('/ready'),
}

/** A folder that the server keeps current. */
export interface KeptFolder {
  readonly name: string
  /** An ISO time. */
  readonly changedAt: string | null
  /** How many files were added, changed, failed and so on. */
  readonly counts: Readonly<Record<string, number>>
  readonly problem: { readonly message: string } | null
}

export const documents = {
  async list({ tags, where }: Limit = { tags: [], where: '' }): Promise<readonly LibraryDocument[]> {
    const filter = new URLSearchParams([['where', where], ...tags.map((tag) => ['tag', tag])])
    const all: LibraryDocument[] = []
    for (let cursor: number | null = 0; cursor !== null; ) {
      const page: { documents: readonly LibraryDocument[]; next: number | null } = await json(
        `/api/documents?limit=200&cursor=${cursor}&${filter}`,
      )
      all.push(...page.documents)
      cursor = page.next
    }
    return all
  },
  folders: async () => (await json<{ folders: readonly KeptFolder[] }>('/api/folders')).folders,
  remove: (id: string) => json(`/api/documents/${id}`, { method: 'DELETE' }),
  set: (id: string, details: Details) => json<LibraryDocument>(`/api/documents/${id}`, body(details, 'PATCH')),
  open: (id: string) => json<OpenedDocument>(`/api/documents/${id}`),
  pages: (id: string) => json<PagesOfDocument>(`/api/documents/${id}/pages`),
  page: (id: string, page: number, tables: { readonly start: number; readonly end: number } | null) =>
    json<PageOfDocument>(
      `/api/documents/${id}/pages/${page}${tables ? `?start=${tables.start}&end=${tables.end}` : ''}`,
    ),
  search: async (words: string, limit: number) =>
    (await json<{ hits: readonly SearchHit[] }>(`/api/search?limit=${limit}&q=${encodeURIComponent(words)}`)).hits,
  state: (id: string) => json<{ file: FileState }>(`/api/documents/${id}/state`),
  add,
}

/** Sends a file, an encrypted one with its password; `onSent` hears which share of it the server has. */
function add(file: File, onSent: (share: number) => void, password?: string): Promise<Added> {
  return new Promise((resolve, reject) => {
    // The one way in which a browser tells how much of a request it has sent.
    const request = new XMLHttpRequest()
    request.open('POST', `/api/documents?name=${encodeURIComponent(file.name)}`)
    request.setRequestHeader('content-type', 'application/octet-stream')
    if (password !== undefined) request.setRequestHeader('x-document-password', encodeURIComponent(password))
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onSent(loaded / total)
    request.onerror = () => reject(new Offline(unreachable))
    request.onload = () => {
      if (request.status !== 200) return reject(refusalOf(request.status, request.response))
      resolve(request.response.documents[0])
    }
    request.send(file)
  })
}

/** A piece of a stream, as the server has written it. */
export interface Frame<Data> {
  readonly event: string
  readonly data: Data
}

/** The pieces of a stream, each of the form that its route sends. Throws `Refused` where something went wrong meanwhile. */
export async function* framesOf<Data>(response: Response): AsyncGenerator<Frame<Data>> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) return
  let text = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += read.value
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) yield* frameOf<Data>(frame)
  }
}

function* frameOf<Data>(frame: string): Generator<Frame<Data>> {
  const lines = frame.split('\n')
  const said = (field: string) => lines.flatMap((line) => (line.startsWith(field) ? [line.slice(field.length)] : []))
  const data = said('data: ')
  if (data.length === 0) return
  const value = JSON.parse(data.join('\n'))
  const [event = ''] = said('event: ')
  if (event === 'error') {
    const { code = 'unexpected', message = 'The run failed.' } = problemIn(value)
    throw new Refused(500, code, message)
  }
  yield { event, data: value }
}

/** What a request brought, or why it brought nothing; neither while that is not known. */
export interface Loaded<T> {
  readonly value?: T
  readonly error?: string
}

/** Loads what belongs to a key, anew for each key; null loads nothing. Never returns what another key brought. */
export function useLoaded<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [known, setKnown] = useState<Loaded<T> & { readonly of?: string }>({})
  useEffect(() => {
    if (key === null) return
    const leaving = new AbortController()
    const know = (loaded: Loaded<T>) => leaving.signal.aborted || setKnown({ of: key, ...loaded })
    load(leaving.signal).then(
      (value) => know({ value }),
      (error: Error) => know({ error: error.message }),
    )
    return () => leaving.abort()
  }, [key])
  return known.of === key ? known : nothingYet
}

const nothingYet: Loaded<never> = {}

/** Resolves after a while; rejects if nobody waits any more. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
