import type { BaseMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import type { RunResult } from '../../../src/index.ts'
import { scriptedModel } from '../../../src/models/scripted.ts'
import { rightsIn } from '../../../src/server/access/rights.ts'
import { calls, cited, folderOf, openQuaero, route } from '../../fixtures/workflow.ts'
import { mailTool, read, type Send, served } from './served.ts'

const rights = rightsIn({ collections: { finance: { read: ['alice'], write: [] } }, groups: {} })
const text = (mark: string) => `# Report ${mark}\n\nBy Anna ${mark}\n\nIn 2021 the ${mark} pumps moved 300 litres.\n`

const question = 'How many litres did the pumps of the report move in 2021?'
const outline = `# Pumps\n## Litres\n- ${question}\n- And who wrote the report?\n`

/** Searches in all ways, also for the documents with these ids, then writes what it found. */
function curious(ids: () => readonly string[]) {
  const say = (messages: readonly BaseMessage[]) => {
    const prompt = messages.map((each) => each.text).join('\n')
    if (prompt.includes('You route questions')) return route()
    if (prompt.includes('You plan a report')) return outline
    if (prompt.includes('You compare sentences')) return '1 and 2: the pumps'
    if (!prompt.includes('You gather evidence')) return cited('They moved 300 litres.', 'P1', 'pumps moved 300 litres')
    if (messages.at(-1)?.type === 'tool') return 'Found it.'
    if (prompt.includes('by mail')) return calls(['pdf_retrieval', { query: 'pumps' }], ['send_mail', { to: 'lund' }])
    return calls(
      ['pdf_retrieval', { query: 'report pumps litres Anna' }],
      ['document_overview', {}],
      ...ids().flatMap((id) => [
        ['pdf_retrieval', { query: 'report pumps', documents: [id] }] as const,
        ['read_passages', { passage: `${id}.0`, after: 3 }] as const,
        ['read_passages', { document: id, page: 1 }] as const,
        ['document_overview', { documents: [id] }] as const,
      ]),
    )
  }
  return scriptedModel(Array.from({ length: 2000 }, () => say))
}

/** Three documents, of which bob may read the third alone, and soon that no more. */
async function opened() {
  let ids: readonly string[] = []
  const model = curious(() => ids)
  const files = { 'zq1x.md': text('zq1x'), 'zq2x.md': text('zq2x'), 'zq3x.md': text('zq3x') }
  const documents = [await folderOf(files)]
  const settings = { tools: { trust: 'careful' } } as const
  const quaero = await openQuaero({ model, documents, settings, tools: [mailTool()] })
  for (const mark of ['zq1x', 'zq2x', 'zq3x']) await quaero.library.tag(`${mark}.md`, { add: [`secret ${mark}`] })
  await quaero.library.tag('zq2x.md', { add: ['finance'] })
  ids = (await quaero.library.list()).map(({ documentId }) => documentId)
  const heard = () => model.heard.splice(0).flatMap((messages) => messages.map((each) => JSON.stringify(each)))
  return { quaero, send: await served(quaero, { rights, uploads: uploadLimits }), heard: () => heard().join('\n') }
}

const uploadLimits = { filesPerUser: 9, bytesPerFile: 10_000, bytesPerUser: 90_000, silenceMs: 60_000 }
const messages = [{ role: 'user', content: question }]
const human = { messages: [{ type: 'human', content: question }] }
const mcp = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', arguments: { question } } }
const start = { id: 1, method: 'run.start', params: { input: human } }

/** Everything that has a model asked, each in a new conversation of this name. */
const ways: readonly (readonly [path: string, body: object])[] = [
  ['/api/ask', { question }],
  ['/v1/chat/completions', { messages }],
  ['/v1/responses', { input: question }],
  ['/api/chat', { id: 'chat', messages: [{ role: 'user', parts: [{ type: 'text', text: question }] }] }],
  ['/runs/wait', { input: human }],
  ['/threads/graph/runs/wait', { input: human }],
  ['/threads/graph-v2/commands', start],
  ['/mcp', mcp],
  ['/api/tables', { columns: [question, 'Who wrote it?'] }],
  ['/api/reports/outline', { question }],
  ['/api/reports', { question }],
  ['/api/reports', { question: 'What is known of pumps?', outline }],
]

async function askAll(send: Send, as: 'alice' | 'bob'): Promise<string> {
  const said: string[] = []
  const headers = { accept: 'application/json, text/event-stream' }
  for (const [path, body] of ways) {
    const response = await send(path, { as, body, headers })
    expect([path, response.status]).toEqual([path, 200])
    said.push(await response.text())
  }
  // What that command has begun is followed to its end.
  const runs = await read<{ runs: { runId: string }[] }>(send('/api/runs?limit=200', { as }))
  for (const { runId } of runs.runs) said.push(await (await send(`/api/runs/${runId}/events`, { as })).text())
  return said.join('\n')
}

const ask = (send: Send, more: object) => send('/api/ask', { as: 'bob', body: { question, ...more } })

/** What a user's own question found before, in a conversation, its fork, one that waits, and a table. */
async function asked(send: Send) {
  const kept = await read<RunResult>(ask(send, { threadId: 'kept' }))
  const forked = await read<{ threadId: string }>(send('/api/threads/kept/fork', { as: 'bob', body: {} }))
  const waits = await read<RunResult>(ask(send, { threadId: 'waits', question: `${question} Tell Lund by mail.` }))
  expect([kept.answer, waits.status]).toEqual([expect.stringContaining('300 litres'), 'requires_action'])
  return { forked: forked.threadId, waits }
}

describe('a model that answers a user', () => {
  it('is sent no word of what the user may not read, through every protocol', { timeout: 120_000 }, async () => {
    const { send, heard } = await opened()
    expect(await askAll(send, 'alice')).toContain('zq2x')
    expect(heard()).toContain('zq2x')
    expect(await askAll(send, 'bob')).not.toContain('zq2x')
    const sent = heard()
    expect(sent).toContain('zq3x')
    expect(sent).not.toMatch(/zq2x|finance/i)
  })

  it('is sent nothing that the user could read before: no follow-up, fork, resumed run or table', async () => {
    const { send, heard, quaero } = await opened()
    const { forked, waits } = await asked(send)
    await askAll(send, 'bob')
    expect(heard()).toContain('zq3x')
    await quaero.library.tag('zq3x.md', { add: ['finance'] })
    const refused = [
      await ask(send, { threadId: 'kept' }),
      await ask(send, { threadId: forked }),
      await ask(send, { threadId: 'waits' }),
      await send(`/api/runs/${waits.runId}/resume`, { as: 'bob', body: { answers: approved(waits) } }),
      await send('/threads/graph/runs/wait', { as: 'bob', body: { input: human } }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    const [path, table] = ['/api/tables', { columns: [question, 'Who wrote it?'] }]
    const again = await read<{ rows: readonly { document: string }[] }>(send(path, { as: 'bob', body: table }))
    expect(again.rows.map(({ document }) => document)).toEqual([expect.stringContaining('zq1x')])
    await send('/api/reports', { as: 'bob', body: { question } })
    await ask(send, {})
    const sent = heard()
    expect(sent).toContain('zq1x')
    expect(sent).not.toMatch(/zq[23]x|finance/i)
  })
})

function approved({ approvals }: RunResult) {
  return Object.fromEntries(approvals.map(({ id }) => [id, { approved: true }]))
}
