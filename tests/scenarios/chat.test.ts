import { spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { environmentOf, quaero } from '../fixtures/command-line.ts'
import { speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const main = join(import.meta.dirname, '../../dist/cli/main.js')
const question = 'How many pages does the Marble corpus hold?'
const ctrlC = '\u0003'

/** A command on a pseudo-terminal: what is typed goes to it as keys. */
function onTerminal(words: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const command = [process.execPath, main, ...words].map((word) => `'${word}'`).join(' ')
  const { HOME } = process.env
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { ...environmentOf(cwd), HOME, TERM: 'xterm', SHELL: '/bin/sh', ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    shown += piece
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const seen = (text: string, after = 0) =>
    vi.waitFor(() => expect(shown.slice(after)).toContain(text), { timeout: 40_000, interval: 50 })
  return { ended, seen, type: (keys: string) => child.stdin.write(keys), shown: () => shown }
}

/** util-linux has it; other systems have another program of that name. */
const hasPseudoTerminal = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false

describe.runIf(hasPseudoTerminal)('a chat on a terminal', { timeout: 120_000 }, () => {
  it('goes on after Ctrl-C has stopped a question, prints sources, and leaves at the second Ctrl-C', {
    tags: ['L8'],
  }, async () => {
    const cwd = await libraryFolder()
    const endpoint = await speakingEndpoint({
      synthesis: [{ ...usualLines.synthesis, stall: 'middle' }, usualLines.synthesis],
    })
    const chat = onTerminal(['chat'], cwd, endpoint.env)
    await chat.seen('Type a question')
    chat.type(`${question}\r`)
    await endpoint.asked('synthesis')
    chat.type(ctrlC)
    await chat.seen('Resume with: quaero runs resume')
    expect(chat.shown()).toContain('Stopping this question')
    chat.type(`${question}\r`)
    await chat.seen('Confidence:')
    const before = chat.shown().length
    chat.type('/sources\r')
    await chat.seen('[1] ', before)
    chat.type(ctrlC)
    await chat.seen('Ctrl-C once more')
    chat.type(ctrlC)
    await chat.ended
    expect(chat.shown()).toContain('Continue with: quaero chat -t')
  })

  it('leaves a tool unanswered at Ctrl-C: the run waits, in a chat for the next question, in ask for a resume', async () => {
    const cwd = await libraryFolder()
    await writeFile(join(cwd, 'strict.yaml'), 'tools: { trust: strict }\n')
    const endpoint = await speakingEndpoint()
    const env = { ...endpoint.env, QUAERO_CONFIG: join(cwd, 'strict.yaml') }
    const chat = onTerminal(['chat'], cwd, env)
    await chat.seen('Type a question')
    chat.type(`${question}\r`)
    await chat.seen('Allow it?')
    const before = chat.shown().length
    chat.type(ctrlC)
    await chat.seen('Answer with: quaero runs resume', before)
    chat.type('/exit\r')
    expect(await chat.ended).toBe(4)

    const ask = onTerminal(['ask', question], cwd, env)
    await ask.seen('Allow ')
    ask.type(ctrlC)
    await ask.seen('Answer with: quaero runs resume')
    expect(await ask.ended).toBe(4)
    const { runs } = JSON.parse((await quaero(['runs', 'list', '--unfinished', '--json'], { cwd })).out)
    expect(runs.map(({ status }: { status: string }) => status)).toEqual(['requires_action', 'requires_action'])
  })
})
