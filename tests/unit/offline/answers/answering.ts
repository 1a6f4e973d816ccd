import { afterAll, beforeAll } from 'vitest'
import { parseDraft } from '../../../../src/answers/cited-text.ts'
import type { EvidencePassage } from '../../../../src/events/index.ts'
import { answerWithQuotes } from '../../../../src/offline/answers/answer-with-quotes.ts'
import { partsOver } from '../../../../src/offline/parts/parts.ts'
import type { RuledAnswer } from '../../../../src/offline/parts/strategy.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'

/** What the extractive model answers, over an empty library: words are as rare as they are in the evidence. */
export function answeringByRule() {
  let storage: Storage
  beforeAll(async () => {
    storage = await openSqliteStorage({ path: ':memory:' })
  })
  afterAll(() => storage.close())
  const answer = async (question: string, ...evidence: readonly EvidencePassage[]): Promise<RuledAnswer> => {
    const task = { agent: 'synthesis', question, evidence } as const
    return answerWithQuotes(task, partsOver(storage.passages, { documentGap: 0.1 }))
  }
  return {
    answer,
    /** The answer as it reads, without its citations. */
    read: async (question: string, ...evidence: readonly EvidencePassage[]): Promise<string> =>
      parseDraft((await answer(question, ...evidence)).text)
        .map(({ before, text }) => before + text)
        .join(''),
  }
}

export function passage(id: string, text: string, more: Partial<EvidencePassage> = {}): EvidencePassage {
  const place = { documentId: 'd', title: null, source: 'd.docx', year: null, page: 1, section: null }
  return { id, ...place, kind: 'text', origin: 'documents', score: 0.5, text, ...more }
}
