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
async function onTerminal(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  width = 80,
) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return (await rawTerminal(words, cwd, env, width)).replace(/\u001b\[[\d;?]*[A-Za-z]/g, '')
}

async function rawTerminal(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  width = 80,
): Promise<string> {
  const quaero = [process.execPath, main, ...words].map((word) => `'${word}'`).join(' ')
  const command = `stty cols ${width} rows 24; ${quaero}`
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

  const [first, wrong] = ['holds 81.1 million pages', 'It was written by hand in 1870.']
  const written = {
    synthesis: {
      content: `It **holds 81.1 million** pages.<cite id="P1">${first}</cite> **${wrong}**<cite id="P1">said nowhere at all</cite>\n\n| 语料库 | Pages |\n|---|--:|\n| Marble **corpus** | 81.1 million <cite id="P1">${first}</cite> |`,
    },
  }
  const cell = /^Marble corpus {2}81\.1 million \[1\]\r?$/m

  it.each([
    { width: 40, env: {} },
    { width: 120, env: {} },
    { width: 120, env: { NO_COLOR: '1' } },
  ])('shows an answer once, checked, without a mark of Markdown: %j', async ({ width, env }) => {
    const endpoint = await speakingEndpoint(written)
    const cwd = await libraryFolder()
    const shown = await onTerminal(['ask', question], cwd, { ...endpoint.env, ...env }, width)
    expect(shown.match(/It holds 81\.1 million pages\. \[1\]/g)).toHaveLength(1)
    expect(shown).toMatch(cell)
    expect(shown).not.toMatch(/\*\*|draft/i)
    const [answer = '', apart = ''] = shown.split('Not verified:')
    expect(answer).not.toContain('1870')
    expect(apart.replace(/\s+/g, ' ')).toContain(`- ${wrong} (`)
    const { runs } = JSON.parse((await quaero(['runs', 'list', '--json'], { cwd })).out)
    const [{ runId, threadId }] = runs
    for (const [word, id] of [
      ['runs', runId],
      ['threads', threadId],
    ]) {
      const later = await onTerminal([word, 'show', id], cwd, env, width)
      expect(later).toMatch(cell)
      expect(later).not.toContain('**')
      expect((await quaero([word, 'show', id], { cwd })).out).not.toContain('**')
    }
  })

  it('shows an answer without a key once, with no draft', async () => {
    const shown = await onTerminal(['ask', question], await libraryFolder())
    expect(shown.split('Confidence:')[0]?.match(/81\.1 million pages/g)).toHaveLength(1)
    expect(shown).not.toMatch(/draft/i)
  })

  it('gives a pipe plain text, and JSON and exports the text with its marks', async () => {
    const endpoint = await speakingEndpoint(written)
    const cwd = await libraryFolder()
    const { out } = await quaero(['ask', question, '-t', 'told'], { cwd, env: endpoint.env })
    expect(out).toMatch(/^It holds 81\.1 million pages\. \[1\]$/m)
    expect(out).toMatch(cell)
    expect(out).not.toContain('**')
    expect((await quaero(['threads', 'export', 'told'], { cwd })).out).toContain('It **holds 81.1 million** pages. [1]')
    const { runs } = JSON.parse((await quaero(['runs', 'list', '--json'], { cwd })).out)
    const { answer } = JSON.parse((await quaero(['runs', 'show', runs[0].runId, '--json'], { cwd })).out)
    expect(answer).toContain('It **holds 81.1 million** pages. [1]')
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
