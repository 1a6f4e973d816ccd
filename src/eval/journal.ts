import { createHash } from 'node:crypto'
import { appendFile, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { begunExperiment } from '../langfuse/index.ts'
import { privateFile, privateFolder } from '../private-files.ts'
import { type RowScore, rowScore } from './report.ts'

/** An evaluation that is an experiment in Langfuse, too. */
const begunEvaluation = z.strictObject({ evaluationId: z.string(), experiment: begunExperiment })
export type BegunEvaluation = z.output<typeof begunEvaluation>

/** The rows that an evaluation has judged so far, stored so that the same command resumes it. */
export interface Journal {
  readonly judged: readonly RowScore[]
  /** null if it is not in Langfuse yet. */
  readonly begun: BegunEvaluation | null
  begin(evaluation: BegunEvaluation): Promise<void>
  keep(score: RowScore): Promise<void>
  /** Deletes the journal: the evaluation is complete. */
  finish(): Promise<void>
}

/** Stores nothing. */
export const noJournal: Journal = {
  judged: [],
  begun: null,
  begin: async () => {},
  keep: async () => {},
  finish: async () => {},
}

/** Opens the journal of exactly this evaluation: the same questions, asked in the same way. */
export async function openJournal(folder: string, identity: readonly unknown[]): Promise<Journal> {
  const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16)
  await mkdir(folder, { recursive: true, mode: privateFolder })
  const path = join(folder, `${digest}.jsonl`)
  const lines = linesIn(await readFile(path, 'utf8').catch(() => ''))
  const append = (line: object) => appendFile(path, `${JSON.stringify(line)}\n`, { mode: privateFile })
  return {
    judged: lines.flatMap((line) => rowScore.safeParse(line).data ?? []),
    begun: lines.flatMap((line) => begunEvaluation.safeParse(line).data ?? []).at(-1) ?? null,
    begin: append,
    keep: append,
    finish: () => rm(path, { force: true }),
  }
}

/** A row whose line is incomplete, after a crash or on a full disk, is judged again. */
function linesIn(text: string): readonly unknown[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)]
    } catch {
      return []
    }
  })
}
