import { describe, expect, it } from 'vitest'
import { buildGraph } from '../../../src/index.ts'
import { speakingEndpoint } from '../../fixtures/speaking-endpoint.ts'
import { gate, openQuaero } from '../../fixtures/workflow.ts'
import { stubAgents } from '../graph/stub-agent.ts'
import { langgraphOver } from './clients.ts'
import { sendingMail, served } from './served.ts'

const marble = 'How many pages does the Marble corpus hold?'

/** The official client over the app. */
async function connected(quaero = openQuaero()) {
  const send = await served(await quaero)
  return { client: langgraphOver(send), send }
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
    const { nodes, edges } = await client.assistants.getGraph('quaero')
    const compiled = await buildGraph({ agents: stubAgents() }).getGraphAsync()
    expect(nodes.map(({ id }) => id)).toEqual(Object.keys(compiled.nodes))
    expect(edges).toEqual(compiled.toJSON().edges)
    expect(await client.assistants.getSchemas('quaero')).toMatchObject({ graph_id: 'quaero' })
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

  it('makes threads with metadata, finds them by it, copies and removes them', async () => {
    const { client } = await connected()
    const made = await client.threads.create({ threadId: 'mine', metadata: { topic: 'pages' }, graphId: 'quaero' })
    expect(made).toMatchObject({ thread_id: 'mine', status: 'idle', metadata: { topic: 'pages', graph_id: 'quaero' } })
    await expect(client.threads.create({ threadId: 'mine' })).rejects.toMatchObject({ status: 409 })
    expect(await client.threads.create({ threadId: 'mine', ifExists: 'do_nothing' })).toMatchObject({
      thread_id: 'mine',
    })
    await client.threads.update('mine', { metadata: { more: 1 } })
    expect((await client.threads.get('mine')).metadata).toMatchObject({ topic: 'pages', more: 1 })
    await client.threads.create({ threadId: 'other' })
    const ids = async (query: Parameters<typeof client.threads.search>[0]) =>
      (await client.threads.search(query)).map(({ thread_id: id }) => id)
    expect(await ids({ metadata: { topic: 'pages' } })).toEqual(['mine'])
    expect(await ids({ sortBy: 'thread_id', sortOrder: 'asc' })).toEqual(['mine', 'other'])
    expect(await ids({ ids: ['other'] })).toEqual(['other'])
    expect(await ids({ status: 'busy' })).toEqual([])
    expect(await client.threads.count({ metadata: { topic: 'pages' } })).toBe(1)
    expect((await client.threads.copy('mine')) as object).toMatchObject({ metadata: { topic: 'pages' } })
    expect(await client.threads.prune(['other'])).toEqual({ pruned_count: 1 })
    expect(await ids({})).toHaveLength(2)
    await expect(client.threads.get('other')).rejects.toMatchObject({ status: 404 })
  })

  it('reads the state at a checkpoint, and sets none', async () => {
    const { client } = await connected()
    const { thread_id: thread } = await client.threads.create()
    await client.runs.wait(thread, 'quaero', asking(marble, 'one'))
    await client.runs.wait(thread, 'quaero', asking('When was it released?', 'two'))
    const [last, first] = await client.threads.getHistory(thread)
    expect(said(first?.values)).toHaveLength(2)
    expect(last?.parent_checkpoint?.checkpoint_id).toBe(first?.checkpoint.checkpoint_id)
    const at = await client.threads.getState(thread, first?.checkpoint.checkpoint_id ?? '')
    expect(at.values).toEqual(first?.values)
    await expect(client.threads.updateState(thread, { values: {} })).rejects.toMatchObject({ status: 422 })
    await expect(client.threads.patchState(thread, {})).rejects.toMatchObject({ status: 422 })
  })

  it('goes on from the end of a conversation, and is told that it cannot from an earlier turn', async () => {
    const { client } = await connected()
    const { thread_id: thread } = await client.threads.create()
    const ask = async (question: string, id: string, checkpointId?: string) =>
      client.runs.wait(thread, 'quaero', { ...asking(question, id), ...(checkpointId && { checkpointId }) })
    await ask(marble, 'one')
    const head = async () => (await client.threads.getHistory(thread))[0]?.checkpoint.checkpoint_id ?? ''
    const first = await head()
    expect(said(await ask('When was it released?', 'two', first))).toHaveLength(4)
    await expect(ask('Who released it?', 'three', first)).rejects.toMatchObject({ status: 422 })
    expect(said(await ask('Who released it?', 'three', await head()))).toHaveLength(6)
  })

  it('streams whole messages as they grow, and joins a run in its middle', async () => {
    const rest = gate()
    const content = 'It holds 81.1 million pages.<cite id="P1">holds 81.1 million pages</cite>'
    const endpoint = await speakingEndpoint({ synthesis: { content, secondHalf: rest.opened } })
    const settings = { endpoint: { baseUrl: endpoint.url } }
    const { client } = await connected(openQuaero({ model: 'openai:test-model', settings }))
    const { thread_id: thread } = await client.threads.create()
    const { run_id: run } = await client.runs.create(thread, 'quaero', { ...asking(marble), streamResumable: true })
    const whole: string[] = []
    const later: string[] = []
    const join = async (streamMode: 'messages' | 'messages-tuple', texts: string[], onText: () => void) => {
      for await (const { event, data } of client.runs.joinStream(thread, run, { streamMode: [streamMode] })) {
        if (event !== 'messages' && event !== 'messages/partial') continue
        texts.push((data as unknown as readonly { content: string }[])[0]?.content ?? '')
        onText()
      }
    }
    let joined: Promise<void> | undefined
    await join('messages', whole, () => {
      joined ??= join('messages-tuple', later, rest.open)
    })
    await joined
    expect(whole.length).toBeGreaterThan(1)
    expect(whole.every((text, at) => text.startsWith(whole[at - 1] ?? ''))).toBe(true)
    expect(later.join('')).toBe(whole.at(-1))
    expect(whole.at(-1)).toContain('81.1 million pages')
  })

  it('watches a thread across its runs', async () => {
    const { client } = await connected()
    await client.threads.create({ threadId: 'watched' })
    const left = new AbortController()
    const seen: number[] = []
    const watch = (async () => {
      for await (const { event, data } of client.threads.joinStream('watched', { signal: left.signal })) {
        if (event === 'values' && seen.push(said(data).length) === 4) left.abort()
      }
    })().catch(() => {})
    await client.runs.wait('watched', 'quaero', asking(marble, 'one'))
    await client.runs.wait('watched', 'quaero', asking('When was it released?', 'two'))
    await watch
    expect(seen).toEqual([1, 2, 3, 4])
  })

  it('starts runs without a thread, joins one, cancels none that has ended, and waits for its turn', async () => {
    const { client } = await connected()
    expect(said(await client.runs.wait(null, 'quaero', asking(marble)))[1]).toContain('81.1 million pages')
    const streamed: string[] = []
    for await (const { event } of client.runs.stream(null, 'quaero', asking(marble))) streamed.push(event)
    expect(streamed[0]).toBe('metadata')
    const { thread_id: thread } = await client.threads.create()
    const first = await client.runs.create(thread, 'quaero', asking(marble, 'one'))
    const values = await client.runs.join(thread, first.run_id)
    expect(said(values)[1]).toContain('81.1 million pages')
    const queued = { ...asking('When was it released?', 'two'), multitaskStrategy: 'enqueue' as const }
    expect(said(await client.runs.wait(thread, 'quaero', queued))).toHaveLength(4)
    expect((await client.runs.get(thread, first.run_id)).status).toBe('success')
    await expect(client.runs.cancel(thread, first.run_id)).rejects.toMatchObject({ status: 409 })
    await client.runs.cancelMany({ threadId: thread })
    await expect(client.runs.delete(thread, first.run_id)).rejects.toMatchObject({ status: 422 })
  })

  it('shows what a run waits for, and sends the decision', async () => {
    const { quaero, sent } = await sendingMail()
    const { client } = await connected(Promise.resolve(quaero))
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
    for (const path of ['', '/state', '/history', '/runs']) {
      const foreign = await send(`/threads/${thread}${path}`, { as: 'bob' })
      expect([path, foreign.status, (await foreign.text()).includes('Marble')]).toEqual([
        path,
        path === '/runs' ? 200 : 404,
        false,
      ])
    }
    expect(await (await send('/threads/search', { as: 'bob', body: {} })).json()).toEqual([])
  })
})
