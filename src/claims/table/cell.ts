import type { RunResult } from '../../runs/index.ts'
import { hasFailed, hasResult } from '../asking/known-runs.ts'
import { claimsOfAnswer, isKept } from '../cards/claim.ts'
import { type ColumnForm, valueIn } from './form.ts'
import type { AnswerCell } from './table.ts'

/** The cell that a run has filled: the value of the first sentence of its answer that is kept, and what that rests on. */
export function cellOf(run: RunResult, form: ColumnForm): AnswerCell {
  const { runId, status, answer, abstained, clarification, error } = run
  const empty = { value: null, text: '', quotes: [], runId }
  if (hasFailed(status)) return { ...empty, state: 'failed', reason: error?.message ?? `The run was ${status}.` }
  if (!hasResult(status)) {
    const reason = status === 'requires_action' ? 'It waits for an approval.' : 'It is under way, or can be resumed.'
    return { ...empty, state: 'open', reason }
  }
  if (clarification !== null) return { ...empty, state: 'not reported', reason: clarification }
  const kept = claimsOfAnswer(run).filter(isKept)
  const [first] = kept
  if (abstained || !first) return { ...empty, state: 'not reported', reason: answer }
  const value = readValue(first.text, run, form)
  // Without a language model, further sentences are other quotes, not support.
  const quotes = (run.model === 'extractive' ? [first] : kept).flatMap((each) => each.quotes)
  const once = [...new Map(quotes.map((quote) => [`${quote.documentId} ${quote.page} ${quote.start}`, quote])).values()]
  const reason = value === null ? 'The answer does not have the form of the column.' : first.reason
  return {
    value: value ?? first.text,
    state: first.state,
    text: kept.map((each) => each.text).join(' '),
    quotes: once,
    ...(reason !== undefined && { reason }),
    runId,
  }
}

/** Without a language model, the answer is a quote, and so is the value. */
function readValue(sentence: string, { model }: RunResult, form: ColumnForm): string | null {
  return model === 'extractive' ? sentence : valueIn(form, sentence)
}
