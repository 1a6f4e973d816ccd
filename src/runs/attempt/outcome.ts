import { z } from 'zod'
import type { AgentState } from '../../agents/state.ts'
import { highlight } from '../../events/catalogue.ts'
import type { RunOutcome } from './attempt.ts'

/** What a finished graph state says about the run. */
export function outcomeOf(state: AgentState): RunOutcome {
  const { ending, error, agents } = state.context
  const asked = state.lastAgent === 'clarification'
  const highlights = z.array(highlight).safeParse(agents.synthesis?.highlights).data ?? []
  return {
    stopReason: asked ? 'clarification_needed' : ending ? 'limit_reached' : 'answered',
    ending,
    standaloneQuestion: state.standaloneQuestion,
    answer: state.finalAnswer ?? '',
    abstained: agents.synthesis?.abstained === true,
    confidence: state.confidenceScore,
    clarification: asked ? state.finalAnswer : null,
    citations: state.citations,
    ...(highlights.length > 0 && { highlights }),
    unsupported: state.unsupported,
    error,
  }
}
