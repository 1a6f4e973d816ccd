import type { RunOutcome } from '../../../../src/runs/attempt.ts'

/** What a run that answers hands back. */
export const outcome: RunOutcome = {
  stopReason: 'answered',
  ending: null,
  standaloneQuestion: null,
  answer: 'This.',
  abstained: false,
  confidence: null,
  clarification: null,
  citations: [],
  unsupported: [],
  error: null,
}
