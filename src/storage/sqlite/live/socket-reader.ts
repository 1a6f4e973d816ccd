import type { Socket } from 'node:net'
import { z } from 'zod'
import { type StreamEvent, streamEvent } from '../../../events/index.ts'
import type { LiveReader } from '../../storage.ts'

/** A process that does not answer for so long is busy or stopped: meanwhile its run is followed in the log. Milliseconds. */
const answersWithin = 1000

const batchOfLines = z.array(streamEvent)
const opening = z.object({ position: z.int().nonnegative(), soFar: batchOfLines })

/** Asks for a run; null if it is not offered there, `late` if nothing comes in time. */
export async function readRun(
  socket: Socket,
  runId: string,
  signal?: AbortSignal,
): Promise<LiveReader | 'late' | null> {
  const leave = () => socket.destroy()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    leave()
  }, answersWithin)
  signal?.addEventListener('abort', leave, { once: true })
  try {
    if (signal?.aborted) leave()
    socket.ref().write(`${runId}\n`)
    const batches = batchesOf(socket)
    const [first, ...lines] = (await batches.next()).value ?? []
    const { data } = opening.safeParse(first)
    if (data && !socket.destroyed) return new SocketReader(socket, data, lines, batches)
    leave()
    return isLate ? 'late' : null
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
  }
}

/** Reads from the socket only what is taken, so that a slow reader makes the sender keep the rest. */
class SocketReader implements LiveReader {
  readonly position: number
  readonly soFar: readonly StreamEvent[]
  readonly #socket: Socket
  readonly #batches: AsyncIterator<readonly unknown[]>
  #lines: readonly unknown[]

  constructor(
    socket: Socket,
    { position, soFar }: z.infer<typeof opening>,
    lines: readonly unknown[],
    batches: AsyncIterator<readonly unknown[]>,
  ) {
    this.#socket = socket
    this.position = position
    this.soFar = soFar
    this.#lines = lines
    this.#batches = batches
  }

  /** The end of the connection does not tell how the run ended; the log does. */
  async take(): Promise<readonly StreamEvent[] | 'behind'> {
    const batch = this.#lines.length > 0 ? this.#lines : (await this.#batches.next()).value
    this.#lines = []
    return batchOfLines.safeParse(batch).data ?? 'behind'
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** The values of whole lines, as they come; ends with the connection, or at a line that cannot be read. */
async function* batchesOf(socket: Socket): AsyncGenerator<readonly unknown[], undefined> {
  let rest = ''
  try {
    for await (const piece of socket.setEncoding('utf8')) {
      const lines = `${rest}${piece}`.split('\n')
      rest = lines.pop() ?? ''
      if (lines.length > 0) yield lines.map((line) => JSON.parse(line))
    }
  } catch {
    // Cut in the middle: the log has the rest.
  }
}
