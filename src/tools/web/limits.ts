import { QuaeroError, ToolFailed } from '../../errors.ts'

/**
 * Runs `work` with a signal that is aborted with `signal`, or after `timeoutMs`. Throws `signal.reason`, and for other
 * failures `ToolFailed` with the host and the cause, never the address, its query or the request.
 */
export async function withDeadline<T>(
  options: { readonly host: string; readonly timeoutMs: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { host, timeoutMs, signal } = options
  signal.throwIfAborted()
  const late = AbortSignal.timeout(timeoutMs)
  try {
    return await work(AbortSignal.any([signal, late]))
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const known = ownError(error)
    if (known) throw known
    if (late.aborted) throw new ToolFailed(`${host} did not finish answering in ${timeoutMs / 1000} s.`)
    throw new ToolFailed(`${host} could not be reached: ${cause(error)}.`)
  }
}

/** The network library wraps what its connector throws. */
function ownError(error: unknown): QuaeroError | null {
  if (error instanceof QuaeroError) return error
  return error instanceof Error && error.cause ? ownError(error.cause) : null
}

const causes: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer',
  ETIMEDOUT: 'it did not answer',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
}

function cause(error: unknown): string {
  const code = errorCode(error)
  return code === null ? 'the connection failed' : (causes[code] ?? code)
}

function errorCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if ('code' in error && typeof error.code === 'string') return error.code
  return errorCode(error.cause)
}

/** Reads a response's decompressed body. Throws `ToolFailed` once it is longer than `maxBytes`. */
export async function limitedBody(
  body: AsyncIterable<Uint8Array> | null,
  options: { readonly maxBytes: number; readonly host: string },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.byteLength
    if (length > options.maxBytes) {
      throw new ToolFailed(
        `${options.host} sent more than ${megabytes(options.maxBytes)}, which is the most that is read.`,
      )
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

function megabytes(bytes: number): string {
  return `${Math.round((bytes / 1_000_000) * 10) / 10} MB`
}
