import { basename } from 'node:path'
import type {
  AddReport,
  Citation,
  Claim,
  ClaimStanding,
  DocumentRecord,
  RunResult,
  SearchHit,
  StreamEvent,
  ThreadMessage,
} from '../../index.ts'
import { withoutFolders } from '../access/refusals.ts'

/**
 * What a user is shown of what the engine says: their own thread ids, names of files in place of paths, and messages of errors
 * without folders. Only fields of these three kinds differ; texts, quotes, arguments and addresses are as they were.
 */
export type Outward = ReturnType<typeof outward>

/** `prefix`: what the ids of the user's threads begin with in the store. */
export function outward({ prefix }: { readonly prefix: string }) {
  const threadId = (id: string) => (id.startsWith(prefix) ? id.slice(prefix.length) : id)
  const payload = <P extends object>(given: P): P => {
    const { threadId: thread, copiedFrom, citations, error } = given as Shown
    return {
      ...problem(given),
      ...(thread !== undefined && { threadId: threadId(thread) }),
      ...(copiedFrom && { copiedFrom: { ...copiedFrom, threadId: threadId(copiedFrom.threadId) } }),
      ...(citations && { citations: citations.map(named) }),
      ...(error && { error: problem(error) }),
    }
  }
  const claim = (given: Claim): Claim => ({
    ...given,
    threadId: threadId(given.threadId),
    quotes: given.quotes.map(named),
  })
  return {
    /** A thread, or a run of one. */
    thread: <T extends { readonly threadId: string }>(value: T): T => ({
      ...value,
      threadId: threadId(value.threadId),
    }),
    result: (result: RunResult) => payload(result),
    messages: (messages: readonly ThreadMessage[]): readonly ThreadMessage[] => messages.map(payload),
    event: (event: StreamEvent) => {
      // Each payload keeps its shape, which a union of all events does not say.
      const shown = { ...event, payload: payload(event.payload) } as StreamEvent
      return event.threadId === null ? shown : { ...shown, threadId: threadId(event.threadId) }
    },
    document: (record: DocumentRecord) => named(record),
    hits: (hits: readonly SearchHit[]): readonly SearchHit[] =>
      hits.map((hit) => ({ ...named(hit), also: hit.also.map(named) })),
    report,
    claim,
    standing: ({ quotes, ...rest }: ClaimStanding): ClaimStanding => ({
      ...rest,
      claim: claim(rest.claim),
      quotes: quotes.map((each) => ({ ...each, quote: named(each.quote), now: each.now && named(each.now) })),
    }),
  }
}

/** For a person whose machine this is. */
export const unchanged: Outward = {
  thread: (value) => value,
  result: (result) => result,
  messages: (messages) => messages,
  event: (event) => event,
  document: (record) => record,
  hits: (hits) => hits,
  report: (given) => given,
  claim: (given) => given,
  standing: (given) => given,
}

/** What a result, a message or the payload of an event may have that is shown in another form. */
interface Shown {
  readonly threadId?: string
  readonly copiedFrom?: { readonly threadId: string; readonly runId: string }
  readonly citations?: readonly Citation[]
  readonly error?: object | null
}

function named<T extends { readonly source: string }>(value: T): T {
  return { ...value, source: nameOf(value.source) }
}

/** The name of a file; an address on the web as it is. */
function nameOf(path: string): string {
  return /^https?:/.test(path) ? path : basename(path)
}

/** What has a code and a message tells what went wrong. */
function problem<P extends object>(given: P): P {
  const { code, message } = given as { readonly code?: unknown; readonly message?: unknown }
  const isProblem = typeof code === 'string' && typeof message === 'string'
  return isProblem ? { ...given, message: withoutFolders(message) } : given
}

/** A report without folders, and without sentences of answers, which may be somebody else's. */
export function report({ documents, skipped, removed, fallen: _, ...rest }: AddReport): AddReport {
  return {
    ...rest,
    documents: documents.map(({ path, renamedFrom, error, ...document }) => ({
      ...document,
      path: basename(path),
      // Names of folders with spaces in them are known here alone.
      error: error && problem({ ...error, message: error.message.replaceAll(path, basename(path)) }),
      ...(renamedFrom !== undefined && { renamedFrom: basename(renamedFrom) }),
    })),
    skipped: skipped.map((path) => basename(path)),
    removed: removed.map((each) => ({ ...each, path: basename(each.path) })),
  }
}
