import { z } from '@hono/zod-openapi'
import { claimQuote, tableFormats } from '../../claims/index.ts'
import {
  claim as anyClaim,
  table as anyTable,
  readQuestions,
  type TablePlan,
  type TableWork,
  tableFile,
} from '../../index.ts'
import { documentName } from '../../library/index.ts'
import { type Frame, sendFrames } from '../protocol/stream.ts'
import type { UserTable } from '../user/user-claims.ts'
import { bytes, endpoint, events, ownApi, routes, sendFile, wantsEvents } from './endpoint.ts'
import { addReports } from './reports.ts'
import * as shapes from './shapes.ts'

const filter = z.strictObject({
  threadId: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,95}$/, 'A thread id has 1 to 95 letters, digits, hyphens or underscores.')
    .optional(),
  runId: z.string().optional(),
  documentId: shapes.documentId.optional(),
})
const claim = anyClaim.extend({}).openapi('Claim')
const place = z.object({ documentId: z.string(), source: z.string(), page: z.number(), text: z.string() })
const claimStanding = z
  .object({
    claim,
    stands: z.boolean(),
    quotes: z.array(
      z.object({
        quote: claimQuote,
        stands: z.boolean(),
        change: z.enum(['document changed', 'document gone', 'other words']).nullable(),
        now: place.nullable().openapi({ description: 'where the words stand now, or the nearest to them' }),
      }),
    ),
    formulas: z.array(z.string()).openapi({ description: 'why formulas are not computed to their value any more' }),
  })
  .openapi('ClaimStanding')

const { columns, rows, limitedTo } = anyTable.shape
const { form } = columns.element.shape
const column = z.strictObject({ id: z.string().optional(), question: shapes.questionText, form: form.optional() })
const oneColumn = z.union([shapes.questionText, column], { error: 'a question, or an object with one, is needed' })
const listed =
  'at most 200 questions; or a text with one a line, which may end with the form of its cells: [text], [number], [yes/no], [one of a | b]'
const tableRequest = shapes.asking
  .extend({
    columns: z
      .union([z.string().min(1), z.array(oneColumn).min(1)], { error: 'a list of questions is needed' })
      .openapi({ description: listed }),
  })
  .openapi('TableRequest')
const tablePlan = z
  .object({
    columns,
    limitedTo,
    documents: z.array(rows.element.pick({ document: true, documentId: true })),
    known: z.number(),
    open: z.number(),
    perCell: z
      .object({ modelCalls: z.number(), tokens: z.number(), costUsd: z.number().nullable() })
      .nullable()
      .openapi({ description: 'of known cells, in the median' }),
  })
  .openapi('TablePlan')
const answerTable = anyTable.extend({}).openapi('AnswerTable')

/** Sentences of answers with their quotes, tables of questions by documents, and reports. */
export function claimRoutes() {
  const app = routes()
  addClaims(app)
  addTables(app)
  addReports(app)
  return app
}

function addClaims(app: ReturnType<typeof routes>): void {
  endpoint(app, {
    route: 'get /claims',
    summary: 'Sentences of answers with what they rest on, the newest answers first; a page ends with an answer',
    query: filter.extend(shapes.paging.omit({ search: true }).shape),
    answer: z.object({ claims: z.array(claim), next: shapes.next }),
    handle: (c, { query }) => c.var.claims.page(query),
  })
  endpoint(app, {
    route: 'get /claims/check',
    summary: 'Looks the quotes of sentences up in the documents of now, without a model',
    query: filter,
    answer: z.object({ claims: z.array(claimStanding) }),
    handle: async (c, { query }) => ({ claims: await c.var.claims.check(query) }),
  })
}

/** A table is named by its questions and documents: asked for again, it goes on with what is missing. */
function addTables(app: ReturnType<typeof routes>): void {
  endpoint(app, {
    route: 'post /tables/plan',
    summary: 'Which cells of a table are known, and what known ones have cost; asks nothing',
    body: tableRequest,
    answer: tablePlan,
    handle: async (c, { body }) => shownPlan(await c.var.claims.table(requestOf(body)).plan()),
  })
  endpoint(app, {
    route: 'post /tables',
    summary: 'Fills a table, or what is missing of it: whole as JSON, or with "Accept: text/event-stream" cell by cell',
    body: tableRequest,
    answer: answerTable,
    otherwise: events,
    handle: async (c, { body }) => {
      const work = c.var.claims.table(requestOf(body))
      // What is refused is an error of HTTP.
      const plan = await work.plan()
      return wantsEvents(c) ? sendFrames(c, ownApi, framesOf(work, plan)) : work.result()
    },
  })
  endpoint(app, {
    route: 'post /tables/file',
    summary: 'What is known of a table as a file that carries its proof (CSV: none); asks nothing',
    query: z.object({ format: z.enum(tableFormats) }),
    body: tableRequest,
    otherwise: bytes,
    handle: async (c, { query: { format }, body }) => {
      return sendFile(c, `table.${format}`, await tableFile(await c.var.claims.known(requestOf(body)), format))
    },
  })
}

/** A person's text of questions is read as a file of the command line is. */
function requestOf({ columns, ...rest }: TableBody): UserTable {
  return { columns: typeof columns === 'string' ? readQuestions(columns) : columns, ...rest }
}

type TableBody = Omit<UserTable, 'columns'> & { readonly columns: string | UserTable['columns'] }

function shownPlan({ documents, columns, ...rest }: TablePlan) {
  const named = documents.map((each) => ({ documentId: each.documentId, document: documentName(each) }))
  return { columns, documents: named, ...rest }
}

/** `plan`, then `cell` for each that is filled, then `end`. */
async function* framesOf(work: TableWork, plan: TablePlan): AsyncGenerator<Frame> {
  yield { event: 'plan', data: shownPlan(plan) }
  for await (const cell of work.cells()) yield { event: 'cell', data: cell }
  yield { event: 'end', data: {} }
}
