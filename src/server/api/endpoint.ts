import { extname } from 'node:path'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { refusal } from '../access/refusals.ts'
import { type Protocol, refusedBy, type Served, speaking } from '../protocol/protocol.ts'
import { problem } from './shapes.ts'

/** The protocol of this program's own: JSON, and the events of the log as they are. */
export const ownApi: Protocol = {
  refusal: ({ code, message }) => refusal(code, message),
  failure: ({ code, message }) => [{ event: 'error', data: refusal(code, message) }],
  heartbeat: { text: ': heartbeat\n\n', everyMs: 10_000 },
}

/** Routes that refuse what does not fit their schema with status 400, and name each problem. */
export function routes(): OpenAPIHono<Served> {
  const app = new OpenAPIHono<Served>({
    defaultHook: (result, c) => (result.success ? undefined : c.json(refusal('usage', refusedBy(result.error)), 400)),
  })
  return speaking(ownApi, app)
}

/** True if the client asks for events in place of JSON. */
export function wantsEvents(c: Context): boolean {
  const supports = ['application/json', 'text/event-stream']
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === 'text/event-stream'
}

/** What is sent event by event. */
export const events = { 'text/event-stream': { schema: z.string() } }
/** The bytes of a file. */
export const bytes = { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } }

const contentTypes: Readonly<Record<string, string>> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  csv: 'text/csv; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
  tex: 'application/x-tex',
  bib: 'application/x-bibtex',
  json: 'application/json',
}

/** A file to be saved, never shown as a page: its ending names its type. */
export function sendFile(c: Context, name: string, content: string | Uint8Array): Response {
  c.header('Content-Disposition', `attachment; filename="${name}"`)
  c.header('Content-Type', contentTypes[extname(name).slice(1)] ?? 'application/octet-stream')
  c.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
  return c.body(typeof content === 'string' ? content : new Uint8Array(content))
}

/** Bodies by their content type. */
type Content = Readonly<Record<string, { readonly schema: z.ZodType }>>

/** What was sent, as its schemas read it. */
interface Sent<Params, Query, Headers, Body> {
  readonly params: Definite<z.output<Params>>
  readonly query: Definite<z.output<Query>>
  readonly headers: Definite<z.output<Headers>>
  readonly body: Definite<z.output<Body>>
}

/** JSON holds no `undefined`: what is absent is not there. */
type Definite<T> = T extends object ? { [K in keyof T]: Definite<Exclude<T[K], undefined>> } : T

/** Lists that are only read fit schemas whose lists could be changed. */
type Read<T> = T extends readonly (infer Item)[]
  ? readonly Read<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Read<T[K]> }
    : T

/** A route: what it takes and gives, as the OpenAPI document tells it, and how it is answered. */
interface Endpoint<Params, Query, Headers, Body, Answer> {
  /** For instance `get /runs/{runId}`. */
  readonly route: `${'get' | 'post' | 'put' | 'patch' | 'delete'} /${string}`
  readonly summary: string
  readonly params?: Params
  readonly query?: Query
  readonly headers?: Headers
  /** JSON of this schema. */
  readonly body?: Body
  /** Another body than JSON, which the route reads itself. */
  readonly bytes?: Content
  /** JSON of this schema. */
  readonly answer?: Answer
  /** What it may answer with in place of JSON, as a `Response`. */
  readonly otherwise?: Content
  /** What it returns is sent as JSON, unless it is a reply already. */
  readonly handle: (
    c: Context<Served>,
    sent: Sent<Params, Query, Headers, Body>,
  ) => Promise<Read<z.output<Answer>> | Response>
}

export function endpoint<
  Params extends z.ZodType = z.ZodNever,
  Query extends z.ZodType = z.ZodNever,
  Headers extends z.ZodType = z.ZodNever,
  Body extends z.ZodType = z.ZodNever,
  Answer extends z.ZodType = z.ZodNever,
>(app: OpenAPIHono<Served>, stated: Endpoint<Params, Query, Headers, Body, Answer>): void {
  const { route, summary, params, query, headers, body, bytes, answer, otherwise, handle } = stated
  const [method, path] = route.split(' ')
  const content = body ? { 'application/json': { schema: body } } : bytes
  const request = {
    ...(params && { params }),
    ...(query && { query }),
    ...(headers && { headers }),
    ...(content && { body: { required: true, content } }),
  }
  const responses = {
    200: { description: 'done', content: { ...(answer && { 'application/json': { schema: answer } }), ...otherwise } },
    default: { description: 'refused or failed', content: { 'application/json': { schema: problem } } },
  }
  const reply = async (c: Context<Served>) => {
    const valid = (part: string) => c.req.valid(part as never)
    const sent = { params: valid('param'), query: valid('query'), headers: valid('header'), body: valid('json') }
    const answered = await handle(c, sent as never)
    return answered instanceof Response ? answered : c.json(answered as object, 200)
  }
  // The library's types follow each schema through its route; here `Endpoint` does.
  app.openapi(createRoute({ method, path, summary, request, responses } as never), reply as never)
}
