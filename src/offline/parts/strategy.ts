import type { AgentTask, RuledAnswer } from '../../models/port/model.ts'
import type { Candidate, ExtractiveParts } from './parts.ts'

export type SynthesisTask = Extract<AgentTask, { agent: 'synthesis' }>

/**
 * One way to answer: a draft whose every sentence is followed by its quotes, or null if the question or the evidence is
 * none for it. `ranked` are the sentences and rows of the evidence, the likeliest answer first.
 */
export type AnswerStrategy = (
  task: SynthesisTask,
  parts: ExtractiveParts,
  ranked: readonly Candidate[],
) => Promise<RuledAnswer | null>
