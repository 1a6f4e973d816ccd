import { describe, expect, it, vi } from 'vitest'
import type { RunResult } from '../../../src/index.ts'
import { openQuaero } from '../../fixtures/workflow.ts'
import { read, served } from './served.ts'

const question = 'How many pages does the Marble corpus hold?'
const input = { messages: [{ type: 'human', content: question }] }

const streams = {
  '/api/ask': { question },
  '/api/chat': { id: 'chat', messages: [{ role: 'user', parts: [{ type: 'text', text: question }] }] },
  '/v1/chat/completions': { model: 'quaero', stream: true, messages: [{ role: 'user', content: question }] },
  '/v1/responses': { stream: true, input: question },
  '/runs/stream': { assistant_id: 'quaero', input },
}

describe('a stream of events', () => {
  it.each(Object.entries(streams))('of %s may be kept and changed by nobody between', async (path, body) => {
    const send = await served(await openQuaero())
    const response = await send(path, { body, headers: { accept: 'text/event-stream' } })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(response.headers.get('cache-control')).toBe('private, no-cache, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    await response.text()
  })

  it('that is asked for with HEAD leaves nothing at work', async () => {
    const send = await served(await openQuaero())
    const { runId, threadId } = await read<RunResult>(send('/api/ask', { body: { question } }))
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    for (const path of [
      `/api/runs/${runId}/events`,
      `/threads/${threadId}/stream`,
      `/threads/${threadId}/runs/${runId}/stream`,
    ]) {
      const all = await Promise.all(Array.from({ length: 60 }, () => send(path, { method: 'HEAD' })))
      expect([path, new Set(all.map(({ status }) => status))]).toEqual([path, new Set([200])])
    }
    await vi.waitFor(() => expect(timers()).toBeLessThan(before + 30))
  })
})

describe('the cookie of a person', () => {
  it('has a name for each port, since browsers send those of all ports', async () => {
    const names = []
    for (const port of [7710, 7711]) {
      const host = `127.0.0.1:${port}`
      const send = await served(await openQuaero(), { hosts: [host] })
      const cookie = (await send('/api/session', { method: 'POST', headers: { host } })).headers.get('set-cookie') ?? ''
      const [pair = ''] = cookie.split(';')
      expect((await send('/api/documents', { as: null, headers: { host, cookie: pair } })).status).toBe(200)
      names.push(pair.split('=')[0])
    }
    expect(new Set(names).size).toBe(2)
  })
})
