import { HTTPException } from 'hono/http-exception'
import { QuaeroError, TerminalError, UsageError } from '../../index.ts'

/** As many questions are being answered as the server allows. The request may be repeated later. */
export class TooManyRuns extends TerminalError {
  readonly code = 'too_many_runs'
}

/** As many requests of the user, or of all, are open as the server allows. The request may be repeated later. */
export class TooManyRequests extends TerminalError {
  readonly code = 'too_many_requests'
}

/** The user has as many threads without a question as the server allows. */
export class TooManyThreads extends TerminalError {
  readonly code = 'too_many_threads'
}

/** The user has stored as many files or bytes as the server allows. */
export class UploadRefused extends TerminalError {
  readonly code = 'upload_refused'
}

/** The document belongs to another user, or to the operator of the server. */
export class NotYours extends TerminalError {
  readonly code = 'not_yours'
}

/** The request names another assistant than the one that is served. */
export class AssistantNotFound extends TerminalError {
  readonly code = 'assistant_not_found'
}

/** The request is to go on from an earlier turn than the last one of its thread. */
export class EarlierTurn extends TerminalError {
  readonly code = 'not_supported'
}

/** The run ended without an answer. A client that repeated the request would pay for another run. */
export class RunFailed extends TerminalError {
  readonly code = 'run_failed'
}

type Status = 400 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503

const statuses: Readonly<Record<string, Status>> = {
  thread_not_found: 404,
  run_not_found: 404,
  document_not_found: 404,
  assistant_not_found: 404,
  not_yours: 403,
  thread_busy: 409,
  run_ended: 409,
  run_unfinished: 409,
  stale_approval: 409,
  already_exists: 409,
  too_many_threads: 409,
  idempotency_key_reused: 409,
  invalid_tool_input: 422,
  not_supported: 422,
  too_many_runs: 429,
  too_many_requests: 429,
  too_many_waiting: 429,
  upload_refused: 413,
  not_ready: 503,
  storage_unavailable: 503,
}

/** An error, as a client is told of it. */
export interface Problem {
  /** Of HTTP. */
  readonly status: HTTPException['status']
  readonly code: string
  readonly message: string
}

/** In place of messages that speak of processes, commands and files of the server, or of ids as its store has them. */
const spoken: Readonly<Record<string, string>> = {
  thread_busy: 'Another run works on this thread. Wait until it ends, cancel it, or ask on another thread.',
  already_exists: 'There is a thread of this id already. Choose another id.',
  idempotency_key_reused:
    'This idempotency key stands for another question or thread. Give each question a key of its own.',
  storage_unavailable:
    'The server cannot read or write its storage now. Its operator finds the reason with "quaero doctor".',
}

/** A message in which files have their names alone; addresses on the web stay as they are. */
export function withoutFolders(message: string): string {
  return message.replace(ADDRESS_OR_FOLDER, (found) => (/^https?:/i.test(found) ? found : ''))
}

const ADDRESS_OR_FOLDER = /https?:\/\/\S+|(?:(?<![\w:/.])|\bfile:\/\/)(?:\/[^\s/"']{1,255}){1,64}\/(?=[^\s/"'])/gi

/** A message without the sentences that name commands, which users of a server do not have. */
function withoutCommands(message: string): string {
  const said = message.split(/(?<=[.!?]"?) (?=["\p{Lu}])/u).filter((sentence) => !COMMAND.test(sentence))
  return said.length > 0 ? said.join(' ') : message
}

const COMMAND = /"quaero [a-z]|(?<!\S)-d </

/** What may be said of an error: nothing about one that nobody foresaw, which is logged. */
export function problemOf(error: unknown): Problem {
  if (error instanceof HTTPException) return { status: error.status, code: 'usage', message: error.message }
  if (!(error instanceof QuaeroError)) {
    console.error(error)
    return { status: 500, code: 'unexpected', message: 'Something unexpected happened. The server has logged it.' }
  }
  const { code } = error
  const message = spoken[code] ?? withoutFolders(withoutCommands(error.message))
  return { status: statuses[code] ?? (error instanceof UsageError ? 400 : 500), code, message }
}

/** Headers that belong to a refusal. */
export function headersOf({ status, code }: Problem): Readonly<Record<string, string>> {
  if (status === 429) return { 'Retry-After': '2' }
  // The rest of the body is not read, so nothing can follow on this connection.
  if (status === 413) return { Connection: 'close' }
  return code === 'run_failed' ? { 'x-should-retry': 'false' } : {}
}

/** The body of a refusal, as most protocols have it. */
export function refusal(code: string, message: string) {
  return { error: { code, message } }
}
