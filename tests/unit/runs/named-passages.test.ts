import { describe, expect, it } from 'vitest'
import { quickReport, reportModel } from '../../fixtures/report-model.ts'
import { cited, libraryFolder, openQuaero, openWorkflow, route } from '../../fixtures/workflow.ts'

const paragraphs = Array.from(
  { length: 8 },
  (_, at) =>
    `<h2>Station ${at + 1}</h2><p>Station ${at + 1} measures at ${at + 1} o'clock. ${'A warden reads the gauge. '.repeat(20)}</p>`,
)

async function openNamed(synthesis: readonly string[]) {
  const dataDir = await libraryFolder({ 'snow.html': `<title>Snow</title><h1>Snow</h1>${paragraphs.join('')}` })
  const { quaero, model } = await openWorkflow({ orchestrator: [route()], synthesis }, { dataDir })
  const [document] = await quaero.library.list()
  const found = await quaero.library.passages(`${document?.documentId}.0`, { before: 0, after: 20 })
  const toolsOf = async (runId: string) => {
    const tools: string[] = []
    for await (const event of quaero.runs.events(runId))
      if (event.type === 'tool.started') tools.push(event.payload.tool)
    return tools
  }
  return { quaero, model, ids: found.map(({ passageId }) => passageId), toolsOf }
}

describe('an answer from named passages', () => {
  it('is written from all of them, in their order, with no search', async () => {
    const { quaero, model, ids, toolsOf } = await openNamed([cited('It measures at 7.', 'P2', "measures at 7 o'clock")])
    const wanted = ids.filter((_, at) => at !== 3).reverse()
    const result = await quaero.ask('When does a station measure?', { passages: wanted })
    const writer =
      model.heard
        .at(-1)
        ?.map(({ text }) => text)
        .join('\n') ?? ''
    expect(wanted.length).toBeGreaterThan(5)
    expect(await toolsOf(result.runId)).toEqual(['read_passages', 'read_passages'])
    expect(writer.match(/Station \d+ measures/g)).toHaveLength(wanted.length)
    expect(result.citations).toMatchObject([{ quote: "measures at 7 o'clock" }])
  })

  it('abstains where none of them is there', async () => {
    const { quaero } = await openNamed([])
    const result = await quaero.ask('When does a station measure?', { passages: ['nothing.1'] })
    expect(result).toMatchObject({ status: 'completed', abstained: true, citations: [] })
  })

  it('refuses an empty list', async () => {
    const { quaero } = await openNamed([])
    await expect(quaero.ask('When?', { passages: [] })).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('the form of an answer', () => {
  it('is told to the writer, and to nobody who searches', async () => {
    const { quaero, model } = await openNamed([cited('Seven: it measures at 7.', 'P1', "measures at 7 o'clock")])
    await quaero.ask('When does Station 7 measure?', { form: 'Begin with the hour in <words>.' })
    const prompts = model.heard.map((messages) => messages.map(({ text }) => text).join('\n'))
    expect(prompts.filter((prompt) => prompt.includes('Begin with the hour in'))).toEqual([prompts.at(-1)])
    expect(prompts.at(-1)).toContain('in ‹words>')
  })
})

describe('a question whose searches are planned', () => {
  it('is not tried from its first search, however strong', async () => {
    const model = reportModel()
    const quaero = await openQuaero({ model, settings: quickReport, dataDir: await libraryFolder() })
    const speakers = async (plan: boolean) => {
      const from = model.heard.length
      const { answer } = await quaero.ask('How many pages does the Marble corpus hold?', { plan })
      expect(answer).toContain('81.1 million pages')
      const prompts = model.heard.slice(from).map((each) => each.map(({ text }) => text).join('\n'))
      return prompts.map((prompt) => (prompt.includes('You gather evidence') ? 'research' : 'synthesis'))
    }
    expect(await speakers(false)).toEqual(['synthesis'])
    expect(await speakers(true)).toEqual(['research', 'synthesis'])
    const [alone, planned] = [0, -1].map((at) =>
      model.heard
        .at(at)
        ?.map(({ text }) => text)
        .join('\n'),
    )
    expect(alone).toContain('If they hold only a part of what is asked')
    expect(planned).not.toContain('If they hold only a part of what is asked')
  })
})
