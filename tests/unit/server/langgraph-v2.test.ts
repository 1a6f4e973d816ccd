import { describe, expect, it } from 'vitest'
import { libraryFolder, openQuaero } from '../../fixtures/workflow.ts'
import { read, sendingMail, served } from './served.ts'
import { assembled, channels, commanding, dataOf, eventsUntil } from './thread-stream.ts'

const marble = 'How many pages does the Marble corpus hold?'

describe('protocol v2', () => {
  it('starts a run on a thread that it makes, and streams it from its beginning', async () => {
    const send = await served(await openQuaero())
    const { start } = commanding(send)
    const reply = await start(marble)
    expect(reply).toMatchObject({ type: 'success', id: 1, meta: { thread_id: 'chat' } })
    const events = await eventsUntil(send, 'completed')
    expect(dataOf(events, 'lifecycle').map(({ event }) => event)).toEqual(['running', 'completed'])
    const values = dataOf(events, 'values') as unknown as readonly {
      messages: readonly { id: string; content: string }[]
    }[]
    expect(values[0]?.messages).toMatchObject([{ id: 'm1', content: marble }])
    expect(values.at(-1)?.messages.map(({ id }) => id)).toEqual(['m1', `${reply.result?.run_id}-answer`])
    expect(values.at(-1)?.messages[1]?.content).toEqual([{ type: 'text', text: assembled(events) }])
    expect(events.every(({ seq }) => seq > reply.meta.applied_through_seq)).toBe(true)
    expect(new Set(events.map(({ event_id: id }) => id)).size).toBe(events.length)
    // Without a state a hook takes the thread for missing after a reload; without a history it complains.
    expect((await send('/threads/chat/state')).status).toBe(200)
    expect((await send('/threads/chat/history', { body: { limit: 1 } })).status).toBe(200)
  })

  it('gives every connection the same ids, and after `since` what follows', async () => {
    const send = await served(await openQuaero())
    await commanding(send).start(marble)
    const first = await eventsUntil(send, 'completed')
    const second = await eventsUntil(send, 'completed')
    const known = new Map(first.map((each) => [each.event_id, each]))
    for (const each of second) expect(known.get(each.event_id) ?? each).toEqual(each)
    expect(assembled(second)).toBe(assembled(first))
    const since = first[3]?.seq ?? 0
    const rest = await eventsUntil(send, 'completed', { since })
    expect(rest.map(({ seq }) => seq > since)).toEqual(rest.map(() => true))
  })

  it('streams the same text of the last run after a restart, under the same ids', async () => {
    const dataDir = await libraryFolder()
    const first = await openQuaero({ dataDir })
    const before = await served(first)
    await commanding(before).start(marble)
    const seen = await eventsUntil(before, 'completed')
    await first.close()
    const again = await eventsUntil(await served(await openQuaero({ dataDir })), 'completed')
    const known = new Map(seen.map((each) => [each.event_id, each]))
    for (const each of again) expect(each).toEqual(known.get(each.event_id))
    expect(assembled(again)).toBe(assembled(seen))
  })

  it('shows only the channels and namespaces that were asked for', async () => {
    const send = await served(await openQuaero())
    await commanding(send).start(marble)
    const events = await eventsUntil(send, 'completed', { channels: ['lifecycle'], namespaces: [[]] })
    expect(new Set(events.map(({ method }) => method))).toEqual(new Set(['lifecycle']))
  })

  it('keeps its stream open across the runs of a thread, from before the first', async () => {
    const send = await served(await openQuaero())
    const { start } = commanding(send)
    const stream = eventsUntil(send, 'completed', { times: 2 })
    await start(marble)
    await eventsUntil(send, 'completed')
    await start('When was it released?', 'm2')
    const events = await stream
    const last = dataOf(events, 'values').at(-1) as { messages: readonly { content: string }[] }
    expect(last.messages).toHaveLength(4)
    const seqs = dataOf(events, 'checkpoints').map(({ step }) => step)
    expect(seqs).toEqual([1, 1, 2, 2])
  })

  it('asks for a decision, and goes on with the answer', async () => {
    const { quaero } = await sendingMail()
    const send = await served(quaero)
    const { start, command } = commanding(send)
    await start(marble)
    const waiting = await eventsUntil(send, 'interrupted')
    const [{ interrupt_id: id, payload } = {}] = dataOf(waiting, 'input.requested')
    expect(payload).toMatchObject({ action_requests: [{ name: 'send_mail', args: { to: 'lund' } }] })
    const answer = { interrupt_id: id, response: { decisions: [{ type: 'approve' }] }, namespace: [] }
    expect(await command('input.respond', { ...answer, interrupt_id: 'other' })).toMatchObject({
      error: 'no_such_interrupt',
    })
    const reply = await command('input.respond', answer)
    expect(reply.type).toBe('success')
    const done = await eventsUntil(send, 'completed')
    expect(dataOf(done, 'lifecycle').map(({ event }) => event)).toEqual([
      'running',
      'interrupted',
      'running',
      'completed',
    ])
    expect(dataOf(done, 'tools')).toMatchObject([
      { event: 'tool-started', tool_name: 'send_mail' },
      { event: 'tool-finished', output: 'sent' },
      { event: 'tool-started', tool_name: 'pdf_retrieval' },
      { event: 'tool-finished' },
    ])
    const terminal = waiting.find(({ params }) => (params.data as { event?: string }).event === 'interrupted')
    expect(reply.meta.applied_through_seq).toBeGreaterThanOrEqual(terminal?.seq ?? Number.POSITIVE_INFINITY)
    expect(await command('input.respond', answer)).toMatchObject({ error: 'no_such_run' })
  })

  it('opens a stream on a thread that has no run yet', async () => {
    const response = await (await served(await openQuaero()))('/threads/later/stream/events', { body: { channels } })
    expect(response.status).toBe(200)
    await response.body?.cancel()
  })

  it('refuses what it does not know, in the words of the protocol', async () => {
    const send = await served(await openQuaero())
    const { command, start } = commanding(send)
    expect(await command('agent.getTree')).toMatchObject({ type: 'error', error: 'unknown_command' })
    expect(await command('constructor')).toMatchObject({ type: 'error', error: 'unknown_command' })
    expect(await start(marble, 'm', { assistant_id: 'other' })).toMatchObject({ error: 'invalid_argument' })
    expect(await command('run.start', { input: {} })).toMatchObject({ error: 'invalid_argument' })
    expect(await start(marble, 'm', { config: { configurable: { checkpoint_id: 'old' } } })).toMatchObject({
      error: 'not_supported',
    })
    // Other forms than JSON are what pages of other origins may send.
    expect((await send('/threads/chat/commands', { body: 'nonsense' })).status).toBe(415)
    expect((await send('/threads/chat/stream/events', { body: {} })).status).toBe(400)
    expect((await send('/threads/a%20b/stream/events', { body: { channels } })).status).toBe(400)
    expect((await send('/threads/chat/state')).status).toBe(404)
  })

  it('shows another user nothing of a thread of the same name', async () => {
    const send = await served(await openQuaero())
    await commanding(send).start(marble)
    await eventsUntil(send, 'completed')
    await commanding(send, 'chat', 'bob').start('When was it released?', 'm2')
    expect(await read(send('/threads/chat/state', { as: 'bob' }))).toMatchObject({ metadata: { step: 1 } })
    expect(await read(send('/threads/search', { as: 'bob', body: {} }))).toHaveLength(1)
  })
})
