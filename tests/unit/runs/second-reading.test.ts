import { describe, expect, it } from 'vitest'
import { examPaper } from '../../../src/answers/judge/exam.ts'
import type { StreamEvent } from '../../../src/index.ts'
import { EndpointUnavailable } from '../../../src/models/port/errors.ts'
import type { Line } from '../../../src/models/scripted.ts'
import { leftovers } from '../../fixtures/killed-process.ts'
import { cited, libraryFolder, openWorkflow, temporaryFolder, type WorkflowOptions } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const copied = cited('The Marble corpus holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const kept = 'It stores 81.1 million pages.'
const right = cited(kept, 'P1', 'holds 81.1 million pages')
const lie = cited('It disposed of 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const settings = { research: 'auto', answer: { secondReading: 'doubtful' }, endpoint: { retries: 0 } } as const

async function ask(
  synthesis: readonly Line[],
  secondReading: readonly Line[],
  { settings: own = {}, ...options }: WorkflowOptions = {},
) {
  const log: StreamEvent[] = []
  const { quaero, model } = await openWorkflow(
    { synthesis, secondReading },
    {
      ...options,
      subscribers: [(event: StreamEvent) => void log.push(event)],
      settings: { ...settings, ...own },
    },
  )
  const result = await quaero.ask(question)
  const prompts = log.flatMap(({ type, payload }) => (type === 'model.started' ? [payload.promptId] : []))
  const notices = log.flatMap(({ type, payload }) => (type === 'notice' ? [payload] : []))
  const heard = model.heard.map((messages) => messages.map(({ text }) => text).join('\n'))
  return { result, prompts, notices, heard, quaero, log }
}

describe('with a second reading, an answer', () => {
  it('is read over all passages of its writer, and is verified', { tags: ['Q2'] }, async () => {
    const { result, prompts, heard } = await ask([right], ['1 yes P1\nanswers: 1'])
    expect(result).toMatchObject({ status: 'completed', answer: `${kept} [1]`, confidence: 0.95 })
    expect(result.sentences).toEqual([{ text: kept, state: 'verified', markers: [1] }])
    expect(prompts).toEqual(['synthesis', 'second-reading'])
    const passages = /<passage .*<\/passage>/su
    expect(heard[1]?.match(passages)?.[0]).toBe(heard[0]?.match(passages)?.[0])
    // An endpoint that caches the beginnings of prompts reads the passages once.
    const common = heard[0]?.indexOf('Your task:') ?? -1
    expect(heard[1]?.slice(0, common)).toBe(heard[0]?.slice(0, common))
    expect(heard[1]).toContain(`The answer:\n1. ${kept}`)
  })

  it('loses the sentence that its reader refuses, and is written once more with the reason', async () => {
    const { result, prompts, heard } = await ask([lie, right], ['1 contradicted P1: it holds them', '1 yes P1'])
    expect(result).toMatchObject({ status: 'completed', answer: `${kept} [1]`, unsupported: [] })
    expect(prompts).toEqual(['synthesis', 'second-reading', 'synthesis', 'second-reading'])
    expect(heard[2]).toContain('“It disposed of 81.1 million pages.”: the passages say something else: it holds them.')
  })

  it('takes its reader’s correction in place of a rewrite, and the log says so', async () => {
    const held = 'It holds 81.1 million pages.'
    const { result, prompts, log } = await ask([lie], [`1 contradicted P1: it holds them => ${held}\nanswers: 1`])
    expect(result).toMatchObject({ answer: `${held} [1]`, unsupported: [] })
    expect(prompts).toEqual(['synthesis', 'second-reading'])
    expect(log.flatMap(({ type, payload }) => (type === 'draft.checked' ? [payload] : []))).toEqual([
      {
        sentences: [
          { text: held, state: 'verified', stage: 'reading', correctedFrom: 'It disposed of 81.1 million pages.' },
        ],
      },
    ])
  })

  it('shows a refused sentence among what could not be verified, and its footnotes are numbered without it', async () => {
    const released = cited('Lund released it.', 'P1', 'released in 2021 by the Lund group')
    const { result } = await ask(
      [`${copied} ${lie} ${released}`],
      ['2 contradicted P1: it holds them\n3 yes P1\nanswers: 1'],
    )
    expect(result.answer).toMatch(/^The Marble corpus holds 81\.1 million pages\. \[1\] Lund released it\. \[2\]/)
    expect(result.unsupported).toEqual([
      {
        text: 'It disposed of 81.1 million pages.',
        reason: 'the passages say something else: it holds them',
      },
    ])
    expect(result.citations.map(({ marker }) => marker)).toEqual([1, 2])
  })

  it('costs no call where each sentence is a sentence of a page', async () => {
    expect((await ask([copied], [])).prompts).toEqual(['synthesis'])
  })

  it('is not shown as an answer where what is left of it does not answer', async () => {
    const released = cited('Lund released it.', 'P1', 'released in 2021 by the Lund group')
    const no = '1 not shown\n2 yes P1\nanswers: none'
    const { result, prompts } = await ask([`${lie} ${released}`, `${lie} ${released}`], [no, no], {
      settings: { research: 'thorough' },
    })
    expect(prompts.filter((id) => id === 'synthesis')).toHaveLength(2)
    expect(result).toMatchObject({ abstained: true, citations: [], confidence: 0 })
  })

  it.each([
    ['says nothing of it', '?', 'second_reading_incomplete', /no verdict on 1 of 1 sentences, which/],
    ['is empty', ' ', 'second_reading_incomplete', /no verdict on 1 of 1 sentences/],
    [
      'fails',
      new EndpointUnavailable('It is down.'),
      'endpoint_unavailable',
      /^The second reading was left out: It is/,
    ],
  ])('is quoted where the reply %s, and the log says so', { tags: ['Q2'] }, async (_, reply, code, message) => {
    const { result, notices, quaero } = await ask([lie], [reply])
    expect(result).toMatchObject({ status: 'completed', answer: 'It disposed of 81.1 million pages. [1]' })
    expect(result.sentences.map(({ state }) => state)).toEqual(['quoted'])
    expect(notices[0]).toEqual({ code, message: expect.stringMatching(message) })
    expect(notices).toHaveLength(1)
    expect((await quaero.runs.replay(result.runId)).result).toMatchObject({ answer: result.answer })
  })

  it('is quoted where a limit leaves no call for it', async () => {
    for (const limits of [{ modelCalls: 1 }, { tokens: 5 }]) {
      const script = { synthesis: [lie], secondReading: ['1 no'] }
      const log: StreamEvent[] = []
      const { quaero } = await openWorkflow(script, {
        usage: { inputTokens: 100, outputTokens: 10 },
        subscribers: [(event: StreamEvent) => void log.push(event)],
        settings: { ...settings, limits },
      })
      expect(await quaero.ask(question)).toMatchObject({
        answer: 'It disposed of 81.1 million pages. [1]',
        error: null,
      })
      const notices = log.flatMap(({ type, payload }) => (type === 'notice' ? [payload.message] : []))
      expect(notices).toEqual([expect.stringMatching(/^The second reading was left out: The limit of/)])
    }
  })

  it('counts its calls, tokens and cost', async () => {
    const script = { synthesis: [right], secondReading: ['1 yes'] }
    const usage = { inputTokens: 100, outputTokens: 10 }
    const { quaero } = await openWorkflow(script, { usage, settings })
    expect((await quaero.ask(question)).usage).toMatchObject({ modelCalls: 2, inputTokens: 200, outputTokens: 20 })
  })

  it('is not read by a model unless the setting says so, nor where it is made of quotes', async () => {
    const never = await ask([lie], [], { settings: { answer: { secondReading: 'never' } } })
    expect(never.prompts).toEqual(['synthesis'])
    const { prompts } = await ask([new EndpointUnavailable('It is down.')], [])
    expect(prompts).toEqual(['synthesis'])
  })
})

describe('a reader that is new to a data folder', () => {
  const exam = (reply: (count: number, holds: boolean) => string) =>
    examPaper.claims.map(({ holds }, index) => reply(index + 1, holds)).join('\n')
  const good = exam((number, holds) => `${number} ${holds ? 'yes P1' : 'contradicted P1'}`)
  const examined = { settings: { answer: { secondReading: 'doubtful', readerMark: 36 } } } as const

  it('is examined once, before its verdicts count, and the result says its mark', { tags: ['Q15'] }, async () => {
    const dataDir = await libraryFolder()
    const first = await ask([right], [good, '1 yes P1'], { dataDir, ...examined })
    expect(first.prompts).toEqual(['synthesis', 'reader-exam', 'second-reading'])
    expect(first.result.sentences.map(({ state }) => state)).toEqual(['verified'])
    expect(first.notices).toEqual([
      { code: 'reader_examined', message: expect.stringMatching(/judged 40 of 40 claims of known truth rightly/) },
    ])
    await first.quaero.close()
    const second = await ask([right], ['1 yes P1'], { dataDir, ...examined })
    expect(second.prompts).toEqual(['synthesis', 'second-reading'])
    expect(second.notices).toEqual([])
  })

  it('is examined once by runs that begin together', { tags: ['Q15'] }, async () => {
    const prompts: (string | undefined)[] = []
    const { quaero } = await openWorkflow(
      { synthesis: [right, right], secondReading: [good, '1 yes P1', '1 yes P1'] },
      {
        settings: { ...settings, ...examined.settings },
        subscribers: [
          ({ type, payload }: StreamEvent) => void (type === 'model.started' && prompts.push(payload.promptId)),
        ],
      },
    )
    const results = await Promise.all([quaero.ask(question), quaero.ask(question)])
    expect(results.flatMap(({ sentences }) => sentences.map(({ state }) => state))).toEqual(['verified', 'verified'])
    expect(prompts.filter((id) => id === 'reader-exam')).toHaveLength(1)
  })

  it.each([
    ['always says yes', exam((number) => `${number} yes P1`), 20],
    ['always says no', exam((number) => `${number} not shown`), 20],
    ['guesses', exam((number) => `${number} ${number % 3 === 0 ? 'yes P1' : 'contradicted'}`), null],
    ['says nothing that can be read', 'All fine.', 0],
  ])('that %s leaves sentences quoted, and the result says why', { tags: ['Q15'] }, async (_, reply, mark) => {
    const { result, prompts } = await ask([right], [reply], examined)
    expect(prompts).toEqual(['synthesis', 'reader-exam'])
    expect(result.sentences).toEqual([
      {
        text: kept,
        state: 'quoted',
        markers: [1],
        reason: expect.stringMatching(`judged only ${mark ?? '\\d+'} of 40 test claims rightly, and 36 are needed`),
      },
    ])
  })

  it('that cannot be asked leaves sentences quoted, and is examined the next time', { tags: ['Q15'] }, async () => {
    const dataDir = await libraryFolder()
    const { result, quaero } = await ask([right], [new EndpointUnavailable('It is down.')], { dataDir, ...examined })
    expect(result.sentences[0]).toMatchObject({
      state: 'quoted',
      reason: expect.stringContaining('could not be examined'),
    })
    await quaero.close()
    expect((await ask([right], [good, '1 yes P1'], { dataDir, ...examined })).prompts).toContain('reader-exam')
  })
})

describe('a process that is killed as soon as a call of such a run is finished', { timeout: 300_000 }, () => {
  it('leaves a run that goes on without asking the second reading again', async () => {
    const dataDir = await libraryFolder()
    const folders = await Promise.all(Array.from({ length: 10 }, temporaryFolder))
    const { ends, subscriber } = leftovers(dataDir, folders)
    const script = { synthesis: [lie, right], secondReading: ['1 not shown: it holds them', '?'] }
    const { quaero } = await openWorkflow(script, { dataDir, subscribers: [subscriber], settings })
    const { runId, answer, usage } = await quaero.ask(question)
    expect([answer, usage.modelCalls]).toEqual([`${kept} [1]`, 4])
    for (const { folder, log } of ends) {
      const done = log.flatMap(({ type, payload }) => (type === 'model.started' ? [payload.promptId] : []))
      const saidBy = (id: string) => done.filter((each) => each === id).length
      const unsaid = {
        synthesis: script.synthesis.slice(saidBy('synthesis')),
        secondReading: script.secondReading.slice(saidBy('second-reading')),
      }
      const resumed = await openWorkflow(unsaid, { dataDir: folder, settings })
      const where = `after ${done.at(-1)} ${done.length}`
      expect(await resumed.quaero.resume(runId), where).toMatchObject({ answer, usage: { modelCalls: 4 } })
      expect(resumed.model.heard, where).toHaveLength(4 - done.length)
      const types: string[] = []
      for await (const { type } of resumed.quaero.runs.events(runId)) types.push(type)
      expect(
        types.filter((type) => type === 'notice'),
        where,
      ).toHaveLength(1)
    }
  })
})
