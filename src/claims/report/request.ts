import { z } from 'zod'
import type { Library } from '../../library/index.ts'
import { checkOptions, type Shape } from '../../options.ts'
import type { Prompt } from '../../prompts.ts'
import type { GroupRuns, ReadRun, RunResult } from '../../runs/index.ts'
import type { Storage } from '../../storage/index.ts'
import { type AskingRequest, askingRequest } from '../asking/asking-request.ts'
import type { ModelCallOptions } from '../asking/call-model.ts'
import type { CellAsker } from '../table/fill-table.ts'
import { askedOutline, type Outline } from './outline.ts'
import type { Report } from './report.ts'

/** What a report is about. */
export interface ReportRequest extends AskingRequest {
  readonly question: string
  /** What is asked, section by section; if absent, the model plans it, and without one the question alone is asked. */
  readonly outline?: Outline
  readonly approve?: 'all' | 'none' | 'ask'
}

/** So many of the questions, or of the sections, are done; `isKnown`: it was done before, and nothing was paid. */
interface StepDone {
  /** Its place in the outline, from 0. */
  readonly section: number
  readonly isKnown: boolean
  readonly done: number
  readonly total: number
}

/** What was done of a report, as it comes; a digest asks each question of each document. */
export type ReportStep =
  | { readonly step: 'outline'; readonly outline: Outline }
  | ({ readonly step: 'question'; readonly question: string; readonly isFound: boolean } & StepDone)
  | ({ readonly step: 'section'; readonly heading: string; readonly sentences: number } & StepDone)
  | { readonly step: 'report'; readonly report: Report }

/** A report on its way: nothing is asked until its outline, its steps or all of it are waited for. */
export interface ReportWork {
  readonly kind: Report['kind']
  /**
   * Throws `UsageError` with the model's question back, where nobody could tell what the report is to be about, and
   * `RunUnfinished` if the model could not be asked.
   */
  outline(): Promise<Outline>
  /** Leaving the loop, or the signal, stops what is under way; the last step is the report, unless it was stopped. */
  steps(): AsyncIterable<ReportStep>
  result(): Promise<Report>
  /** The same from the log, and nothing is asked: what failed stays so. Throws `RunUnfinished` if something was never asked. */
  known(): Promise<Report>
}

/** How the runs of a report are made, of what reads and makes the engine's own: a server makes them as its user. */
export type ReportAskerFrom = (read: ReadRun, call: ReportParts['call']) => CellAsker & Pick<ReportParts, 'call'>

export interface ReportParts extends CellAsker {
  readonly storage: Pick<Storage, 'events'> & { readonly library: Pick<Storage['library'], 'passagesOf'> }
  readonly library: Pick<Library, 'add' | 'list'>
  readonly modelNames: readonly string[]
  readonly group: GroupRuns
  /** A language model writes; without one, the report is a digest. */
  readonly writes: boolean
  readonly prompts: (name: 'report-outline' | 'report-section' | 'report-contradictions') => Prompt
  /** Asks the model alone, as a run of its own. */
  readonly call: (question: string, options: ModelCallOptions) => Promise<RunResult>
  readonly isOnlyRead?: boolean
}

const reportRequest = z.strictObject({
  question: z.string().trim().min(1),
  ...askingRequest,
  outline: askedOutline.optional(),
  // Checked with each question.
  approve: z.unknown().optional(),
} satisfies Shape<ReportRequest>)

/** Throws `UsageError` for a request that cannot be used. */
export function checkReport(given: ReportRequest): void {
  checkOptions('The report', reportRequest, given)
}
