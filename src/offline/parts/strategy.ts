import type { AgentTask } from '../../models/port/model.ts'

export type SynthesisTask = Extract<AgentTask, { agent: 'synthesis' }>

/** An answer made by rule. */
export interface RuledAnswer {
  /** Sentences with their citations. */
  readonly text: string
  /** The probability that it is right. */
  readonly confidence: number
  /** What cannot be quoted: what is known of the files but stands nowhere in them. */
  readonly remarks: readonly string[]
}

/** What every model writes when the passages do not hold an answer. */
export const ABSTENTION: RuledAnswer = { text: '<abstain/>', confidence: 0, remarks: [] }
