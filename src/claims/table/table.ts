import { z } from 'zod'
import { longestQuestion, runResult } from '../../runs/index.ts'
import { claimQuote } from '../cards/claim.ts'
import { columnForm } from './form.ts'

/** A column: a question that is asked of each document. */
export const questionColumn = z.object({ id: z.string(), question: z.string(), form: columnForm })
export type QuestionColumn = z.output<typeof questionColumn>

/** A column as it is asked for; a text is its question. */
export const askedColumn = z.preprocess(
  (given) => (typeof given === 'string' ? { question: given } : given),
  z.strictObject({
    id: z.string().trim().min(1).max(100).optional(),
    question: z.string().trim().min(1).max(longestQuestion),
    form: columnForm.optional(),
  }),
)

/**
 * What one document says to one question. `verified` and `quoted` are those of the sentence that has the value; `not reported`:
 * the document was searched and does not say; `open`: it was not asked, waits for an approval, or its run can be resumed;
 * `failed`: its run did, and is begun anew when the table is asked for again.
 */
export const answerCell = z.object({
  /** null unless the state is `verified` or `quoted`. */
  value: z.string().nullable(),
  state: z.enum(['verified', 'quoted', 'not reported', 'open', 'failed']),
  /** The sentence that has the value; with it, those that support it. */
  text: z.string(),
  quotes: z.array(claimQuote),
  /** Why there is no value, or what is to be known of it. */
  reason: z.string().optional(),
  /** null where no run was begun. */
  runId: z.string().nullable(),
})
export type AnswerCell = z.output<typeof answerCell>

/** Questions by documents: a row for each document, in it a cell for each column. */
export const table = z.object({
  columns: z.array(questionColumn),
  limitedTo: runResult.shape.limitedTo,
  rows: z.array(z.object({ document: z.string(), documentId: z.string(), cells: z.array(answerCell) })),
})
export type Table = z.output<typeof table>
