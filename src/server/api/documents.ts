import { Readable } from 'node:stream'
import { z } from '@hono/zod-openapi'
import { DocumentNotFound, type DocumentRecord } from '../../index.ts'
import { bytes, endpoint, routes } from './endpoint.ts'
import * as shapes from './shapes.ts'

const { documentId } = shapes
const named = z.object({ documentId })
const page = named.extend({ page: z.coerce.number().int().min(1) })
const span = z.object({ start: z.coerce.number().int().min(0), end: z.coerce.number().int().min(0) })
/** Not in the address, which logs and proxies keep. */
const passwordHeader = 'x-document-password'
const encrypted = z.object({
  [passwordHeader]: z
    .string()
    .max(2000)
    .transform((value, context) => {
      try {
        return decodeURIComponent(value)
      } catch {
        context.addIssue('The password is not percent-encoded.')
        return z.NEVER
      }
    })
    .optional()
    .openapi({ type: 'string', description: 'the password of an encrypted file, percent-encoded' }),
})
const file = z.object({
  name: z.string().min(1).max(1000),
  tag: shapes.filter.shape.tag,
  wait: z.enum(['true', 'false']).optional().openapi({
    description: 'false: answers as soon as the file is stored; `GET /uploads/{uploadId}` tells how far it is',
  }),
})

type App = ReturnType<typeof routes>

/** The library: its documents, their pages, and search. */
export function documentRoutes() {
  const app = routes()
  addLibrary(app)
  addUploads(app)
  addDocument(app)
  addPages(app)
  addFile(app)
  return app
}

/** Its list, and search. */
function addLibrary(app: App): void {
  endpoint(app, {
    route: 'get /documents',
    summary: 'Lists the documents of the library',
    query: shapes.paging.extend(shapes.filter.shape),
    answer: z.object({ documents: z.array(shapes.document), next: shapes.next }),
    handle: async (c, { query }) => {
      const filter = { where: query.where, tags: query.tag }
      const read = (part: object) => c.var.documents.list({ ...filter, ...part })
      const wordsOf = ({ title, source }: DocumentRecord) => `${title} ${source}`
      const { items: documents, next } = await shapes.pageOf(read, query, wordsOf)
      return { documents, next }
    },
  })
  endpoint(app, {
    route: 'get /folders',
    summary: 'The folders that this server keeps current',
    answer: z.object({ folders: z.array(shapes.folder) }),
    handle: async (c) => ({ folders: c.var.documents.folders() }),
  })
  endpoint(app, {
    route: 'get /search',
    summary: 'Passages of the library, without an answer',
    query: z.object({
      q: z.string().min(1).max(10_000),
      limit: z.coerce.number().int().min(1).max(50).optional(),
      documentId: documentId.optional(),
      ...shapes.filter.shape,
    }),
    answer: z.object({ hits: z.array(shapes.hit) }),
    handle: async (c, { query: { q, limit, documentId, where, tag: tags } }) => {
      const options = { ...(limit && { limit }), ...(documentId && { documents: [documentId] }), where, tags }
      return { hits: await c.var.documents.search(q, options) }
    },
  })
}

/** What is added. */
function addUploads(app: App): void {
  endpoint(app, {
    route: 'post /documents',
    summary: 'Adds a file: its bytes are the body, its name is in the query',
    query: file,
    headers: encrypted,
    bytes,
    answer: shapes.added,
    handle: async (c, { query: { name, wait, tag: tags }, headers }) => {
      const { report, status } = await c.var.documents.add(name, c.req.raw.body ?? new ReadableStream(), {
        password: headers[passwordHeader],
        ...(tags && { tags }),
        declaredBytes: Number(c.req.header('content-length') ?? 0),
      })
      const { uploadId } = status
      if (wait === 'false') return { documents: [], uploadId }
      // Who waits for a reader needs nothing of this server meanwhile.
      c.var.leave()
      return { documents: (await report).documents, uploadId }
    },
  })
  endpoint(app, {
    route: 'get /uploads',
    summary: 'The files that you have sent and that are read, or were within an hour',
    answer: z.object({ uploads: z.array(shapes.upload) }),
    handle: async (c) => ({ uploads: c.var.documents.uploads() }),
  })
  endpoint(app, {
    route: 'get /uploads/{uploadId}',
    summary: 'How far such a file is',
    params: z.object({ uploadId: z.string().regex(/^[0-9a-f]{32}$/, 'an upload id has 32 hexadecimal digits') }),
    answer: shapes.upload,
    handle: async (c, { params: { uploadId } }) => {
      const found = c.var.documents.uploads().find((each) => each.uploadId === uploadId)
      if (found) return found
      throw new DocumentNotFound('No such file is on its way. Look whether it is in the library.')
    },
  })
}

/** A document, its corrections, and its end. */
function addDocument(app: App): void {
  endpoint(app, {
    route: 'get /documents/{documentId}',
    summary: 'A document, with what it says of itself and what to ask about it',
    params: named,
    answer: shapes.documentDetails,
    handle: (c, { params }) => c.var.documents.details(params.documentId),
  })
  endpoint(app, {
    route: 'patch /documents/{documentId}',
    summary: 'Corrects title, authors or year, where null takes a correction back; or gives it other tags',
    params: named,
    body: shapes.metadataChange,
    answer: shapes.document,
    handle: (c, { params, body }) => c.var.documents.set(params.documentId, body),
  })
  endpoint(app, {
    route: 'delete /documents/{documentId}',
    summary: 'Removes a document from the library',
    params: named,
    answer: named,
    handle: async (c, { params: { documentId } }) => {
      await c.var.documents.remove(documentId)
      return { documentId }
    },
  })
}

/** The numbers of pages, the text of one, and where it is printed. */
function addPages(app: App): void {
  endpoint(app, {
    route: 'get /documents/{documentId}/pages',
    summary: 'How many pages a document has, and which of them have another number in print',
    params: named,
    answer: shapes.pages,
    handle: async (c, { params }) => {
      const { documentId, pages } = await c.var.documents.document(params.documentId)
      return { documentId, pages, printed: await c.var.documents.library.printedPages(documentId) }
    },
  })
  endpoint(app, {
    route: 'get /documents/{documentId}/pages/{page}',
    summary: 'The stored text of a page, into which citations point, and its tables, or those in a stretch of it',
    params: page,
    query: span.partial(),
    answer: shapes.pageText,
    handle: async (c, { params: { documentId, page }, query: { start = 0, end = Number.MAX_SAFE_INTEGER } }) => {
      const { library } = c.var.documents
      const { text, confidence = null } = await library.text(documentId, page)
      return { documentId, page, text, confidence, tables: await library.tables(documentId, page, { start, end }) }
    },
  })
  endpoint(app, {
    route: 'get /documents/{documentId}/pages/{page}/rects',
    summary: 'Where a span of the text is printed: rectangles in points, axes as in PDF; none where that is not known',
    params: page,
    query: span,
    answer: z.object({ rectangles: z.array(z.array(z.number()).length(4)) }),
    handle: async (c, { params: { documentId, page }, query }) => ({
      rectangles: await c.var.documents.library.rectangles(documentId, page, query),
    }),
  })
}

/** The file that was read. */
function addFile(app: App): void {
  endpoint(app, {
    route: 'get /documents/{documentId}/state',
    summary: 'Whether the file is still as it was when it was read',
    params: named,
    answer: shapes.documentState,
    handle: async (c, { params: { documentId } }) => {
      const { format } = await c.var.documents.document(documentId)
      if (format === 'web') return { documentId, file: 'none' } as const
      const found = await c.var.documents.file(documentId, c.var.left.signal)
      await found?.file.close()
      return { documentId, file: found ? 'unchanged' : 'changed' } as const
    },
  })
  endpoint(app, {
    route: 'get /documents/{documentId}/file',
    summary: 'The file, if it is still where it was and unchanged',
    params: named,
    otherwise: bytes,
    handle: async (c, { params }) => {
      const found = await c.var.documents.file(params.documentId, c.var.left.signal)
      if (found === null)
        throw new DocumentNotFound('The file has moved or changed since it was read. Its stored text remains.')
      // As bytes to save, never as a page: a document may hold scripts.
      c.header('Content-Disposition', attachment(found.name))
      c.header('Content-Type', 'application/octet-stream')
      c.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
      c.header('Content-Length', String((await found.file.stat()).size))
      return c.body(Readable.toWeb(found.file.createReadStream({ start: 0 })))
    },
  })
}

/** A file to save under its name, for old programs in plain letters (RFC 6266). */
function attachment(name: string): string {
  const plain = name.replace(/[^\w.() -]/g, '_')
  const whole = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}
