import { Readable } from 'node:stream'
import { createRoute, z } from '@hono/zod-openapi'
import { DocumentNotFound } from '../../index.ts'
import { answers, json, routes } from './routes.ts'
import * as shapes from './shapes.ts'

const documentId = z.string().regex(/^[0-9a-f]{4,64}$/)
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
  wait: z.enum(['true', 'false']).optional().openapi({
    description: 'false: answers as soon as the file is stored; `GET /uploads/{uploadId}` tells how far it is',
  }),
})
const asked = z.object({
  q: z.string().min(1).max(10_000),
  limit: z.coerce.number().int().min(1).max(50).optional(),
  documentId: documentId.optional(),
})
const bytes = { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } }

/** The library: its documents, their pages, and search. */
export function documentRoutes() {
  return routes()
    .route('/', wholeLibrary())
    .route('/', oneDocument())
    .route('/', pagesOfDocument())
    .route('/', fileOfDocument())
}

/** Its list, what is added, and search. */
function wholeLibrary() {
  return routes()
    .openapi(
      createRoute({
        method: 'get',
        path: '/documents',
        summary: 'Lists the documents of the library',
        request: { query: shapes.paging },
        responses: answers(z.object({ documents: z.array(shapes.document), next: shapes.next })),
      }),
      async (c) => {
        const { search = '', ...paging } = c.req.valid('query')
        const { documents } = c.var
        const wanted = search.toLowerCase()
        const { items, next } =
          wanted === ''
            ? await shapes.pageFrom((part) => documents.list(part), paging)
            : shapes.pageOf(
                (await documents.list()).filter(({ title, source }) =>
                  `${title} ${source}`.toLowerCase().includes(wanted),
                ),
                paging,
              )
        return c.json({ documents: [...items], next }, 200)
      },
    )
    .openapi(
      createRoute({
        method: 'post',
        path: '/documents',
        summary: 'Adds a file: its bytes are the body, its name is in the query',
        request: { query: file, headers: encrypted, body: { required: true, content: bytes } },
        responses: answers(shapes.added),
      }),
      async (c) => {
        const { name, wait } = c.req.valid('query')
        const { report, status } = await c.var.documents.add(name, c.req.raw.body ?? new ReadableStream(), {
          password: c.req.valid('header')[passwordHeader],
          declaredBytes: Number(c.req.header('content-length') ?? 0),
        })
        if (wait === 'false') return c.json({ documents: [], uploadId: status.uploadId }, 200)
        // Who waits for a reader needs nothing of this server meanwhile.
        c.var.leave()
        const { documents } = await report
        return c.json({ documents: [...documents], uploadId: status.uploadId }, 200)
      },
    )
    .openapi(
      createRoute({
        method: 'get',
        path: '/uploads',
        summary: 'The files that you have sent and that are read, or were within an hour',
        responses: answers(z.object({ uploads: z.array(shapes.upload) })),
      }),
      async (c) => c.json({ uploads: [...c.var.documents.uploads()] }, 200),
    )
    .openapi(
      createRoute({
        method: 'get',
        path: '/uploads/{uploadId}',
        summary: 'How far such a file is',
        request: { params: z.object({ uploadId: z.string().regex(/^[0-9a-f]{32}$/) }) },
        responses: answers(shapes.upload),
      }),
      async (c) => {
        const { uploadId } = c.req.valid('param')
        const found = c.var.documents.uploads().find((each) => each.uploadId === uploadId)
        if (!found) throw new DocumentNotFound('No such file is on its way. Look whether it is in the library.')
        return c.json(found, 200)
      },
    )
    .openapi(
      createRoute({
        method: 'get',
        path: '/search',
        summary: 'Passages of the library, without an answer',
        request: { query: asked },
        responses: answers(z.object({ hits: z.array(shapes.hit) })),
      }),
      async (c) => {
        const { q, limit, documentId } = c.req.valid('query')
        const options = { ...(limit && { limit }), ...(documentId && { documents: [documentId] }) }
        const hits = await c.var.documents.search(q, options)
        return c.json({ hits: hits.map((each) => ({ ...each })) }, 200)
      },
    )
}

/** A document, its corrections, and its end. */
function oneDocument() {
  return routes()
    .openapi(
      createRoute({
        method: 'get',
        path: '/documents/{documentId}',
        summary: 'A document',
        request: { params: named },
        responses: answers(shapes.document),
      }),
      async (c) => c.json(await c.var.documents.document(c.req.valid('param').documentId), 200),
    )
    .openapi(
      createRoute({
        method: 'patch',
        path: '/documents/{documentId}',
        summary: 'Corrects title, authors or year; null takes a correction back',
        request: { params: named, body: json(shapes.metadataChange) },
        responses: answers(shapes.document),
      }),
      async (c) => {
        const change = Object.entries(c.req.valid('json')).filter(([, value]) => value !== undefined)
        return c.json(await c.var.documents.set(c.req.valid('param').documentId, Object.fromEntries(change)), 200)
      },
    )
    .openapi(
      createRoute({
        method: 'delete',
        path: '/documents/{documentId}',
        summary: 'Removes a document from the library',
        request: { params: named },
        responses: answers(named),
      }),
      async (c) => {
        const { documentId } = c.req.valid('param')
        await c.var.documents.remove(documentId)
        return c.json({ documentId }, 200)
      },
    )
}

/** The numbers of pages, the text of one, and where it is printed. */
function pagesOfDocument() {
  return routes()
    .openapi(
      createRoute({
        method: 'get',
        path: '/documents/{documentId}/pages',
        summary: 'How many pages a document has, and which of them have another number in print',
        request: { params: named },
        responses: answers(shapes.pages),
      }),
      async (c) => {
        const { documentId, pages } = await c.var.documents.document(c.req.valid('param').documentId)
        const printed = await c.var.documents.printedPages(documentId)
        return c.json({ documentId, pages, printed }, 200)
      },
    )
    .openapi(
      createRoute({
        method: 'get',
        path: '/documents/{documentId}/pages/{page}',
        summary: 'The stored text of a page, into which citations point, and its tables, or those in a stretch of it',
        request: { params: page, query: span.partial() },
        responses: answers(shapes.pageText),
      }),
      async (c) => {
        const { documentId, page: number } = c.req.valid('param')
        const { start = 0, end = Number.MAX_SAFE_INTEGER } = c.req.valid('query')
        const { text } = await c.var.documents.text(documentId, number)
        const tables = await c.var.documents.tables(documentId, number, { start, end })
        return c.json({ documentId, page: number, text, tables }, 200)
      },
    )
    .openapi(
      createRoute({
        method: 'get',
        path: '/documents/{documentId}/pages/{page}/rects',
        summary:
          'Where a span of the text is printed: rectangles in points, axes as in PDF; none where that is not known',
        request: { params: page, query: span },
        responses: answers(z.object({ rectangles: z.array(z.array(z.number()).length(4)) })),
      }),
      async (c) => {
        const { documentId, page: number } = c.req.valid('param')
        const rectangles = await c.var.documents.rectangles(documentId, number, c.req.valid('query'))
        return c.json({ rectangles: rectangles.map((each) => [...each]) }, 200)
      },
    )
}

/** The file that was read. */
function fileOfDocument() {
  return routes()
    .openapi(
      createRoute({
        method: 'get',
        path: '/documents/{documentId}/state',
        summary: 'Whether the file is still as it was when it was read',
        request: { params: named },
        responses: answers(shapes.documentState),
      }),
      async (c) => {
        const { documentId } = c.req.valid('param')
        const { format } = await c.var.documents.document(documentId)
        if (format === 'web') return c.json({ documentId, file: 'none' } as const, 200)
        const found = await c.var.documents.file(documentId, c.var.left.signal)
        await found?.file.close()
        return c.json({ documentId, file: found ? 'unchanged' : 'changed' } as const, 200)
      },
    )
    .openapi(
      createRoute({
        method: 'get',
        path: '/documents/{documentId}/file',
        summary: 'The file, if it is still where it was and unchanged',
        request: { params: named },
        responses: { 200: { description: 'the bytes', content: bytes }, default: answers(named).default },
      }),
      async (c) => {
        const found = await c.var.documents.file(c.req.valid('param').documentId, c.var.left.signal)
        if (found === null)
          throw new DocumentNotFound('The file has moved or changed since it was read. Its stored text remains.')
        // As bytes to save, never as a page: a document may hold scripts.
        c.header('Content-Disposition', attachment(found.name))
        c.header('Content-Type', 'application/octet-stream')
        c.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
        c.header('Content-Length', String((await found.file.stat()).size))
        return c.body(Readable.toWeb(found.file.createReadStream({ start: 0 })))
      },
    )
}

/** A file to save under its name, for old programs in plain letters (RFC 6266). */
function attachment(name: string): string {
  const plain = name.replace(/[^\w.() -]/g, '_')
  const whole = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}
