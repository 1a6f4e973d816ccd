import type { Hono, HonoRequest } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'
import { type RunResult, UsageError } from '../../index.ts'
import { problemsIn } from '../../options.ts'
import type { Guarded } from '../access/guards.ts'
import { headersOf, type Problem, problemOf } from '../access/refusals.ts'
import type { UserClaims } from '../user/user-claims.ts'
import type { UserDocuments } from '../user/user-documents.ts'
import type { UserEngine } from '../user/user-engine.ts'
import type { Frame, Heartbeat } from './stream.ts'

/** What a route finds: the engine and the library as its user may use them. */
export interface Served {
  Variables: Guarded['Variables'] & {
    engine: UserEngine
    documents: UserDocuments
    claims: UserClaims
    /** Aborted once the client has left, or has the whole reply. */
    left: AbortController
  }
}

/** How a protocol tells what goes wrong, and keeps idle connections open. */
export interface Protocol {
  /** The body of an HTTP error. */
  readonly refusal: (problem: Problem) => object
  /** What ends a stream in which something went wrong. */
  readonly failure: (problem: Problem) => readonly Frame[]
  readonly heartbeat?: Heartbeat
}

/** Routes whose errors have the form of the protocol. */
export function speaking<App extends Hono<Served>>({ refusal }: Pick<Protocol, 'refusal'>, app: App): App {
  app.onError((error, c) => {
    const problem = problemOf(error)
    // Replies without a body are no problems.
    return c.json(refusal(problem), problem.status as ContentfulStatusCode, headersOf(problem))
  })
  return app
}

/** The body of a request, as its schema reads it; an empty body is an empty object. Throws `UsageError`. */
export async function bodyOf<Body extends z.ZodType>(
  request: Pick<HonoRequest, 'text'>,
  schema: Body,
): Promise<z.output<Body>> {
  const text = await request.text()
  // The guards let nothing pass that is not JSON.
  return read(schema, text === '' ? {} : JSON.parse(text))
}

/** What a client sent, as its schema reads it. Throws `UsageError` with a sentence on each problem. */
export function read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new UsageError(refusedBy(parsed.error))
}

/** What a schema refuses of a request, as a sentence. */
export function refusedBy(error: Pick<z.ZodError, 'issues'>): string {
  return `The request cannot be read: ${problemsIn(error)}.`
}

/** What a run says to the person: an answer, or a question back. */
export function saidIn({ answer, clarification }: Pick<RunResult, 'answer' | 'clarification'>): string {
  return answer || clarification || ''
}

/** A line for each footnote, for clients that show text alone. */
export function footnotesOf({ citations }: Pick<RunResult, 'citations'>): readonly string[] {
  return citations.map(({ marker, label, quote }) => `[${marker}] ${label}: “${quote}”`)
}

/** The pieces in which a text is streamed: words, each with the space behind it. */
export function wordsOf(text: string): readonly string[] {
  return text.match(/\S+\s*/g) ?? []
}
