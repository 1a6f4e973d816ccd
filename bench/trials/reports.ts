import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { PlainSet } from '../drafts/question-set.ts'
import { dataFolder, readLines } from '../question-sets.ts'
import type { Effect } from './judge.ts'

/** What doctors found of an outcome in a report of a trial, and the words that show it. */
export interface TrialQuestion {
  readonly id: string
  /** The file's name. */
  readonly document: string
  readonly outcome: string
  readonly intervention: string
  readonly comparator: string
  readonly label: Effect
  /** Each by itself is enough. */
  readonly evidence: readonly string[]
}

export function trialQuestions(): readonly TrialQuestion[] {
  return readLines<TrialQuestion>(join(dataFolder(), 'trials', 'questions.jsonl'))
}

/** Reports of clinical trials and questions about their outcomes, each limited to its report. */
export function trials(): PlainSet {
  const folder = join(dataFolder(), 'trials')
  const names = readdirSync(folder).filter((name) => name.endsWith('.txt'))
  return {
    files: new Map(names.sort().map((name) => [name, join(folder, name)])),
    questions: trialQuestions().map(({ id, document, label, ...asked }) => ({
      id,
      question: asQuestion(asked),
      wanted: label,
      within: document,
    })),
  }
}

function asQuestion({
  outcome,
  intervention,
  comparator,
}: Pick<TrialQuestion, 'outcome' | 'intervention' | 'comparator'>) {
  return `With ${intervention} compared to ${comparator}, was ${outcome} significantly increased, significantly decreased, or was there no significant difference?`
}
