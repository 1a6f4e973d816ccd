import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { answersTo, formIn, keptIn, labelsIn } from '../../../bench/drafts/kept-answers.ts'
import type { Labels } from '../../../bench/drafts/labels.ts'
import { setOf } from '../../../bench/drafts/question-set.ts'
import { problemOf, tableOf } from '../../../bench/drafts/table.ts'
import { examPaper } from '../../../src/answers/judge/exam.ts'
import { type ChatRequest, startEndpoint } from '../../fixtures/openai-endpoint.ts'
import { cited, folderOf, temporaryFolder } from '../../fixtures/workflow.ts'

const size = cited('It stores 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const lie = cited('It was released by the Halden group.', 'P1', 'released in 2021 by the Lund group')
const slip = cited('It was released in 2020.', 'P1', 'released in 2021 by the Lund group')
const questions = [
  { id: 'size', question: 'How many pages does the Marble corpus hold?', wanted: '81.1 million', within: 'marble.md' },
  { id: 'next', question: 'Who released the Marble corpus?', wanted: 'Lund', within: 'marble.md', after: 'size' },
]

function replyTo({ messages }: ChatRequest): string {
  const text = messages.map(({ content }) => String(content)).join('\n')
  if (text.includes('Tarnbeck')) {
    return examPaper.claims.map(({ holds }, at) => `${at + 1} ${holds ? 'yes P1' : 'not shown: no'}`).join('\n')
  }
  if (!text.includes('The answer:\n1.')) return `${size} ${lie} ${slip}`
  return '1 yes P1\n2 contradicted P1: the Lund group\n3 contradicted P1: 2021 => It was released in 2021.\nanswers: 1'
}

async function askOnce(which = questions) {
  const heard: ChatRequest[] = []
  const endpoint = await startEndpoint(async (body) => {
    heard.push(body)
    return { content: replyTo(body) }
  })
  const folder = await folderOf()
  vi.stubEnv('QUAERO_FOREIGN', await temporaryFolder())
  vi.stubEnv('OPENAI_API_KEY', 'none')
  const set = setOf('marble', { files: new Map([['marble.md', join(folder, 'marble.md')]]), questions: which })
  const out = await temporaryFolder()
  const options = { model: 'openai:any', endpoint: endpoint.url, every: 1, out }
  const answers = await answersTo(set, options)
  const again = async () => {
    const before = heard.length
    await answersTo(set, options)
    return heard.length - before
  }
  return { answers, heard, out, again, close: () => endpoint.close() }
}

describe('the harness that keeps drafts', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('keeps the draft as written, what the reading did to each sentence, and what it took', async () => {
    const { answers, out, again, close } = await askOnce(questions.slice(0, 1))
    expect(keptIn(out)).toEqual(answers)
    const [answer] = answers
    expect(answer?.drafts).toEqual([
      {
        text: `${size} ${lie} ${slip}`,
        sentences: [
          { text: 'It stores 81.1 million pages.', state: 'verified', stage: 'reading' },
          {
            text: 'It was released by the Halden group.',
            state: 'unsupported',
            stage: 'reading',
            reason: 'the passages say something else: the Lund group',
          },
          {
            text: 'It was released in 2021.',
            state: 'verified',
            stage: 'reading',
            correctedFrom: 'It was released in 2020.',
          },
        ],
      },
    ])
    expect(answer?.calls.map(({ kind }) => kind)).toEqual(['writing', 'exam', 'reading'])
    expect(answer?.calls.every(({ inputTokens }) => (inputTokens ?? 0) > 0)).toBe(true)
    expect(await again()).toBe(0)
    await close()
  })

  it('asks a follow-up in the thread of its question', async () => {
    const { answers, heard, close } = await askOnce()
    expect(answers.map(({ id }) => id)).toEqual(['size', 'next'])
    expect(JSON.stringify(heard.at(-2))).toContain(`User: ${questions[0]?.question}`)
    await close()
  })

  it('writes a form, and counts what a person says in it', async () => {
    const { answers, out, close } = await askOnce(questions.slice(0, 1))
    const form = JSON.parse(readFileSync(formIn(out), 'utf8'))
    expect(form).toMatchObject({
      id: 'size',
      wanted: '81.1 million',
      draft: `${size} ${lie} ${slip}`,
      says: [
        'It stores 81.1 million pages.',
        'It was released by the Halden group.',
        'It was released in 2020.',
        'It was released in 2021.',
      ],
      draftRight: null,
      sentences: [null, null, null, null],
    })
    const open = labelsIn(formIn(out))
    expect(answers.map((answer) => problemOf(answer, open.get(answer.id)))).toEqual(['not filled in'])
    const labels: Labels = { id: 'size', draftRight: true, shownRight: true, sentences: [true, false, false, true] }
    writeFileSync(formIn(out), `${JSON.stringify({ ...form, ...labels })}\n`)
    const rows = tableOf(answers, labelsIn(formIn(out))).map((line) => line.split(/\s{2,}/))
    expect(rows).toContainEqual(['draft right', '1'])
    expect(rows).toContainEqual(['verified', '1', '0'])
    expect(rows).toContainEqual(['corrected', '0', '1'])
    expect(rows).toContainEqual(['correction', '1', '0'])
    expect(rows).toContainEqual(['dropped by reading', '0', '1'])
    expect(rows.find(([name]) => name === 'writing')?.[1]).toBe('1 | 1')
    await close()
  })

  it('tells which lines a person left out', () => {
    const answer = {
      drafts: [{ text: 'A.', sentences: [{ text: 'A.', state: 'verified' as const, stage: 'quotes' as const }] }],
      shown: [],
    }
    const labels = { id: 'a', draftRight: true, shownRight: false, sentences: [] }
    expect(problemOf(answer, undefined)).toBe('no line')
    expect(problemOf(answer, labels)).toBe('0 labels for 1 sentences')
    expect(problemOf(answer, { ...labels, sentences: [true] })).toBeNull()
  })
})
