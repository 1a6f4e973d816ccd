import { createHash } from 'node:crypto'
import { IdempotencyKeyReused, RunNotFound } from '../errors.ts'
import type { EventStore } from '../events/index.ts'

/**
 * The id of the run that a key stands for. It follows from the key alone, so that whoever repeats a request, in this
 * process, another or a later one, names the same run, and the log itself refuses to begin it twice. A UUID of version 8
 * (RFC 9562), made of the key's SHA-256.
 */
export function runIdOf(key: string): string {
  const bytes = createHash('sha256').update(`quaero idempotency key\n${key}`).digest().subarray(0, 16)
  const hex = Buffer.from(bytes.map((byte, index) => withVersion(byte, index))).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * True if the run is in the log already, so that the request repeats an earlier one. Throws `IdempotencyKeyReused` if
 * that one asked something else.
 */
export async function isRepeated(
  runId: string,
  { question, threadId }: { readonly question: string; readonly threadId: string | undefined },
  events: Pick<EventStore, 'run'>,
): Promise<boolean> {
  const known = await events.run(runId).catch((error: unknown) => {
    if (error instanceof RunNotFound) return null
    throw error
  })
  if (!known) return false
  if (known.question === question && (threadId ?? known.threadId) === known.threadId) return true
  throw new IdempotencyKeyReused(
    `This idempotency key stands for run ${runId}, which asks "${known.question}" on thread "${known.threadId}". Give another question a key of its own.`,
  )
}

/** Version and variant, where a UUID has them. */
function withVersion(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x80
  return index === 8 ? (byte & 0x3f) | 0x80 : byte
}
