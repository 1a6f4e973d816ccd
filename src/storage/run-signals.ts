import { z } from 'zod'
import { payloads, type StoredEvent, type StreamEvent } from '../events/index.ts'
import type { Mailbox } from './mailbox.ts'

/** A piece of a message, as it is streamed. */
export type DeltaLine = Extract<StreamEvent, { readonly type: 'message.delta' }>

/** What a delta continues: the text of its message, or the tool call with this index. */
export type MessagePart = 'text' | number

export function partOf({ payload }: DeltaLine): MessagePart {
  return payload.toolCall?.index ?? 'text'
}

/** Of the part that the delta continues. */
export function lengthOf({ payload }: DeltaLine): number {
  return (payload.toolCall?.args ?? payload.text).length
}

/** It was checked where it was made: this is what a follower reads of it. */
const deltaLine = z.object({
  id: z.string(),
  type: z.literal('message.delta'),
  runId: z.string(),
  payload: payloads['message.delta'],
})

const count = z.int().nonnegative()

/** The log has events up to this position. */
const wake = z.object({ kind: z.literal('wake'), seq: count })

/** Text that no log has. It came `after` that position; the message, or its tool call, had `from` characters before it. */
const delta = z.object({
  kind: z.literal('delta'),
  after: count,
  from: count,
  line: z.custom<DeltaLine>((line) => deltaLine.safeParse(line).success),
})

/** What a run at work tells those who follow it, as another process gets it. */
export const runSignal = z.discriminatedUnion('kind', [wake, delta])

export type DeltaSignal = z.output<typeof delta>
/** The run's own process passes on the event that it has just stored, which then need not be read. */
export type WakeSignal = z.output<typeof wake> & { readonly event?: StoredEvent & StreamEvent }
export type RunSignal = WakeSignal | DeltaSignal

/** A run whose signals can be had. */
export interface SignalSource {
  /**
   * Passes the signals of a run into the mailbox: first how far its log is and the text of open messages so far, then all
   * that come. A mailbox that joins again gets the first ones once more.
   */
  join(mailbox: Mailbox): Channel
}

/** The signals of one run, on their way into one mailbox. */
export interface Channel {
  /** `lost` if nothing comes any more, or has come for long. */
  readonly state: 'opening' | 'open' | 'lost'
  close(): void
}

/** A process that is silent for so long may be busy or stopped, or has the run no longer. Milliseconds. */
const silentMs = 3_000

/** The channel of a run that another process works on. */
export class FarChannel implements Channel {
  readonly #mailbox: Mailbox
  readonly #ended = new AbortController()
  #isOpen = false
  #heardAt = performance.now()

  constructor(mailbox: Mailbox) {
    this.#mailbox = mailbox
  }

  get state(): Channel['state'] {
    if (this.#ended.signal.aborted || performance.now() - this.#heardAt > silentMs) return 'lost'
    return this.#isOpen ? 'open' : 'opening'
  }

  /** Aborted when nothing more is wanted, or will come. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  hear(signals: readonly RunSignal[]): void {
    this.#isOpen = true
    this.#heardAt = performance.now()
    for (const signal of signals) this.#mailbox.push(signal)
  }

  /** Nothing more will come. That does not tell how the run ended; the log does. */
  close(): void {
    if (this.#isOpen && !this.ended.aborted) this.#mailbox.tell()
    this.#ended.abort()
  }
}

/** What is sent of a run to other processes, which read the events themselves, until the mailbox ends. */
export async function* signalsToSend(mailbox: Mailbox, source: SignalSource): AsyncGenerator<readonly RunSignal[]> {
  const channel = source.join(mailbox)
  try {
    for (;;) {
      const { signals, isBehind, isOver } = await mailbox.take()
      if (signals.length > 0) yield signals.map(withoutEvent)
      if (isOver) return
      if (isBehind) source.join(mailbox)
    }
  } finally {
    channel.close()
  }
}

function withoutEvent(signal: RunSignal): RunSignal {
  return signal.kind === 'wake' ? { kind: 'wake', seq: signal.seq } : signal
}
