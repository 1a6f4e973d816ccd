import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../src/errors.ts'
import type { Quaero, Report, ReportRequest } from '../../../src/index.ts'
import { planned, quickReport, reportModel } from '../../fixtures/report-model.ts'
import { libraryFolder, openQuaero } from '../../fixtures/workflow.ts'

const request = { question: 'What is known of the pages?' } satisfies ReportRequest

async function opened(instead?: Parameters<typeof reportModel>[0], dataDir?: string) {
  const model = reportModel(instead)
  const quaero = await openQuaero({ model, settings: quickReport, dataDir: dataDir ?? (await libraryFolder()) })
  return {
    quaero,
    calls: () => model.heard.length,
    heard: () => model.heard.map((each) => each.map(({ text }) => text)),
  }
}

const textOf = ({ sections }: Report) =>
  sections.map(({ paragraphs }) => paragraphs.map((claims) => claims.map(({ text }) => text)))

const written = [
  [['The Marble corpus holds 81.1 million pages.'], ['The Halden filter removed 15.2 million pages.']],
  [['They were collected from open journals.']],
]

describe('a report', () => {
  it('plans, asks, writes each section from what was found, and says what it does not have', async () => {
    const { quaero } = await opened()
    const steps: string[] = []
    let report: Report | undefined
    for await (const each of quaero.writeReport(request).steps()) {
      steps.push(each.step)
      if (each.step === 'outline') expect(each.outline).toEqual(planned)
      if (each.step === 'question') expect(each.isFound).toBe(!each.question.includes('paid'))
      if (each.step === 'report') report = each.report
    }
    expect(steps).toEqual(['outline', ...Array(4).fill('question'), 'section', 'section', 'report'])
    expect(report).toMatchObject({
      kind: 'report',
      title: 'Pages',
      documents: 2,
      contradictions: [{ about: 'the number of pages', claims: [{ quotes: [{}] }, { quotes: [{}] }] }],
      notFound: [{ question: 'Who paid for the Halden filter?' }],
      unfinished: [],
      unopened: [],
    })
    expect(report && textOf(report)).toEqual(written)
    // The other one is quoted only.
    expect(report?.summary.map(({ text }) => text)).toEqual(['The Marble corpus holds 81.1 million pages.'])
    expect(report?.unsupported.map(({ text }) => text)).toEqual(['Everybody praises it.', 'Everybody praises it.'])
  })

  it('asks once more in other words what is not found, and no more', async () => {
    const { quaero, heard } = await opened()
    await quaero.writeReport(request).result()
    const asked = heard().flatMap((each) => /Question:\n((?:Who|Origin).*paid.*)/.exec(each.join('\n'))?.[1] ?? [])
    expect([...new Set(asked)]).toEqual(['Who paid for the Halden filter?', 'Origin: Who paid for the Halden filter?'])
  })

  it('is read from the log when it is asked for again, in whatever order its questions came', async () => {
    const dataDir = await libraryFolder()
    const { quaero } = await opened(undefined, dataDir)
    const report = await quaero.writeReport({ ...request, atOnce: 4 }).result()
    await quaero.close()
    const { quaero: other, calls } = await opened(undefined, dataDir)
    expect(await other.writeReport({ ...request, atOnce: 1 }).result()).toEqual(report)
    for await (const each of other.writeReport(request).steps()) {
      if (each.step === 'question' || each.step === 'section') expect(each.isKnown).toBe(true)
    }
    expect(calls()).toBe(0)
  })

  it.each([1, 2, 3, 4, 5, 6, 7])('left or stopped after step %i goes on without a second call', async (last) => {
    const dataDir = await libraryFolder()
    const { quaero } = await opened(undefined, dataDir)
    let done = 0
    const stop = new AbortController()
    for await (const { step } of quaero.writeReport({ ...request, signal: stop.signal }).steps()) {
      done += 1
      expect(step).not.toBe('report')
      if (done === last && last % 2 === 0) break
      if (done === last) stop.abort()
    }
    await quaero.close()
    const { quaero: other } = await opened(undefined, dataDir)
    expect(textOf(await other.writeReport(request).result())).toEqual(written)
    const { quaero: undisturbed } = await opened()
    await undisturbed.writeReport(request).result()
    expect(await answeredCalls(other)).toEqual(await answeredCalls(undisturbed))
  })

  it('asks and writes only the section that was edited in its outline', async () => {
    const { quaero, heard, calls } = await opened()
    await quaero.writeReport(request).result()
    const before = calls()
    const [size, origin] = planned.sections
    const edited = {
      ...origin,
      heading: 'Sources',
      questions: ['From where were they collected for the Marble corpus?'],
    }
    const outline = { title: planned.title, sections: size ? [size, edited] : [] }
    const known: boolean[] = []
    for await (const each of quaero.writeReport({ ...request, outline }).steps()) {
      if (each.step === 'question' || each.step === 'section') known.push(each.isKnown)
    }
    expect(known.filter((each) => each)).toHaveLength(3)
    const asked = heard().slice(before).join('\n')
    expect(asked).toContain('From where were they collected')
    expect(asked).not.toMatch(/Question:\n(?:Pages: Size|How many)/)
  })

  it('names what failed, shows what was found in its place, and asks for that alone again', async () => {
    let isDown = true
    const isWriting = (prompt: string) => prompt.includes('one section of a report') && prompt.includes('Pages: Size')
    const { quaero, calls } = await opened((prompt) =>
      isDown && isWriting(prompt) ? new Error('The endpoint is down.') : undefined,
    )
    const report = await quaero.writeReport(request).result()
    expect(report.unfinished).toMatchObject([{ question: expect.stringMatching(/^Pages: Size/), state: 'failed' }])
    expect(textOf(report)).toEqual(written)
    isDown = false
    const before = calls()
    expect((await quaero.writeReport(request).result()).unfinished).toEqual([])
    expect(calls()).toBe(before + 1)
  })

  it('asks back where nobody could tell what it is to be about, and uses the question where the plan is none', async () => {
    const { quaero } = await opened((prompt) => (prompt.includes('You plan') ? 'Unclear: which corpus?' : undefined))
    await expect(quaero.writeReport(request).result()).rejects.toThrow(
      new UsageError('It is not clear what the report is to be about. which corpus?'),
    )
    const { quaero: other } = await opened((prompt) => (prompt.includes('You plan') ? 'I cannot.' : undefined))
    expect(await other.writeReport(request).outline()).toEqual({
      title: request.question,
      sections: [{ heading: request.question, questions: [request.question] }],
    })
  })

  it('says that the outline was not written where the model cannot be asked', async () => {
    const { quaero } = await opened(() => new Error('The endpoint is down.'))
    await expect(quaero.writeReport(request).outline()).rejects.toMatchObject({ code: 'run_unfinished' })
  })

  it('refuses an outline without a question', async () => {
    const { quaero } = await opened()
    const outline = { title: 'Pages', sections: [{ heading: 'Size', questions: [] }] }
    expect(() => quaero.writeReport({ ...request, outline })).toThrow(UsageError)
  })

  it('is a digest without a language model: what each document says, and no sentence of its own', async () => {
    const quaero = await openQuaero({ settings: quickReport })
    const report = await quaero.writeReport({ question: 'How many pages are there?' }).result()
    expect(report).toMatchObject({ kind: 'digest', summary: [], contradictions: [], usage: { inputTokens: 0 } })
    const claims = report.sections.flatMap(({ paragraphs }) => paragraphs.flat())
    expect(claims.length).toBeGreaterThan(0)
    for (const { text, quotes } of claims) {
      expect(quotes.map((each) => each.text.replace(/\s+/g, ' ')).join(' ')).toContain(text)
    }
  })
})

/** How many calls were answered, by the question of their run. */
async function answeredCalls(quaero: Quaero): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const { runId, question } of await quaero.runs.list()) {
    const { usage } = await quaero.runs.show(runId)
    counts[question] = usage.modelCalls
  }
  return counts
}
