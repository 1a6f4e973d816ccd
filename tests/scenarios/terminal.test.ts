import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { environmentOf, quaero } from '../fixtures/command-line.ts'
import { speakingEndpoint } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const main = join(import.meta.dirname, '../../dist/cli/main.js')
const question = 'How many pages does the Marble corpus hold?'

/** Runs a command on a pseudo-terminal, as a person sees it; without escape sequences. */
async function onTerminal(words: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return (await rawTerminal(words, cwd, env)).replace(/\u001b\[[\d;?]*[A-Za-z]/g, '')
}

async function rawTerminal(words: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const command = [process.execPath, main, ...words].map((word) => `'${word}'`).join(' ')
  const { HOME } = process.env
  const options = { cwd, env: { ...environmentOf(cwd), HOME, TERM: 'xterm', SHELL: '/bin/sh', ...env } }
  const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], options)
  return stdout
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

  it('opens the document of a footnote, if it knows hyperlinks and colours are wanted', {
    tags: ['slow'],
  }, async () => {
    const cwd = await libraryFolder()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a hyperlink begins with the escape character
    const link = /\u001b\]8;;file:\/\/\S+?\u001b\\\[1\]\u001b\]8;;\u001b\\ /
    expect(await rawTerminal(['ask', question], cwd, { VTE_VERSION: '7600' })).toMatch(link)
    const without = [{}, { NO_COLOR: '1' }, { CI: 'true' }, { TERM: 'dumb' }, { VTE_VERSION: '4800' }]
    const { runs } = JSON.parse((await quaero(['runs', 'list', '--json'], { cwd })).out)
    for (const env of without) {
      const shown = await rawTerminal(['runs', 'show', runs[0].runId], cwd, { VTE_VERSION: '7600', ...env })
      if (Object.keys(env).length === 0) expect(shown).toMatch(link)
      else expect(shown, JSON.stringify(env)).not.toContain('\u001b]8')
    }
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
