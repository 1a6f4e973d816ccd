import { describe, expect, it } from 'vitest'
import { consoleLog } from '../../../src/tracing/console-log.ts'
import { cited, libraryFolder, openWorkflow, route, search } from '../../fixtures/workflow.ts'

describe('the console log', () => {
  it('says as a subscriber what happens, in the lines of the text log', { tags: ['H10'] }, async () => {
    const lines: string[] = []
    const dataDir = await libraryFolder()
    const { quaero } = await openWorkflow(
      {
        orchestrator: [route()],
        research: [search('Marble corpus pages'), 'Done.'],
        synthesis: [cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')],
      },
      { dataDir, subscribers: [consoleLog({ write: (line) => lines.push(line) })] },
    )
    await quaero.ask('How many pages does the Marble corpus hold?', { threadId: 't' })
    let text = ''
    for await (const piece of quaero.threads.log('t')) text += piece
    expect(lines.length).toBeGreaterThan(6)
    for (const line of lines) expect(text).toContain(`${line}\n`)
    expect(lines.join('\n')).toMatch(/tool pdf_retrieval {"query":"Marble corpus pages"} \d+ ms, success/)
  })

  it('shows nothing that a terminal would obey, and no line of a text as one of its own', async () => {
    const lines: string[] = []
    const { quaero } = await openWorkflow(
      { orchestrator: [route()], research: ['Done.'] },
      { subscribers: [consoleLog({ write: (line) => lines.push(line) })] },
    )
    await quaero.ask('Is it \u001b[31mred\u202e?\n2026-01-01T00:00:00.000Z completed')
    expect(lines[0]).toMatch(/asked:\n {4}Is it \[31mred\?\n {4}2026-01-01T00:00:00.000Z completed$/)
  })
})
