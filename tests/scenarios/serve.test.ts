import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { quaero, spawnQuaero, startQuaero } from '../fixtures/command-line.ts'
import { startServer } from '../fixtures/served-command.ts'
import { speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { folderOf } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

/** The writer falls silent in the middle of its first reply. */
const stallsOnce = { synthesis: [{ ...usualLines.synthesis, stall: 'middle' }, usualLines.synthesis] } as const

/** The text of a stream until it ends or is cut. */
async function readAll(response: Response): Promise<string> {
  let text = ''
  try {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) text += piece
  } catch {
    // The server was killed.
  }
  return text
}

function runOf(response: Response): string {
  return response.headers.get('content-location')!.split('/').at(-1)!
}

// A server with a queue gives its runs 20 seconds to end.
describe('quaero serve', { timeout: 90_000 }, () => {
  it('prints its address with the token on one line, and keeps the token for the next start', async () => {
    const cwd = await folderOf()
    const first = startQuaero(['serve', '--port', '0'], { cwd })
    const line = String((await once(first.child.stdout!, 'data'))[0])
    expect(line).toMatch(/^Quaero at http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{20,}\n$/)
    first.child.kill('SIGTERM')
    expect(await first.ended).toMatchObject({ out: line })
    const next = await startServer({ cwd })
    expect(line).toContain(`#token=${next.token}`)
    expect(next.pid).toBe(next.child.pid)
  })

  it('gives programs its address and its token apart', async () => {
    const { child } = startQuaero(['serve', '--port', '0', '--json'], { cwd: await folderOf() })
    const { url, token } = JSON.parse(String((await once(child.stdout!, 'data'))[0]))
    expect([url, token]).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      expect.stringMatching(/^[\w-]{20,}$/),
    ])
  })

  it('answers with the token, and refuses without', async () => {
    const { send, url } = await startServer({ cwd: await folderOf() })
    expect(await readAll(await send('/api/ask', { question }))).toContain('81.1 million')
    const { origin } = new URL(url)
    expect((await fetch(`${origin}/api/documents`)).status).toBe(401)
    expect((await fetch(`${origin}/`)).status).toBe(200)
  })

  it('refuses an address that other machines reach, unless users are named', async () => {
    const { code, err } = await quaero(['serve', '--host', '0.0.0.0', '--port', '0'], { cwd: await folderOf() })
    expect([code === 0, err]).toEqual([false, expect.stringContaining('--tokens')])
  })

  it('says that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    // A server that listens on a port has such an address.
    const { port } = other.address() as { port: number }
    const { code, err } = await spawnQuaero(['serve', '--port', String(port)], { cwd: await folderOf() })
    other.close()
    expect([code === 0, err]).toEqual([false, expect.stringContaining(`Port ${port} of 127.0.0.1 is taken`)])
  })

  it('stopped by SIGTERM ends its streams resumable, and exits', async () => {
    const endpoint = await speakingEndpoint(stallsOnce)
    const cwd = await folderOf()
    const { send, child, ended } = await startServer({ cwd, env: endpoint.env })
    const response = await send('/api/ask', { question })
    const text = readAll(response)
    await endpoint.asked('synthesis')
    child.kill('SIGTERM')
    expect(await text).toContain('event: run.interrupted')
    await ended
    const again = await startServer({ cwd, env: endpoint.env })
    const resumed = await readAll(await again.send(`/api/runs/${runOf(response)}/resume`, { answers: {} }))
    expect(resumed).toContain('event: run.completed')
  })

  it('killed in the middle of an answer shows the run as interrupted, and resumes it after a new start', {
    tags: ['slow'],
  }, async () => {
    const endpoint = await speakingEndpoint(stallsOnce)
    const cwd = await folderOf()
    const first = await startServer({ cwd, env: endpoint.env })
    const response = await first.send('/api/ask', { question })
    const text = readAll(response)
    await endpoint.asked('synthesis')
    first.child.kill('SIGKILL')
    const runId = runOf(response)
    await text
    const second = await startServer({ cwd, env: endpoint.env })
    const resumed = await readAll(await second.send(`/api/runs/${runId}/resume`, { answers: {} }))
    expect(resumed).toContain('event: run.completed')
    const followed = await readAll(await second.send(`/api/runs/${runId}/events`))
    expect(followed).toContain('81.1 million')
    expect(endpoint.calls().filter((speaker) => speaker === 'orchestrator')).toHaveLength(1)
  })
})
