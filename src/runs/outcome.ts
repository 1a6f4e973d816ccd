import type { AgentState } from '../agents/state.ts'
import type { RunOutcome } from './attempt.ts'

/** What a finished graph state says about the run. */
export function outcomeOf(state: AgentState): RunOutcome {
  const { ending, error, agents } = state.context
  const asked = state.lastAgent === 'clarification'
  return {
    stopReason: asked ? 'clarification_needed' : ending ? 'limit_reached' : 'answered',
    ending,
    standaloneQuestion: state.standaloneQuestion,
    answer: state.finalAnswer ?? '',
    abstained: agents.synthesis?.abstained === true,
    confidence: state.confidenceScore,
    clarification: asked ? state.finalAnswer : null,
    citations: state.citations,
    unsupported: state.unsupported,
    error,
  }
}
