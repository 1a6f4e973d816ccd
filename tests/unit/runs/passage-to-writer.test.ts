import type { BaseMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import type { Line } from '../../../src/models/scripted.ts'
import { calls, cited, libraryFolder, openWorkflow, route, search } from '../../fixtures/workflow.ts'

/** Too long for two to share a passage; what stands under another heading would say something else. */
const copied = `The Halden station measures at noon. ${'It is read by a warden who writes down what the gauge says. '.repeat(6)}`

const note = `<meta name="author" content="Bo Rask"><title>Snow</title><h1>Snow</h1><p>By Bo Rask, 4 May 2020</p>
<h2>Summary</h2><p>Snow falls in winter, and it melts in spring when the days are long and warm again.</p>
<h2>Depth</h2><table><caption>Table 1. Depth of snow, in centimetres</caption>
<tr><th>Station</th><th>2019</th><th>2020</th></tr><tr><td>Halden</td><td>41</td><td>38</td></tr></table>
<h2>Copies</h2><p>${copied}</p>
<h2>Copies</h2><p>${copied}</p>`

/** Reads the page of the first passage that was found. */
function readFirst(messages: readonly BaseMessage[]) {
  const [, document = ''] = / document="(\w+)"/.exec(messages.at(-1)?.text ?? '') ?? []
  return calls(['read_passages', { document, page: 1 }])
}

async function ask(question: string, research: readonly Line[], synthesis: readonly Line[]) {
  const dataDir = await libraryFolder({ 'snow.html': note })
  const { quaero, model } = await openWorkflow({ orchestrator: [route()], research, synthesis }, { dataDir })
  const result = await quaero.ask(question)
  const prompts = model.heard.map((messages) => messages.map(({ text }) => text).join('\n'))
  return { result, prompts, writer: prompts.at(-1) ?? '' }
}

describe('what research gathers', () => {
  it('holds the byline of a document that it looked at as a whole, which answers who wrote it', async () => {
    const answer = cited('Bo Rask wrote it.', 'P2', 'By Bo Rask, 4 May 2020')
    const { result } = await ask('Who wrote the note on snow?', [calls(['document_overview', {}]), 'Found.'], [answer])
    expect(result).toMatchObject({ answer: 'Bo Rask wrote it. [1]', citations: [{ quote: 'By Bo Rask, 4 May 2020' }] })
  })

  it('reaches the writer with what was read on purpose first, a table before text, caption and header with its rows', async () => {
    const { writer } = await ask(
      'How deep was the snow in Halden?',
      [search('Halden station noon'), readFirst, 'Found.'],
      ['<abstain/>'],
    )
    expect(writer).toMatch(/<passage id="P1"[^>]*section="[^"]*Depth"/)
    expect(writer).toMatch(/Depth of snow, in centimetres[\s\S]*Station[\s\S]*2020[\s\S]*Halden[\s\S]*38/)
  })

  it('shows a text that stands several times once', async () => {
    const { prompts } = await ask(
      'When does Halden measure?',
      [search('Halden station noon'), 'Found.'],
      ['<abstain/>'],
    )
    expect(prompts[2]?.match(/The Halden station measures at noon\./g)).toHaveLength(1)
  })
})
