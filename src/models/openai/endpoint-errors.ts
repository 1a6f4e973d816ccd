import { z } from 'zod'
import { redactor } from '../../redact.ts'
import {
  ContentFiltered,
  ContextTooLong,
  contextSizeIn,
  EndpointIncompatible,
  EndpointTimeout,
  EndpointUnavailable,
  KeyRejected,
  type ModelError,
  ModelNotFound,
  QuotaExhausted,
  RateLimited,
  RequestRejected,
  StructuredOutputUnsupported,
  ToolsUnsupported,
} from '../port/errors.ts'
import { type RequestFeatures, unsupportedFeature } from './unsupported.ts'

/** What a server said instead of an answer. */
export interface Refusal {
  readonly host: string
  readonly model: string
  /** The HTTP status, or the number that an error object in a 200 names. */
  readonly status: number
  /** The `code` or `type` of its error object. */
  readonly code: string | null
  /** The part of the request that it names. */
  readonly param?: string | null
  /** Cleaned and cut short; null if it sent none, or a web page. */
  readonly message: string | null
  readonly retryAfterMs: number | undefined
  readonly hasKey: boolean
  /** Length of the messages that were sent. */
  readonly characters: number
  /** The list of `/models`; null if it was not asked or gives none. */
  readonly models: readonly string[] | null
  /** The option or setting that chooses the model. */
  readonly chosenWith: string
  /** What the request asked for in addition to an answer. */
  readonly asksFor?: RequestFeatures
}

/** The typed error for a refused request: what the server said, and what a person can do. */
export function refusalError(refusal: Refusal): ModelError {
  const { status, code } = refusal
  const feature = unsupportedFeature(refusal)
  const make =
    (code !== null && Object.hasOwn(byCode, code) && byCode[code]) ||
    (feature && byFeature[feature]) ||
    byWords(refusal) ||
    byStatus[status] ||
    (status >= 500 ? unavailable : status >= 400 ? rejected : incompatible)
  return make(refusal)
}

/** The typed error for an error object in the middle of a stream; of unknown ones the server is to blame. */
export function streamedError(refusal: Refusal): ModelError {
  const known = refusalError(refusal)
  if (!(known instanceof EndpointIncompatible)) return known
  return new EndpointUnavailable(`${refusal.host} broke off its answer with an error${said(refusal)}`)
}

/** What a server's error object says. */
interface Problem {
  readonly code: string | null
  /** The HTTP status that it names, whatever the reply's own is. */
  readonly status: number | null
  readonly param: string | null
  readonly message: string | null
}

/** What a JSON body says of an error, in any of the forms that servers use; null if it contains none. */
export function readProblem(body: unknown): Problem | null {
  const named: unknown = Array.isArray(body) ? body[0] : body
  // Each chunk of an answer is asked for one: nearly all of them hold none of the words.
  if (!mayHoldProblem(named)) return null
  const parsed = problemBody.safeParse(named)
  if (!parsed.success) return null
  const { error, object, message, detail } = parsed.data
  if (error && typeof error === 'object') return refusedFor(error, error.message)
  const words = error || (message ?? detail)
  return object === 'error' || words ? refusedFor(error ? {} : parsed.data, words) : null
}

function mayHoldProblem(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false
  return ['error', 'message', 'detail'].some((name) => name in body) || ('object' in body && body.object === 'error')
}

/**
 * The milliseconds that `Retry-After` asks for, in seconds or as a date by the server's clock; undefined without one.
 * Azure and OpenAI are more exact in `retry-after-ms`, which comes first.
 */
export function retryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const exact = Number(headers.get('retry-after-ms')?.trim() || Number.NaN)
  if (Number.isFinite(exact)) return Math.max(0, Math.round(exact))
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  const seconds = Number(value)
  const ms = Number.isNaN(seconds) ? Date.parse(value) - (Date.parse(headers.get('date') ?? '') || now) : seconds * 1000
  return Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : undefined
}

/**
 * A server's words as one line of at most 300 characters, without control characters. Credentials are hidden before it is
 * cut, since half of one would not be recognised.
 */
export function clean(text: string): string {
  const line = hideShapes(inOneLine(text))
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}

const hideShapes = redactor([])

function inOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
}

type Make = (refusal: Refusal) => ModelError

const keyRejected: Make = ({ host, status, hasKey, ...rest }) =>
  new KeyRejected(
    hasKey
      ? `The key was rejected by ${host} (${status})${said(rest)}. Set OPENAI_API_KEY to a key that may use this model`
      : `${host} asks for a key (${status})${said(rest)}. Set OPENAI_API_KEY`,
  )

const notFound: Make = ({ host, model, models, status, chosenWith, ...rest }) => {
  const offer = models?.length ? `. It offers: ${shortList(models)}` : '. Check OPENAI_BASE_URL (it often ends in /v1)'
  return new ModelNotFound(
    `${host} has no model "${model}" (${status})${said(rest)}${offer}. Choose with ${chosenWith}`,
  )
}

const quotaExhausted: Make = ({ host, status, ...rest }) =>
  new QuotaExhausted(`The account at ${host} is out of quota (${status})${said(rest)}. Check its plan and billing`)

const rateLimited: Make = ({ host, status, retryAfterMs, ...rest }) => {
  const wait = retryAfterMs === undefined ? '' : ` and asks to wait ${describeWait(retryAfterMs)}`
  return new RateLimited(`${host} limits the rate of requests (${status})${wait}${said(rest)}`, { retryAfterMs })
}

const contextTooLong: Make = ({ host, model, characters, ...rest }) => {
  const size = contextSizeIn(rest.message ?? '')
  // The server's own count, where it names one, is among its words.
  const tokens = size.sent === null ? `, about ${Math.ceil(characters / 4)} tokens` : ''
  return new ContextTooLong(
    `The question with its evidence and history (${characters} characters${tokens}) does not fit into the context ` +
      `window of "${model}" at ${host}${said(rest)}`,
    { size },
  )
}

const requestTimeout: Make = ({ host, status, retryAfterMs, ...rest }) =>
  new EndpointTimeout(`${host} gave up waiting (${status})${said(rest)}`, { retryAfterMs })

const unavailable: Make = ({ host, status, retryAfterMs, ...rest }) => {
  const wait = retryAfterMs === undefined ? '' : `; it asks to wait ${describeWait(retryAfterMs)}`
  return new EndpointUnavailable(`${status} from ${host}${said(rest)}${wait}`, { retryAfterMs })
}

const rejected: Make = ({ host, status, ...rest }) =>
  new RequestRejected(`${host} refused the request (${status})${said(rest)}`)

const incompatible: Make = ({ host, status, ...rest }) =>
  new EndpointIncompatible(
    status >= 300 && status < 400
      ? `${host} redirects (${status}) instead of answering. Set OPENAI_BASE_URL to the address it redirects to`
      : `${host} answered ${status} with an error instead of an answer${said(rest)}`,
  )

const contentFiltered: Make = ({ host, status, ...rest }) =>
  new ContentFiltered(`${host} refused the request: its content filter objects to it (${status})${said(rest)}`)

const byFeature: { readonly [F in keyof RequestFeatures]: Make } = {
  tools: ({ host, model, status, ...rest }) =>
    new ToolsUnsupported(`"${model}" at ${host} takes no tools (${status})${said(rest)}`),
  structuredOutput: ({ host, model, status, ...rest }) =>
    new StructuredOutputUnsupported(`"${model}" at ${host} takes no JSON schema (${status})${said(rest)}`),
}

const byStatus: Readonly<Record<number, Make>> = {
  401: keyRejected,
  402: quotaExhausted,
  403: keyRejected,
  404: notFound,
  408: requestTimeout,
  413: contextTooLong,
  429: rateLimited,
  504: requestTimeout,
}

const byCode: Readonly<Record<string, Make>> = {
  invalid_api_key: keyRejected,
  model_not_found: notFound,
  insufficient_quota: quotaExhausted,
  billing_hard_limit_reached: quotaExhausted,
  rate_limit_exceeded: rateLimited,
  context_length_exceeded: contextTooLong,
  exceed_context_size_error: contextTooLong,
  content_filter: contentFiltered,
}

/** By the words of OpenAI, vLLM, llama.cpp and LiteLLM, where there is no code. */
const wordings: readonly (readonly [RegExp, Make])[] = [
  [
    /maximum (context|model) length|context (length|window|size)|ContextWindowExceeded|exceeds? the (available )?context|prompt is too long/i,
    contextTooLong,
  ],
  // LiteLLM answers 400 to both.
  [/invalid model name passed in model/i, notFound],
  [/ContentPolicyViolationError/, contentFiltered],
]

function byWords({ status, message }: Refusal): Make | undefined {
  return status === 429 ? undefined : wordings.find(([pattern]) => pattern.test(message ?? ''))?.[1]
}

const problem = z.looseObject({
  message: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  type: z.string().nullish(),
  param: z.string().nullish().catch(null),
})
const problemBody = problem.extend({
  error: z.union([z.string(), problem]).nullish(),
  object: z.string().nullish(),
  /** FastAPI's word for it, with an object where the request's form was wrong. */
  detail: z
    .unknown()
    .optional()
    .transform((detail) => (typeof detail === 'string' ? detail : detail ? JSON.stringify(detail) : null)),
})

function refusedFor(
  { code, type, param = null }: z.output<typeof problem>,
  message: string | null | undefined,
): Problem {
  const number = Number(code)
  const status = code != null && number >= 400 && number < 600 ? number : null
  const names = [code, type].filter((name) => typeof name === 'string')
  // Some providers put the known code into `code`, others into `type`.
  const known = names.find((name) => Object.hasOwn(byCode, name)) ?? names[0] ?? null
  return { code: known, status, param, message: message ? inOneLine(message) : null }
}

function said({ message }: { readonly message: string | null }): string {
  return message ? `: ${message.replace(/\.$/, '')}` : ''
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 10).map(clean).join(', ')
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown
}

function describeWait(ms: number): string {
  return ms < 60_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / 60_000)} min`
}
