/** The process that a file is read in: takes one request at a time and is thrown away after a failure. */
import { DocumentUnreadable } from '../../errors.ts'
import type { ReadDocument } from '../document.ts'
import { readDocument } from '../readers/read-document.ts'
import type { ReadOptions } from '../readers/read-options.ts'

/** What the parent process asks for. */
export interface ReadRequest {
  /** Only its name counts; the file is not opened here. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly options: ReadOptions
}

/** What it gets. */
export type ReadReply =
  | { readonly document: ReadDocument }
  | { readonly error: { readonly code: DocumentUnreadable['code']; readonly message: string } }

process.on('message', (request: ReadRequest) => {
  void reply(request).then((answer) => process.send?.(answer))
})
process.on('disconnect', () => process.exit(0))
// pdf.js forgets promises that damaged files make it reject; what it reports by itself is handled in `reply`.
process.on('unhandledRejection', () => {})
// Where there is one, pdf.js unpacks every small stream by it, through the thread pool and three adapters of streams;
// its own inflate takes a fifth of a paper's time less.
Reflect.deleteProperty(globalThis, 'DecompressionStream')

async function reply({ path, bytes, options }: ReadRequest): Promise<ReadReply> {
  try {
    return { document: await readDocument(path, bytes, options) }
  } catch (error) {
    if (error instanceof DocumentUnreadable) return { error: { code: error.code, message: error.message } }
    return { error: { code: 'malformed_file', message: `It cannot be read: ${error}. Export it again` } }
  }
}
