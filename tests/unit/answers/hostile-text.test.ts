import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DraftToCheck } from '../../../src/answers/check-draft.ts'
import { answerOf, judgeDraft } from '../../../src/answers/verified-answer.ts'
import { slices } from '../../../src/events/index.ts'
import { cited } from '../../fixtures/workflow.ts'
import { evidenceOf, observation } from '../agents/observation.ts'

const text = 'The Marble corpus holds 81.1 million pages.'
const said = cited('Marble holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const evidence = evidenceOf(observation({ text }))

function judge(draft: string, reading: Pick<DraftToCheck, 'pageTextOf' | 'hasTime'>) {
  return judgeDraft({ draft, question: '', evidence, judge: null, ...reading })
}

/** Holds the process up, as a long computation does. */
function work(ms: number): void {
  for (const start = performance.now(); performance.now() - start < ms; );
}

describe('text that is written to keep a program busy', () => {
  it('is read within seconds of processor time', { timeout: 200_000 }, () => {
    const script = join(import.meta.dirname, '../../fixtures/hostile-text.ts')
    const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', script], { timeout: 180_000, encoding: 'utf8' })
    const read: { name: string; seconds: number }[] = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    expect(read.map(({ name }) => name)).toEqual([
      'a word of many endings',
      'a draft of line ends',
      'a draft of one letter',
      'a draft of blanks',
      'a cell of brackets',
    ])
    expect(read.filter(({ seconds }) => seconds > 4)).toEqual([])
  })

  it('is not checked beyond the longest sentence and word', async () => {
    const [long, word] = ['again and '.repeat(500), 'a'.repeat(300)].map((words) =>
      cited(`Marble ${words} holds 81.1 million pages.`, 'P1', 'holds 81.1 million pages'),
    )
    const verified = answerOf(await judge(`${said}\n${long}\n${word}`, { pageTextOf: async () => text }))
    expect(verified.text).toBe('Marble holds 81.1 million pages. [1]')
    expect(verified.sentences.slice(1).map(({ reason }) => reason)).toEqual([
      'it is too long to be checked',
      'it holds a word that is too long to be checked',
    ])
  })

  it('stops being checked when the run is stopped', async () => {
    const stopped = new AbortController()
    const pageTextOf = async () => {
      setTimeout(() => stopped.abort(new Error('The run was cancelled.')), 1)
      work(25)
      return text
    }
    const draft = Array.from({ length: 400 }, () => said).join('\n')
    const hasTime = slices({ signal: stopped.signal })
    await expect(judge(draft, { pageTextOf, hasTime })).rejects.toThrow('cancelled')
  })
})
