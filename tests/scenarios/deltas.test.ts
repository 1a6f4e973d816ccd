import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { quaero, startQuaero } from '../fixtures/command-line.ts'
import { startServer } from '../fixtures/served-command.ts'
import { speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { folderOf, gate } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

interface Line {
  readonly id: string
  readonly type: string
  readonly position?: number
  readonly payload: { readonly text?: string; readonly [key: string]: unknown }
}

const linesIn = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Line => JSON.parse(line))

/** The lines in the data of an event stream. */
const linesOfStream = (text: string) => linesIn(text.replace(/^(?!data: ).*$/gm, '').replace(/^data: /gm, ''))

const textIn = (lines: readonly Line[]) =>
  lines.map(({ type, payload }) => (type === 'message.delta' ? (payload.text ?? '') : '')).join('')

/** Writes the first half of its answer, and the rest when it may. */
async function slowWriter() {
  const rest = gate()
  const halves = { ...usualLines.synthesis, secondHalf: rest.opened }
  const endpoint = await speakingEndpoint({ synthesis: [halves, usualLines.synthesis] })
  return { endpoint, finish: rest.open }
}

/** A stream of a server that is read while it comes. */
function readStream(response: Response) {
  let text = ''
  const listeners = new Set<() => void>()
  const ended = (async () => {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      for (const look of listeners) look()
    }
    return text
  })()
  const shows = (pattern: RegExp) =>
    new Promise<void>((resolve) => {
      const look = () => pattern.test(text) && resolve()
      listeners.add(look)
      look()
    })
  return { ended, shows }
}

/** A server that works on a run, and has streamed the first half of its answer. */
async function heldAnswer(cwd: string) {
  const { endpoint, finish } = await slowWriter()
  const server = await startServer({ cwd, env: endpoint.env })
  const response = await server.send('/api/ask', { question })
  const asking = readStream(response)
  await asking.shows(/"text":"[^"]*It hol/)
  const runId = response.headers.get('content-location')!.split('/').at(-1)!
  return { endpoint, finish, asking, runId }
}

/** A command that works on a run over documents, and has printed the first words of its answer. */
async function heldCommand(cwd: string, documents: string) {
  const { endpoint, finish } = await slowWriter()
  const asking = startQuaero(['ask', question, '-d', documents, '--jsonl'], { cwd, env: endpoint.env })
  await asking.prints(/message\.delta.*It/)
  const [{ runId }] = JSON.parse((await quaero(['runs', 'list', '--json'], { cwd })).out).runs
  return { finish, asking, runId }
}

describe('the words of a run that another process works on', { timeout: 120_000 }, () => {
  it('come to a command and to the readers of a second server while they are written', { tags: ['U6'] }, async () => {
    const cwd = await folderOf()
    const { endpoint, finish, asking, runId } = await heldAnswer(cwd)
    const second = await startServer({ cwd, env: endpoint.env })
    const followed = readStream(await second.send(`/api/runs/${runId}/events`))
    const command = startQuaero(['runs', 'events', runId, '--follow', '--jsonl'], { cwd })
    await Promise.all([followed.shows(/message\.delta.*soFar/), command.prints(/message\.delta.*soFar/)])
    finish()
    const own = linesOfStream(await asking.ended)
    const [read, printed] = [linesOfStream(await followed.ended), linesIn((await command.ended).out)]
    const stored = (lines: readonly Line[]) => lines.filter(({ type }) => type !== 'message.delta')
    for (const lines of [read, printed]) {
      expect(stored(lines).map(({ id }) => id)).toEqual(stored(own).map(({ id }) => id))
      expect(textIn(own)).toContain(textIn(lines.filter(({ payload }) => payload.soFar)))
      expect(textIn(own).endsWith(textIn(lines))).toBe(true)
      expect(lines.filter(({ type, payload }) => type === 'message.delta' && !payload.soFar).length).toBeGreaterThan(0)
    }
  })

  it('end with the process if it is killed', { tags: ['slow', 'U6'] }, async () => {
    const cwd = await folderOf()
    const { asking, runId } = await heldCommand(cwd, '.')
    const command = startQuaero(['runs', 'events', runId, '--follow', '--jsonl'], { cwd })
    await command.prints(/message\.delta.*soFar/)
    asking.child.kill('SIGKILL')
    const { code, out } = await command.ended
    expect([code, linesIn(out).at(-1)]).toMatchObject([
      130,
      { type: 'status.changed', payload: { to: 'interrupted', trigger: 'crashed' } },
    ])
  })

  it('come from a data folder whose path is too long for a socket', { tags: ['U6'] }, async () => {
    const cwd = join(await folderOf(), 'long'.repeat(30))
    await mkdir(cwd)
    const { finish, asking, runId } = await heldCommand(cwd, '..')
    const command = startQuaero(['runs', 'events', runId, '--follow', '--jsonl'], { cwd })
    await command.prints(/message\.delta.*soFar/)
    finish()
    expect([(await asking.ended).code, (await command.ended).code]).toEqual([0, 0])
  })
})
