import { describe, expect, it, vi } from 'vitest'
import { type Outline, type Quaero, type Report, type ReportStep, verifyFile } from '../../../src/index.ts'
import { onePerson } from '../../../src/server/access/users.ts'
import { planned, quickReport, reportModel } from '../../fixtures/report-model.ts'
import { openQuaero } from '../../fixtures/workflow.ts'
import { eventsIn, read, type Send, served, tokens } from './served.ts'

const question = 'What is known of the pages?'
const events = { accept: 'text/event-stream' }

type Asked = Parameters<Send>[1]
interface Planned {
  readonly kind: Report['kind']
  readonly outline: Outline
  readonly text: string
}

function reportsOver(send: Send) {
  const post = (path: string, more: Asked = {}) => send(`/api/reports${path}`, { body: { question }, ...more })
  return {
    post,
    plan: (more?: Asked) => read<Planned>(post('/outline', more)),
    whole: (more?: Asked) => read<Report>(post('', more)),
    steps: async (more?: Asked) =>
      eventsIn(await (await post('', { headers: events, ...more })).text()).map(({ data }) => data as ReportStep),
  }
}

async function opened(instead?: Parameters<typeof reportModel>[0], options: Parameters<typeof served>[1] = {}) {
  const model = reportModel(instead)
  const quaero = await openQuaero({ model, settings: quickReport })
  const send = await served(quaero, options)
  return { quaero, send, calls: () => model.heard.length, ...reportsOver(send) }
}

const textOf = ({ sections }: Report) => sections.map(({ paragraphs }) => paragraphs.flat().map(({ text }) => text))
const countRuns = async (quaero: Quaero) => (await quaero.runs.list()).length
const messageOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string; message: string } }).error

describe('a report over the API', () => {
  it('is planned in one call, written step by step, and found again without a call', async () => {
    const { plan, steps, whole, calls } = await opened()
    const { kind, outline, text } = await plan()
    expect({ kind, outline }).toEqual({ kind: 'report', outline: planned })
    expect(calls()).toBe(1)
    const body = { question, outline: text }
    const sent = await steps({ body })
    expect(sent.map(({ step }) => step)).toEqual([
      'outline',
      ...Array(4).fill('question'),
      'section',
      'section',
      'report',
    ])
    const questions = sent.flatMap((each) => (each.step === 'question' ? [each] : []))
    for (const each of questions) expect(planned.sections[each.section]?.questions).toContain(each.question)
    expect(questions.every(({ isKnown }) => !isKnown)).toBe(true)
    const paid = calls()
    const report = await whole({ body })
    expect(sent.at(-1)).toEqual({ step: 'report', report })
    expect(report).toMatchObject({ contradictions: [{}], notFound: [{}], unfinished: [], unopened: [] })
    expect(report.unsupported.length).toBeGreaterThan(0)
    expect(calls()).toBe(paid)
  })

  it('asks and writes the edited section alone, and the chosen documents', async () => {
    const { quaero, plan, whole, steps } = await opened()
    await whole()
    const { text } = await plan()
    const outline = text.replace('Who paid for the Halden filter?', 'From where were they collected?')
    const again = await steps({ body: { question, outline } })
    const known = again.flatMap((each) => ('isKnown' in each && each.isKnown ? [each.step] : []))
    expect(known).toEqual(['question', 'question', 'question', 'section'])
    const [{ documentId = '' } = {}] = await quaero.library.list()
    expect((await whole({ body: { question, documentIds: [documentId] } })).documents).toBe(1)
  })

  it('refuses what is no report, before anything is asked', async () => {
    const { quaero, post } = await opened()
    const refused = async (body: object) => {
      const response = await post('', { body, headers: events })
      return [response.status, (await messageOf(response)).message]
    }
    expect(await refused({})).toMatchObject([400, expect.stringContaining('question')])
    expect(await refused({ question, outline: '# Pages' })).toMatchObject([400, expect.stringContaining('no section')])
    const none = { title: 'Pages', sections: [{ heading: 'Size', questions: [] }] }
    expect(await refused({ question, outline: none })).toMatchObject([400, expect.stringContaining('questions')])
    expect(await refused({ question, outline: 3 })).toMatchObject([400, expect.stringContaining('sections')])
    expect(await refused({ question, documents: ['/etc'] })).toMatchObject([400, expect.any(String)])
    expect(await refused({ question, documentIds: ['abcdef'] })).toMatchObject([400, expect.stringContaining('abcdef')])
    expect(await countRuns(quaero)).toBe(0)
  })

  it('says what a model asks back, and what failed; what failed is asked again, and it alone', async () => {
    const { plan, post } = await opened((prompt) =>
      prompt.includes('You plan') ? 'Unclear: which corpus?' : undefined,
    )
    expect((await post('/outline')).status).toBe(400)
    expect(await messageOf(await post('', { headers: events }))).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('which corpus?'),
    })
    expect(await plan({ body: { question, outline: '## Size\n- How many?' } })).toMatchObject({
      outline: { title: 'Size', sections: [{ heading: 'Size', questions: ['How many?'] }] },
    })
    let isDown = true
    const failing = await opened((prompt) =>
      isDown && prompt.includes('one section of a report') && prompt.includes('Pages: Size')
        ? new Error('The endpoint is down.')
        : undefined,
    )
    const report = await failing.whole()
    expect(report.unfinished).toMatchObject([{ state: 'failed' }])
    const saved = await failing.post('/file?format=json')
    expect(((await saved.json()) as Report).unfinished).toEqual(report.unfinished)
    isDown = false
    const before = failing.calls()
    expect((await failing.whole()).unfinished).toEqual([])
    expect(failing.calls()).toBe(before + 1)
  })

  it('begins nothing more once its reader has left, and goes on when it is asked for again, paying nothing twice', async () => {
    const { quaero, whole, post, calls } = await opened()
    const body = { question, atOnce: 1 }
    const reader = (await post('', { body, headers: events })).body?.getReader()
    await reader?.read()
    await reader?.read()
    await reader?.cancel()
    await vi.waitFor(async () => expect((await quaero.runs.list({ unfinished: true })).length).toBe(0))
    const undisturbed = await opened()
    const report = await undisturbed.whole()
    const before = calls()
    expect(before).toBeLessThan(undisturbed.calls())
    expect(textOf(await whole())).toEqual(textOf(report))
    expect(calls()).toBe(undisturbed.calls())
  })

  it('is paid once where two ask for it at the same time, with one place for both', async () => {
    const undisturbed = await opened()
    await undisturbed.whole()
    const { whole, steps, calls } = await opened(undefined, { runs: { perUser: 2, inAll: 2 } })
    const [one, sent] = await Promise.all([whole(), steps()])
    expect(sent.at(-1)).toEqual({ step: 'report', report: one })
    expect(calls()).toBe(undisturbed.calls())
  })

  it('is each user’s own, in threads that no list shows, and names no folder', { tags: ['S13'] }, async () => {
    const { quaero, send, whole, calls } = await opened()
    const hers = await whole()
    const paid = calls()
    expect(textOf(await whole({ as: 'bob' }))).toEqual(textOf(hers))
    expect(calls()).toBe(2 * paid)
    const runs = await quaero.runs.list()
    expect(runs.every(({ threadId }) => /^(alice|bob)_quaero-cell-/.test(threadId))).toBe(true)
    for (const as of ['alice', 'bob'] as const) {
      expect(await read(send('/api/threads', { as }))).toMatchObject({ threads: [] })
      expect(JSON.stringify(await whole({ as }))).not.toMatch(/alice_|bob_|\/tmp/)
    }
  })

  it('is what the engine has written, for the person whose machine it is', async () => {
    const { quaero, whole, calls } = await opened(undefined, { users: onePerson(tokens.alice) })
    const written = await quaero.writeReport({ question }).result()
    const paid = calls()
    expect(textOf(await whole())).toEqual(textOf(written))
    expect(calls()).toBe(paid)
  })

  it.each([
    ['md', 'report.md'],
    ['html', 'report.html'],
    ['docx', 'report.docx'],
    ['tex', 'report.tex'],
    ['json', 'report.json'],
    ['bib', 'references.bib'],
    ['csl', 'references.json'],
  ])('is saved as %s once it is written, unasked', async (format, name) => {
    const { quaero, post, whole, calls } = await opened()
    const early = await post(`/file?format=${format}`)
    expect([early.status, await messageOf(early)]).toMatchObject([409, { code: 'run_unfinished' }])
    expect(calls()).toBe(0)
    await whole()
    const paid = calls()
    const response = await post(`/file?format=${format}`)
    expect(calls()).toBe(paid)
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
    const content = new Uint8Array(await response.arrayBuffer())
    if (format !== 'docx') expect(new TextDecoder().decode(content)).toContain('Marble')
    expect(Buffer.from(content).toString('latin1')).not.toMatch(/alice_|\/tmp|file:\/\//)
    if (name.startsWith('references')) return
    expect(await verifyFile(name, content, quaero.library)).toMatchObject({ stands: true, changes: [] })
  })

  it('is a digest without a language model, and the page is told so', async () => {
    const quaero = await openQuaero({ settings: quickReport })
    const send = await served(quaero)
    const { plan, whole, post } = reportsOver(send)
    expect(await read(send('/api/session', { method: 'POST' }))).toEqual({ user: 'alice', reports: 'digest' })
    expect(await plan()).toMatchObject({ kind: 'digest', text: `# ${question}\n\n## ${question}\n- ${question}\n` })
    expect(await whole()).toMatchObject({ kind: 'digest', usage: { inputTokens: 0 } })
    const saved = await post('/file?format=md')
    expect(saved.headers.get('content-disposition')).toBe('attachment; filename="digest.md"')
    expect(await saved.text()).toMatch(/^# Digest: /)
  })
})
