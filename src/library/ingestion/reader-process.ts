/** The process that reads files, one at a time; it is replaced after a failure. */
import { DocumentUnreadable } from '../../errors.ts'
import { documentBatches } from '../passages/split.ts'
import type { DocumentBatch, ReadDocument } from '../port/document.ts'
import type { ReadOptions } from '../readers/common/read-options.ts'
import { readDocument } from '../readers/read-document.ts'

/** The bytes follow in parts, before the first reply. */
export interface ReadRequest {
  /** For the format; the file is not opened here. */
  readonly path: string
  readonly documentId: string
  readonly size: number
  readonly options: ReadOptions
}

export type ReaderMessage = ReadRequest | { readonly bytes: Uint8Array } | 'next'

export type DocumentHead = Pick<ReadDocument, 'format' | 'title' | 'authors' | 'year'>

/** The first batch with the document's head, then one for each `next`. */
export type ReadReply =
  | {
      readonly head?: DocumentHead
      readonly batch: DocumentBatch
      readonly isLast: boolean
    }
  | { readonly error: { readonly code: DocumentUnreadable['code']; readonly message: string } }

interface Incoming {
  readonly request: ReadRequest
  readonly bytes: Uint8Array
  received: number
}

let incoming: Incoming | null = null
let batches: Iterator<DocumentBatch> | null = null
/** The next batch, so that the last is known as such. */
let ahead: IteratorResult<DocumentBatch> | null = null

process.on('message', (message: ReaderMessage) => {
  void reply(message).then((answer) => answer && process.send?.(answer))
})
process.on('disconnect', () => process.exit(0))
// pdf.js does not handle all promises that a damaged file makes it reject.
process.on('unhandledRejection', () => {})
// Without it, pdf.js uses its own inflate, which takes a fifth less time for a paper's many small streams.
Reflect.deleteProperty(globalThis, 'DecompressionStream')

async function reply(message: ReaderMessage): Promise<ReadReply | null> {
  try {
    if (message === 'next') return nextBatch()
    if (!receive(message)) return null
    return { head: await open(), ...nextBatch() }
  } catch (error) {
    if (error instanceof DocumentUnreadable) return { error: { code: error.code, message: error.message } }
    return { error: { code: 'malformed_file', message: `It cannot be read: ${error}. Export it again` } }
  }
}

/** True once all bytes are here. */
function receive(message: ReadRequest | { readonly bytes: Uint8Array }): boolean {
  if ('path' in message) incoming = { request: message, bytes: new Uint8Array(message.size), received: 0 }
  else if (incoming) {
    incoming.bytes.set(message.bytes, incoming.received)
    incoming.received += message.bytes.length
  }
  return incoming !== null && incoming.received === incoming.request.size
}

async function open(): Promise<DocumentHead> {
  if (!incoming) throw new Error('nothing was sent')
  const { request, bytes } = incoming
  incoming = null
  const document = await readDocument(request.path, bytes, request.options)
  batches = documentBatches(request.documentId, document)
  ahead = batches.next()
  const { format, title, authors, year } = document
  return { format, title, authors, year }
}

function nextBatch(): Exclude<ReadReply, { error: unknown }> {
  if (!batches || !ahead || ahead.done) throw new Error('there is no more of it')
  const batch = ahead.value
  ahead = batches.next()
  return { batch, isLast: ahead.done === true }
}
