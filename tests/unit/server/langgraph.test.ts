import { Client } from '@langchain/langgraph-sdk'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../../src/index.ts'
import { calls, cited, openQuaero, openWorkflow, route, search } from '../../fixtures/workflow.ts'
import { served, tokens } from './served.ts'

const marble = 'How many pages does the Marble corpus hold?'

/** The official client over the app. */
async function connected(quaero = openQuaero()) {
  const send = await served(await quaero)
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const body = request.method === 'GET' ? undefined : await request.text()
    const { pathname, search: query } = new URL(request.url)
    const { method, headers } = request
    return send(`${pathname}${query}`, {
      as: null,
      method,
      headers: Object.fromEntries(headers),
      ...(body && { body }),
    })
  }
  const client = new Client({
    apiUrl: 'http://127.0.0.1:7710',
    apiKey: tokens.alice,
    callerOptions: { fetch, maxRetries: 0 },
  })
  return { client, send }
}

function asking(question: string, id = 'message-1') {
  return { input: { messages: [{ type: 'human', id, content: [{ type: 'text', text: question }] }] } }
}

/** The texts of the messages of a state. */
function said(values: unknown): readonly string[] {
  return (values as { messages: readonly { content: string }[] }).messages.map(({ content }) => content)
}

describe("LangGraph's client", () => {
  it('finds the assistant and its graph', async () => {
    const { client } = await connected()
    const [assistant] = await client.assistants.search({ graphId: 'quaero' })
    expect(assistant).toMatchObject({ graph_id: 'quaero', metadata: { created_by: 'system' } })
    expect(await client.assistants.get(assistant?.assistant_id ?? '')).toEqual(assistant)
    const { nodes } = await client.assistants.getGraph('quaero')
    expect(nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(['orchestrator', 'research', 'synthesis']))
    expect(await client.assistants.getSchemas('quaero')).toMatchObject({ graph_id: 'quaero' })
  })

  it('streams two turns of a thread, with words, values and updates', async () => {
    const { client } = await connected()
    const { thread_id: thread } = await client.threads.create()
    const events: string[] = []
    let words = ''
    let last: unknown
    const stream = client.runs.stream(thread, 'quaero', {
      ...asking(marble),
      streamMode: ['values', 'messages-tuple', 'updates'],
    })
    for await (const { event, data } of stream) {
      events.push(event)
      if (event === 'messages') words += (data as unknown as readonly { content: string }[])[0]?.content ?? ''
      if (event === 'values') last = data
    }
    expect(events[0]).toBe('metadata')
    expect(events).toEqual(expect.arrayContaining(['values', 'updates']))
    expect(said(last)).toEqual([marble, expect.stringContaining('81.1 million pages')])
    expect(words === '' || said(last)[1]?.startsWith(words.slice(0, 20))).toBe(true)
    const values = await client.runs.wait(thread, 'quaero', asking('When was it released?', 'message-2'))
    expect(said(values)).toHaveLength(4)
    expect(said(values)[3]).toContain('2021')
  })

  it('keeps the id that it gave its question, and repeats no run for it', async () => {
    const { client } = await connected()
    const { thread_id: thread } = await client.threads.create()
    await client.runs.wait(thread, 'quaero', asking(marble, 'mine'))
    await client.runs.wait(thread, 'quaero', asking(marble, 'mine'))
    const state = await client.threads.getState(thread)
    expect((state.values as { messages: readonly { id: string }[] }).messages.map(({ id }) => id)).toEqual([
      'mine',
      expect.stringMatching(/-answer$/),
    ])
    expect(await client.runs.list(thread)).toHaveLength(1)
  })

  it('sees threads, their states and their history', async () => {
    const { client } = await connected()
    const { thread_id: thread } = await client.threads.create()
    expect((await client.threads.getState(thread)).values).toEqual({ messages: [] })
    await client.runs.wait(thread, 'quaero', asking(marble))
    const history = await client.threads.getHistory(thread)
    expect(history).toHaveLength(1)
    expect(history[0]?.next).toEqual([])
    const [found] = await client.threads.search({ metadata: { graph_id: 'quaero' }, limit: 100 })
    expect(found).toMatchObject({ thread_id: thread, status: 'idle' })
    expect(said(found?.values)).toHaveLength(2)
    await client.threads.delete(thread)
    expect(await client.threads.search()).toEqual([])
  })

  it('starts a run, joins it, and lists it', async () => {
    const { client } = await connected()
    const { thread_id: thread } = await client.threads.create()
    const run = await client.runs.create(thread, 'quaero', asking(marble))
    expect(said(await client.runs.join(thread, run.run_id))[1]).toContain('81.1 million pages')
    expect(await client.runs.get(thread, run.run_id)).toMatchObject({ run_id: run.run_id, status: 'success' })
    const joined: string[] = []
    for await (const { event } of client.runs.joinStream(thread, run.run_id, { streamMode: ['values'] }))
      joined.push(event)
    expect(joined.at(-1)).toBe('values')
  })

  it('shows what a run waits for, and sends the decision', async () => {
    const sent: string[] = []
    const sending = defineTool({
      name: 'send_mail',
      description: 'Sends a mail.',
      sensitive: true,
      input: z.object({ to: z.string() }),
      run: async ({ to }) => {
        sent.push(to)
        return 'sent'
      },
    })
    const workflow = openWorkflow(
      {
        orchestrator: [route()],
        research: [calls(['send_mail', { to: 'lund' }]), search('Marble corpus pages'), 'Found it.'],
        synthesis: [cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')],
      },
      { tools: [sending], settings: { tools: { trust: 'careful' } } },
    )
    const { client } = await connected(workflow.then(({ quaero }) => quaero))
    const { thread_id: thread } = await client.threads.create()
    const values = await client.runs.wait(thread, 'quaero', asking(marble))
    const interrupts = (values as { __interrupt__: readonly { value: object }[] }).__interrupt__
    expect(interrupts[0]?.value).toMatchObject({ action_requests: [{ name: 'send_mail', args: { to: 'lund' } }] })
    const waiting = await client.threads.getState(thread)
    expect([waiting.next, waiting.tasks[0]?.interrupts]).toEqual([['research'], interrupts])
    const command = {
      resume: { decisions: [{ type: 'edit', edited_action: { name: 'send_mail', args: { to: 'oslo' } } }] },
    }
    const done = await client.runs.wait(thread, 'quaero', { command })
    expect(said(done)[1]).toContain('81.1 million pages')
    expect(sent).toEqual(['oslo'])
  })

  it('gets an error for what is not there, and nothing of another user', async () => {
    const { client, send } = await connected()
    await expect(client.runs.get('nothing', 'none')).rejects.toMatchObject({ status: 404 })
    const { thread_id: thread } = await client.threads.create()
    await client.runs.wait(thread, 'quaero', asking(marble))
    const [run] = await client.runs.list(thread)
    expect((await send(`/threads/${thread}/runs/${run?.run_id}`, { as: 'bob' })).status).toBe(404)
    expect(await (await send(`/threads/${thread}/state`, { as: 'bob' })).json()).toMatchObject({
      values: { messages: [] },
    })
    expect(await (await send('/threads/search', { as: 'bob', body: {} })).json()).toEqual([])
  })
})
