import { z } from '@hono/zod-openapi'
import { reportFormats } from '../../claims/index.ts'
import {
  report as anyReport,
  formatOutline,
  outline,
  parseOutline,
  type ReportWork,
  referencesFile,
  reportFile,
} from '../../index.ts'
import { begun, type Frame, sendFrames } from '../protocol/stream.ts'
import type { UserReport } from '../user/user-claims.ts'
import { bytes, endpoint, events, ownApi, type routes, sendFile, wantsEvents } from './endpoint.ts'
import * as shapes from './shapes.ts'

const reportRequest = shapes.asking
  .extend({
    question: shapes.questionText,
    outline: z
      .union([z.string().min(1), outline], { error: 'a title with sections is needed, each with its questions' })
      .optional()
      .openapi({ description: 'what is asked; or as a text: "# title", "## heading", below it "- question"' }),
  })
  .openapi('ReportRequest')
const planned = z
  .object({ kind: anyReport.shape.kind, outline, text: z.string().openapi({ description: 'the same, to be edited' }) })
  .openapi('ReportOutline')
const writtenReport = anyReport.extend({}).openapi('Report')

/** Of the documents that it quotes. */
const references = { bib: 'references.bib', csl: 'references.json' }

/** A report is named by its question, outline and documents: asked for again, it goes on with what is missing. */
export function addReports(app: ReturnType<typeof routes>): void {
  endpoint(app, {
    route: 'post /reports/outline',
    summary: 'The outline of a report: a language model plans it, in one call; without one, the question itself',
    body: reportRequest,
    answer: planned,
    handle: async (c, { body }) => {
      const work = c.var.claims.report(requestOf(body))
      const plan = await work.outline()
      return { kind: work.kind, outline: plan, text: formatOutline(plan) }
    },
  })
  endpoint(app, {
    route: 'post /reports',
    summary: 'Writes a report, or what is missing of it: as JSON, or with "Accept: text/event-stream" step by step',
    body: reportRequest,
    answer: writtenReport,
    otherwise: events,
    handle: async (c, { body }) => {
      const work = c.var.claims.report(requestOf(body))
      if (!wantsEvents(c)) return work.result()
      // What is refused before the outline is an error of HTTP.
      return sendFrames(c, ownApi, framesOf((await begun(work.steps())).events))
    },
  })
  endpoint(app, {
    route: 'post /reports/file',
    summary: 'A written report as a file that carries its proof, or the documents that it quotes; asks nothing',
    query: z.object({ format: z.enum([...reportFormats, 'bib', 'csl']) }),
    body: reportRequest,
    otherwise: bytes,
    handle: async (c, { query: { format }, body }) => {
      const report = await c.var.claims.report(requestOf(body)).known()
      const documents = await c.var.documents.list()
      return format === 'bib' || format === 'csl'
        ? sendFile(c, references[format], referencesFile(report, references[format], documents))
        : sendFile(c, `${report.kind}.${format}`, await reportFile(report, format, { documents }))
    },
  })
}

/** A person's text of an outline is read as a file of the command line is. */
function requestOf({ outline: given, ...rest }: ReportBody): UserReport {
  return { ...rest, ...(given && { outline: typeof given === 'string' ? parseOutline(given) : given }) }
}

type ReportBody = Omit<UserReport, 'outline'> & { readonly outline?: string | NonNullable<UserReport['outline']> }

/** `outline`, `question` for each that was asked, `section` for each that was written, and `report`. */
async function* framesOf(steps: ReturnType<ReportWork['steps']>): AsyncGenerator<Frame> {
  for await (const each of steps) yield { event: each.step, data: each }
}
