import type { AgentTask } from '../../models/port/model.ts'
import type { AnswerBasis } from '../confidence/confidence.ts'
import type { Candidate, ExtractiveParts } from './parts.ts'

export type SynthesisTask = Extract<AgentTask, { agent: 'synthesis' }>

/** An answer made by rule. */
export interface RuledAnswer {
  /** Sentences with their citations. */
  readonly text: string
  readonly basis: AnswerBasis
  /** What cannot be quoted: what is known of the files but stands nowhere in them, what was asked for and not found. */
  readonly remarks: readonly string[]
}

/**
 * One way to answer: a draft whose every sentence is followed by its quotes, or null if the question or the evidence is
 * none for it. `ranked` are the sentences and rows of the evidence, the likeliest answer first.
 */
export type AnswerStrategy = (
  task: SynthesisTask,
  parts: ExtractiveParts,
  ranked: readonly Candidate[],
) => Promise<RuledAnswer | null>
