import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { speakingEndpoint } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const main = join(import.meta.dirname, '../../dist/cli/main.js')
const question = 'How many pages does the Marble corpus hold?'

/** Runs a command on a pseudo-terminal, as a person sees it; without escape sequences. */
async function onTerminal(words: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const command = [process.execPath, main, ...words].map((word) => `'${word}'`).join(' ')
  const { PATH, HOME } = process.env
  const options = { cwd, env: { PATH, HOME, TERM: 'xterm', SHELL: '/bin/sh', QUAERO_HOME: cwd, ...env } }
  const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], options)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return stdout.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '')
}

/** util-linux has it; other systems have another program of that name. */
const hasPseudoTerminal = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false

describe.runIf(hasPseudoTerminal)('a terminal', () => {
  it('shows what is going on, then the answer', async () => {
    const shown = await onTerminal(['ask', question], await libraryFolder())
    expect(shown).toContain('81.1 million pages')
    expect(shown).toMatch(/Confidence: \d+%/)
    expect(shown).not.toMatch(/RangeError|\bat .*\.js:\d+/)
  })

  it('shows no credential of an answer that is being written', { tags: ['T10'] }, async () => {
    const key = 'sk-planted-9f8e7d6c5b'
    const endpoint = await speakingEndpoint({
      synthesis: { content: `It is ${key}. It holds 81.1 million pages.<cite id="P1">holds 81.1 million pages</cite>` },
    })
    const shown = await onTerminal(['ask', question], await libraryFolder(), endpoint.env)
    expect(shown).toContain('81.1 million pages')
    expect(shown).not.toContain('planted')
  })
})
