import { QuaeroError, TerminalError, UsageError } from '../../index.ts'

/** As many questions are being answered as the server allows. The request may be repeated later. */
export class TooManyRuns extends TerminalError {
  readonly code = 'too_many_runs'
}

/** The user has stored as many files or bytes as the server allows. */
export class UploadRefused extends TerminalError {
  readonly code = 'upload_refused'
}

/** The document belongs to another user, or to the operator of the server. */
export class NotYours extends TerminalError {
  readonly code = 'not_yours'
}

type Status = 400 | 403 | 404 | 409 | 413 | 422 | 429 | 500 | 503

const statuses: Readonly<Record<string, Status>> = {
  thread_not_found: 404,
  run_not_found: 404,
  document_not_found: 404,
  not_yours: 403,
  thread_busy: 409,
  run_ended: 409,
  run_unfinished: 409,
  stale_approval: 409,
  already_exists: 409,
  idempotency_key_reused: 409,
  invalid_tool_input: 422,
  too_many_runs: 429,
  upload_refused: 413,
  not_ready: 503,
  storage_unavailable: 503,
}

interface Description {
  readonly status: Status
  readonly body: { readonly error: { readonly code: string; readonly message: string } }
}

/** The HTTP status of an error, and what may be said of it: nothing about an error that nobody foresaw. */
export function describeError(error: unknown): Description {
  if (!(error instanceof QuaeroError)) {
    const message = 'Something unexpected happened. The server has logged it.'
    return { status: 500, body: { error: { code: 'unexpected', message } } }
  }
  const { code, message } = error
  const status = statuses[code] ?? (error instanceof UsageError ? 400 : 500)
  return { status, body: { error: { code, message } } }
}
