import type { RunResult } from '../../runs/index.ts'
import { hasResult, problemOf } from '../asking/known-runs.ts'
import { claimsOfAnswer, isKept } from '../cards/claim.ts'
import { type ColumnForm, valueIn } from './form.ts'
import type { AnswerCell } from './table.ts'

/** The cell that a run has filled: the value of the first sentence of its answer that is kept, and what that rests on. */
export function cellOf(run: RunResult, form: ColumnForm): AnswerCell {
  const kept = run.abstained ? [] : claimsOfAnswer(run).filter(isKept)
  const [first] = kept
  const empty = emptyCell(run)
  if (empty || !first) return { value: null, text: '', quotes: [], runId: run.runId, ...(empty ?? nothingFound(run)) }
  const value = readValue(first.text, run, form)
  // Without a language model, further sentences are other quotes, not support.
  const telling = run.model === 'extractive' ? [first] : kept
  const quotes = telling.flatMap((each) => each.quotes)
  const once = [...new Map(quotes.map((quote) => [`${quote.documentId} ${quote.page} ${quote.start}`, quote])).values()]
  const reason = value === null ? 'The answer does not have the form of the column.' : first.reason
  return {
    value: value ?? first.text,
    state: first.state,
    text: telling.map((each) => each.text).join(' '),
    quotes: once,
    ...(reason !== undefined && { reason }),
    runId: run.runId,
  }
}

/** What a run without a value leaves; null if it searched to the end. */
function emptyCell(run: RunResult): Pick<AnswerCell, 'state' | 'reason'> | null {
  const problem = problemOf(run)
  if (problem !== null) return { state: 'failed', reason: problem }
  if (hasResult(run.status)) return null
  const isWaiting = run.status === 'requires_action'
  const reason = isWaiting ? 'It waits for an approval.' : 'It is under way, or can be resumed.'
  return { state: 'open', reason }
}

function nothingFound({ answer, clarification }: RunResult): Pick<AnswerCell, 'state' | 'reason'> {
  return { state: 'not reported', reason: clarification ?? answer }
}

/** Without a language model, the answer is a quote, and so is the value. */
function readValue(sentence: string, { model }: RunResult, form: ColumnForm): string | null {
  return model === 'extractive' ? sentence : valueIn(form, sentence)
}
