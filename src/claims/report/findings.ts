import type { RunResult } from '../../runs/index.ts'
import { hasResult, problemOf } from '../asking/known-runs.ts'
import { cardsIn } from '../cards/claim.ts'
import type { Report } from './report.ts'

/** It has no result yet, or the same question asks again. */
export function isUnfinished(result: RunResult): boolean {
  return !hasResult(result.status) || problemOf(result) !== null
}

/** A question, if all runs of it have looked to the end and found nothing. */
export function notFoundIn(question: string, told: readonly { readonly result: RunResult }[]): Report['notFound'] {
  const [first] = told
  if (!first || told.some(({ result }) => isUnfinished(result) || cardsIn(result).length > 0)) return []
  const reason = told.length === 1 ? reasonOf(first.result) : `None of ${told.length} documents says it.`
  return [{ question, reason }]
}

export function unfinishedOf(result: RunResult): Report['unfinished'][number] {
  const isOpen = result.status === 'requires_action' || result.status === 'interrupted'
  return { question: result.question, state: isOpen ? 'open' : 'failed', reason: reasonOf(result) }
}

export function reasonOf(result: RunResult): string {
  const { answer, clarification, status } = result
  if (status === 'requires_action') return 'It waits for an approval.'
  return problemOf(result) ?? clarification ?? (answer.split('\n', 1)[0] || `The run is ${status}.`)
}
