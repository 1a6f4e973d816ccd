import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openSqliteStorage } from '../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../src/storage/storage.ts'
import { type PlainSet, setOf } from './drafts/question-set.ts'
import { copyOfLibrary } from './foreign/library.ts'
import { dataFolder, readLines } from './question-sets.ts'

export interface FilingQuestion {
  readonly id: string
  readonly question: string
  readonly answer: string
  /** The file's name. */
  readonly doc: string
  /** Where the evidence stands. */
  readonly pages: readonly number[]
}

/** Works on an analyst's questions and the filings of QUAERO_DEV_DATA/filings, all in one library, which is kept between runs. */
export async function withFilings(
  work: (questions: readonly FilingQuestion[], storage: Storage) => Promise<void>,
): Promise<void> {
  const { documents, files } = setOf('filings', filings())
  const dataDir = await copyOfLibrary(documents, files)
  const storage = await openSqliteStorage({ path: join(dataDir, 'quaero.db') })
  try {
    await work(questionsIn(folderOfFilings()), storage)
  } finally {
    await storage.close()
    await rm(dataDir, { recursive: true })
  }
}

/** The filings, and what an analyst asks about them. */
export function filings(): PlainSet {
  const folder = folderOfFilings()
  const names = readdirSync(join(folder, 'pdf')).sort()
  return {
    files: new Map(names.map((name) => [name, join(folder, 'pdf', name)])),
    questions: questionsIn(folder).map(({ id, question, answer }) => ({ id, question, wanted: answer })),
  }
}

function folderOfFilings(): string {
  return join(dataFolder(), 'filings')
}

function questionsIn(folder: string): readonly FilingQuestion[] {
  return readLines<FilingQuestion>(join(folder, 'questions.jsonl'))
}
