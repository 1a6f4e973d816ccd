import type { DocumentRecord, RunResult, RunSummary, SearchHit, StreamEvent, ThreadMessage, ThreadRecord } from 'quaero'

export type { RunResult, RunSummary, StreamEvent, ThreadMessage, ThreadRecord }
export type Citation = RunResult['citations'][number]
export type LibraryDocument = DocumentRecord & { readonly removable: boolean }

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

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, init).catch(() => {
    throw init.signal?.aborted ? init.signal.reason : new Offline(unreachable)
  })
  if (response.ok) return response
  const body: unknown = await response.json().catch(() => null)
  const { code = 'unexpected', message = `The server answered with status ${response.status}.` } = problemIn(body)
  throw new Refused(response.status, code, message)
}

function problemIn(body: unknown): { readonly code?: string; readonly message?: string } {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null
  return typeof error === 'object' && error !== null ? error : {}
}

/** JSON of the server, which checks it against the schema of the route. */
async function json<T>(path: string, init?: RequestInit): Promise<T> {
  return (await send(path, init)).json() as Promise<T>
}

function body(value: unknown, method = 'POST'): RequestInit {
  return { method, body: JSON.stringify(value), headers: { 'content-type': 'application/json' } }
}

/** Exchanges the token of the printed link for a cookie that scripts cannot read. */
export async function begin(token: string): Promise<void> {
  await json('/api/session', { method: 'POST', headers: { authorization: `Bearer ${token}` } })
}

export const threads = {
  list: (search: string) =>
    json<{ threads: readonly ThreadRecord[] }>(`/api/threads?limit=100&search=${encodeURIComponent(search)}`),
  messages: (id: string) => json<{ messages: readonly ThreadMessage[] }>(`/api/threads/${id}`),
  fork: (id: string, at: number) => json<{ threadId: string }>(`/api/threads/${id}/fork`, body({ at })),
  remove: (id: string) => json(`/api/threads/${id}`, { method: 'DELETE' }),
}

export const runs = {
  of: (threadId: string) => json<{ runs: readonly RunSummary[] }>(`/api/runs?limit=200&threadId=${threadId}`),
  result: (id: string) => json<RunResult>(`/api/runs/${id}`),
  cancel: (id: string) => json(`/api/runs/${id}/cancel`, { method: 'POST' }),
}

export const documents = {
  list: () => json<{ documents: readonly LibraryDocument[] }>('/api/documents?limit=200'),
  remove: (id: string) => json(`/api/documents/${id}`, { method: 'DELETE' }),
  set: (id: string, change: { readonly title?: string; readonly year?: number | null }) =>
    json<LibraryDocument>(`/api/documents/${id}`, body(change, 'PATCH')),
  page: (id: string, page: number) => json<{ text: string }>(`/api/documents/${id}/pages/${page}`),
  search: (words: string) =>
    json<{ hits: readonly SearchHit[] }>(`/api/search?limit=12&q=${encodeURIComponent(words)}`),
  add: (file: File) =>
    json<{ documents: readonly { readonly status: string; readonly error: { readonly message: string } | null }[] }>(
      `/api/documents?name=${encodeURIComponent(file.name)}`,
      { method: 'POST', body: file, headers: { 'content-type': 'application/octet-stream' } },
    ),
}

export interface NewQuestion {
  readonly question: string
  readonly threadId: string
  readonly documentIds?: readonly string[]
  readonly idempotencyKey: string
}

export function ask(question: NewQuestion, signal: AbortSignal): AsyncIterable<StreamEvent> {
  return reconnecting('/api/ask', body({ ...question, approve: 'ask' }), signal)
}

export function follow(runId: string, signal: AbortSignal): AsyncIterable<StreamEvent> {
  return reconnecting(`/api/runs/${runId}/events`, {}, signal)
}

export interface Answer {
  readonly approved: boolean
  readonly reason?: string
  readonly args?: Readonly<Record<string, unknown>>
}

export function resume(runId: string, answers: Readonly<Record<string, Answer>>, signal: AbortSignal) {
  return reconnecting(`/api/runs/${runId}/resume`, body({ answers }), signal)
}

const mostTries = 6

/** The events of a run; where the connection is cut, reading goes on after the last event that came. */
async function* reconnecting(path: string, init: RequestInit, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  let runId: string | null = null
  let position = 0
  let tries = 0
  const isFinal = (error: unknown) => signal.aborted || error instanceof Refused || runId === null || tries > mostTries
  const again = () => send(`/api/runs/${runId}/events?after=${position}`, { signal })
  const first = () => send(path, { ...init, signal, headers: { ...init.headers, accept: 'text/event-stream' } })
  for (;;) {
    try {
      for await (const event of framesOf(await (runId === null ? first() : again()))) {
        tries = 0
        runId = event.runId
        position = positionOf(event) ?? position
        yield event
      }
      return
    } catch (error) {
      tries += 1
      if (isFinal(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** tries))
    }
  }
}

function positionOf(event: StreamEvent): number | null {
  return 'position' in event ? event.position : null
}

async function* framesOf(response: Response): AsyncGenerator<StreamEvent> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) return
  let text = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += read.value
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) yield* eventOf(frame)
  }
}

function* eventOf(frame: string): Generator<StreamEvent> {
  const lines = frame.split('\n')
  const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice('data: '.length))
  if (data.length === 0) return
  const value = JSON.parse(data.join('\n'))
  if (lines.includes('event: error')) {
    const { code = 'unexpected', message = 'The run failed.' } = problemIn(value)
    throw new Refused(500, code, message)
  }
  yield value
}
