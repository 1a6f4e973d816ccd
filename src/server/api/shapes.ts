import { z } from '@hono/zod-openapi'
import { calculation, citation, keptScore, longestQuestion, runResult, runStates } from '../../index.ts'

/** What the routes read and send, as the OpenAPI document names it. */

const count = z.number().int().nonnegative()
const time = z.iso.datetime()

export const problem = z.object({ error: z.object({ code: z.string(), message: z.string() }) }).openapi('Error')

/** Names of files would do for the engine too, and tell which files lie where. */
export const documentId = z.string().regex(/^[0-9a-f]{4,64}$/, 'A document id has 4 to 64 hexadecimal digits.')

export const questionText = z
  .string()
  .min(1)
  .max(longestQuestion, `At most ${longestQuestion} characters are read. Add long text as a document instead.`)

const tag = z.string().min(1).max(100)

/** What a question is limited to, in every protocol. */
export const choice = z.object({
  documentIds: z.array(documentId).max(10_000).optional(),
  where: z.string().max(2000).optional().openapi({ description: 'a filter, such as year>=2020 and kind=10-K' }),
  tags: z.array(tag).max(50).optional().openapi({ description: 'only documents with each of these' }),
})

export type Choice = z.output<typeof choice>

/** The same of a list, in an address. */
export const filter = z.object({
  where: choice.shape.where,
  tag: z
    .union([tag, z.array(tag).max(50)])
    .transform((given) => [given].flat())
    .optional()
    .openapi({ type: 'array', items: { type: 'string' } }),
})

export const question = z
  .strictObject({
    question: questionText,
    threadId: z.string().optional(),
    ...choice.shape,
    limits: z
      .strictObject({
        modelCalls: count.nullable().optional(),
        rounds: count.nullable().optional(),
        toolCalls: count.nullable().optional(),
        tokens: count.nullable().optional(),
        costUsd: z.number().nonnegative().nullable().optional(),
        wallClockMs: count.nullable().optional(),
      })
      .optional(),
    approve: z.enum(['all', 'none', 'ask']).optional(),
    idempotencyKey: z.string().min(1).max(200).optional(),
    messageId: z.string().min(1).max(255).optional(),
  })
  .openapi('Question')

/** What a table and a report may be asked with, beside their questions. */
export const asking = question
  .pick({ documentIds: true, where: true, tags: true, limits: true, approve: true })
  .extend({
    afresh: z.boolean().optional().openapi({ description: 'asks again what is known, too' }),
    atOnce: z.number().int().min(1).max(64).optional().openapi({ description: 'runs worked on side by side' }),
  })

export const result = runResult.extend({}).openapi('RunResult')

export const runSummary = z
  .object({
    runId: z.string(),
    threadId: z.string(),
    status: z.enum(runStates),
    question: z.string(),
    startedAt: time.nullable(),
    endedAt: time.nullable(),
  })
  .openapi('RunSummary')

export const answers = z
  .strictObject({
    answers: z.record(
      z.string(),
      z.strictObject({
        approved: z.boolean(),
        reason: z.string().max(2000).optional(),
        args: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  })
  .openapi('Answers')

export const newScore = z
  .strictObject({
    name: z.string(),
    value: z.union([z.number(), z.boolean(), z.string()], 'a number, a text, true or false is needed'),
    comment: z.string().max(10_000).optional(),
  })
  .openapi('NewScore')

export const scored = keptScore.extend({}).openapi('Score')

export const thread = z
  .object({
    threadId: z.string(),
    title: z.string(),
    turns: count,
    userId: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    createdAt: time,
    updatedAt: time,
  })
  .openapi('Thread')

export const message = z
  .object({
    role: z.enum(['user', 'assistant']),
    content: z.string(),
    runId: z.string(),
    messageId: z.string().optional(),
    createdAt: time,
    citations: z.array(citation).optional(),
    calculations: z.array(calculation).optional(),
    sentences: runResult.shape.sentences.optional(),
    unsupported: runResult.shape.unsupported.optional(),
    imported: runResult.shape.imported.unwrap().optional(),
    added: z.literal(true).optional(),
    note: runResult.shape.note,
  })
  .openapi('Message')

const stretch = { start: count, end: count }

export const document = z
  .object({
    documentId: z.string(),
    title: z.string().nullable(),
    authors: z.array(z.string()),
    year: z.number().int().nullable(),
    source: z.string().openapi({ description: 'the name of the file, or the address' }),
    format: z.string(),
    pages: count,
    passages: count,
    tags: z.array(z.string()),
    addedAt: time.nullable(),
    reference: z.record(z.string(), z.string()).optional().openapi({ description: 'CSL; `id` is its key' }),
    editable: z.boolean().openapi({
      description: 'the user added it first or may write its collections, and corrects what is stated of it',
    }),
    removable: z.boolean().openapi({ description: 'the user has a copy here, and may remove it' }),
  })
  .openapi('Document')

export const documentDetails = document
  .extend({
    summary: list(z.object({ page: count.min(1), text: z.string(), ...stretch })),
    questions: list(z.string()).openapi({ description: 'suggested from its title and headings' }),
    recognised: list(z.object({ page: count.min(1), confidence: z.number() })),
  })
  .openapi('DocumentDetails')

export const documentState = z
  .object({
    documentId: z.string(),
    file: z.enum(['unchanged', 'changed', 'none']).openapi({
      description: 'changed: its bytes are others, or it is not where it was; none: it came from the web',
    }),
  })
  .openapi('DocumentState')

export const metadataChange = z
  .strictObject({
    title: z.string().max(1000).nullable().optional(),
    authors: z.array(z.string().max(200)).max(200).nullable().optional(),
    year: z.number().int().nullable().optional(),
    tags: z.array(tag).max(100).optional().openapi({ description: 'all that it is to have' }),
  })
  .openapi('MetadataChange')

export const folder = z
  .object({
    name: z.string(),
    lookedAt: time.nullable(),
    changedAt: time.nullable(),
    counts: z.record(z.string(), count).openapi({ description: 'files, and sentences of answers, since it is kept' }),
    problem: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .openapi('Folder')

export const added = z
  .object({
    documents: z.array(
      z.object({
        path: z.string(),
        documentId: z.string().nullable(),
        status: z.enum(['added', 'unchanged', 'updated', 'failed']),
        pages: count,
        passages: count,
        error: z.object({ code: z.string(), message: z.string() }).nullable(),
      }),
    ),
    uploadId: z.string(),
  })
  .openapi('Added')

export const upload = z
  .object({
    uploadId: z.string(),
    name: z.string(),
    state: z.enum(['waiting', 'reading', 'added', 'failed']),
    pages: count,
    passages: count,
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .openapi('Upload')

function list<T extends z.ZodType>(item: T) {
  return z.array(item).readonly()
}

/** A table of a page, or a part of a long one; all places point into the page's text. */
const table = z
  .object({
    ...stretch,
    whole: z.object(stretch).openapi({ description: 'all parts of the table on this page' }),
    caption: z.string().nullable(),
    unit: z.string().nullable(),
    columns: list(
      z.object({
        path: list(z.string()),
        unit: z.string().nullable(),
        period: z.string().nullable(),
        isLabel: z.boolean(),
      }),
    ),
    rows: list(
      z.object({
        ...stretch,
        label: z.string(),
        section: list(z.string()),
        unit: z.string().nullable(),
        period: z.string().nullable(),
        cells: list(list(count)).openapi({ description: 'of each cell its column, its start and its end' }),
      }),
    ),
  })
  .openapi('Table')

export const pageText = z
  .object({
    documentId: z.string(),
    page: count.min(1),
    text: z.string(),
    confidence: z.number().nullable().openapi({
      description:
        'how sure the program is that recognised the text in a picture, 0 to 1; null where that is not known',
    }),
    tables: list(table),
  })
  .openapi('PageText')

export const pages = z
  .object({
    documentId: z.string(),
    pages: count,
    printed: list(z.object({ page: count.min(1), printed: z.string() })).openapi({
      description: 'pages with a printed number that is not their place in the file',
    }),
  })
  .openapi('Pages')

export const hit = z
  .object({
    rank: count.min(1),
    score: z.number(),
    passageId: z.string(),
    documentId: z.string(),
    title: z.string().nullable(),
    source: z.string(),
    format: z.string(),
    page: count.min(1),
    pageLabel: z
      .string()
      .nullable()
      .openapi({ description: 'what is printed on the page, where it is another number' }),
    section: z.string().nullable(),
    start: count,
    end: count,
    text: z.string(),
  })
  .openapi('SearchHit')

/** A page of a list, newest first; `cursor` asks for the next one. */
export const paging = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.coerce.number().int().min(0).default(0),
  search: z.string().max(500).optional(),
})

/** A page of a list of which the storage reads a part; with a search, of the items that hold what is searched for. */
export async function pageOf<T>(
  read: (part: { readonly limit?: number; readonly offset?: number }) => Promise<readonly T[]>,
  { limit, cursor, search = '' }: { readonly limit: number; readonly cursor: number; readonly search?: string },
  wordsOf: (item: T) => string = () => '',
) {
  const wanted = search.toLowerCase()
  // One more tells whether there is a next page.
  const end = cursor + limit + 1
  const found =
    wanted === ''
      ? await read({ limit: limit + 1, offset: cursor })
      : (await read({})).filter((item) => wordsOf(item).toLowerCase().includes(wanted)).slice(cursor, end)
  return { items: found.slice(0, limit), next: found.length > limit ? cursor + limit : null }
}

export const next = count.nullable().openapi({ description: 'the cursor of the next page; null on the last one' })
