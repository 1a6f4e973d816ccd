import { z } from 'zod'
import { type LimitName, limitNames } from '../errors.ts'
import { type Usage, usage } from './values.ts'

/** Evidence that a tool found: `text` is on a stored page, from `start` to `end`, so that every quote can be checked. */
export const observation = z.object({
  passageId: z.string(),
  documentId: z.string(),
  title: z.string().nullable(),
  authors: z.array(z.string()),
  year: z.number().nullable(),
  /** What the person's references call the document. */
  key: z.string().optional(),
  source: z.string(),
  origin: z.enum(['documents', 'web']),
  page: z.number().int(),
  section: z.string().nullable(),
  /** Of a passage of several sections, where each begins on its page, and its name. */
  sections: z
    .array(z.tuple([z.number().int(), z.string()]).readonly())
    .readonly()
    .optional(),
  kind: z.enum(['text', 'table', 'references']),
  /** Of what kind the file is; only `pdf` and `pptx` (its slides) have pages. */
  format: z
    .enum([
      'pdf',
      'markdown',
      'html',
      'text',
      'docx',
      'odt',
      'rtf',
      'xlsx',
      'pptx',
      'epub',
      'csv',
      'eml',
      'picture',
      'web',
    ])
    .optional(),
  /** What is printed on the page ("iv"), if the file says so. */
  pageLabel: z.string().nullish(),
  /** The name of the table that the passage is part of ("Table 2"), from its caption. */
  table: z.string().nullish(),
  /** What the figures of the passage's table count in, where that is said elsewhere on its page. */
  unit: z.string().nullish(),
  text: z.string(),
  start: z.number().int(),
  end: z.number().int(),
  /** 0 to 1: how much of what the query asks for the passage holds, by its words or by its meaning. */
  score: z.number(),
})
export type Observation = z.output<typeof observation>

/** A passage as a model sees it: a short handle for this run, and its text. */
export interface EvidencePassage {
  /** `P1`, `P2`, … */
  readonly id: string
  readonly documentId: string
  readonly title: string | null
  readonly source: string
  readonly year: number | null
  readonly page: number
  readonly section: string | null
  readonly kind: 'text' | 'table' | 'references'
  readonly origin: 'documents' | 'web'
  readonly text: string
  readonly score: number
}

/** A passage as the model sees it, and the observation behind its handle. */
export interface Evidence {
  readonly passage: EvidencePassage
  readonly observation: Observation
}

/** Text for the model, and the evidence for it. */
export interface ToolResult {
  readonly content: string
  readonly observations?: readonly Observation[]
  /** Ends the loop with this text as the agent's result. */
  readonly final?: string
  /** Problems that were worked around; they are logged and shown. */
  readonly notices?: readonly { readonly code: string; readonly message: string }[]
  /** What the call has cost in tokens and money, which counts towards the run's. */
  readonly usage?: Usage
  /** A limit of the run that ended the work early. The caller ends too, with what was found. */
  readonly limit?: { readonly name: LimitName; readonly value: number; readonly message: string }
}

/** The result of a tool, or of a hook that answers in its place. */
export const toolResult = z.object({
  content: z.string(),
  observations: z.array(observation).optional(),
  final: z.string().optional(),
  notices: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
  usage: usage.optional(),
  limit: z.object({ name: z.enum(limitNames), value: z.number(), message: z.string() }).optional(),
})
