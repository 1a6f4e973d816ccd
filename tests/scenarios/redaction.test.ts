/**
 * The built command, with one canary for a key and another that is a person's own text shaped like one. Neither may show
 * on stdout or stderr, in a session log or a report; the database has the second as it was written, and never the first.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import { createQuaero } from '../../src/quaero.ts'
import { type CommandOptions, type Ended, environmentOf, quaero } from '../fixtures/command-line.ts'
import { type Lines, speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { storedText } from '../fixtures/storage/chosen-storage.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const configured = 'Quince-Canary-4711'
const own = 'sk-planted-9f8e7d6c5b'
const both = `${configured} and ${own}`
const question = 'How many pages does the Marble corpus hold?'

/** A folder, and commands in it, of which nothing may show either canary. */
async function stage(lines: Lines = {}, env: Readonly<Record<string, string>> = {}) {
  const cwd = await libraryFolder()
  const endpoint = await speakingEndpoint(lines)
  const surroundings = { ...endpoint.env, OPENAI_API_KEY: configured, ...env }
  const run = async (words: readonly string[], options: Partial<CommandOptions> = {}): Promise<Ended> => {
    const ended = await quaero(words, { cwd, env: surroundings, ...options })
    expectHidden(ended.out, `stdout of ${words.join(' ')}`)
    expectHidden(ended.err, `stderr of ${words.join(' ')}`)
    return ended
  }
  return { cwd, run, config: loadConfig({ env: { ...environmentOf(cwd), ...surroundings } }) }
}

/** What a model says that has heard both. */
const says: Lines = { synthesis: { content: `${usualLines.synthesis.content} My keys are ${both}.` } }

/** Holds a conversation that holds both, on the thread `talk`, and returns its run. */
async function held(config: Config, dataDir: string): Promise<string> {
  const engine = await createQuaero({ config, dataDir })
  const { runId } = await engine.ask(`${question} My keys are ${both}.`, { threadId: 'talk' })
  await engine.close()
  return runId
}

function expectHidden(text: string, where: string): void {
  expect(text, where).not.toContain(configured)
  expect(text, where).not.toContain(own)
}

async function filesIn(folder: string, begin: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(begin))
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))).join('')
}

describe('the command line', { tags: ['S15'] }, () => {
  it('shows neither while a conversation is held that holds both', { tags: ['T10'] }, async () => {
    const { cwd, run } = await stage(says)
    const asked = await run(['ask', `${question} My keys are ${both}.`, '-t', 'talk'])
    expect(asked).toMatchObject({ code: 0 })
    expect(asked.out).toContain('81.1 million pages')
    const { out } = await run(['ask', `And again, with ${both}?`, '-t', 'talk', '--json'])
    expect(jsonOutputs.ask.parse(JSON.parse(out)).status).toBe('completed')
    const chat = await run(['chat', '-t', 'chat'], { stdin: `${question} ${both}\n` })
    expect(chat.out).toContain('81.1 million pages')
    const database = await storedText(cwd)
    expect(database).not.toContain(configured)
    expect(database).toContain(own)
  })

  it('shows no credential of the settings, in what is said of a wrong use either', { tags: ['T10'] }, async () => {
    const { cwd, run } = await stage()
    const secret = 'Plum-Settings-8822'
    await writeFile(join(cwd, 'my.yaml'), `endpoint:\n  baseUrl: http://127.0.0.1:9/v1?api-key=${secret}\n`)
    await writeFile(
      join(cwd, `vault-${secret}.md`),
      `# The vault of ${secret}\n\nThe granite vault opens with ${secret}.\n`,
    )
    const commands = [
      ['add', `vault-${secret}.md`],
      ['library', 'list'],
      ['library', 'text', `vault-${secret}.md`],
      ['search', 'granite vault'],
      ['runs', 'show', `${secret}/`],
      [`--${secret}`],
    ]
    for (const words of commands) {
      const { out, err } = await run([...words, '--config', 'my.yaml'])
      expect(out + err, words.join(' ')).not.toContain(secret)
      expect(out + err, words.join(' ')).toContain('[redacted]')
    }
  })

  it('shows neither in the pieces of a stream, which still come one by one', { tags: ['T10'] }, async () => {
    const { run } = await stage(says)
    const { out } = await run(['ask', `Without ${both}?`, '--jsonl'])
    const deltas = out.split('\n').flatMap((line) => {
      const event = line ? JSON.parse(line) : {}
      return event.type === 'message.delta' ? [event.payload.text] : []
    })
    expectHidden(deltas.join(''), 'the pieces, put together')
    expect(deltas.join('')).toContain('My keys are ****************** and [redacted].')
    expect(deltas.length).toBeGreaterThan(2)
  })

  it('shows neither of it later', { tags: ['T10'] }, async () => {
    const { cwd, run, config } = await stage(says)
    const runId = await held(config, cwd)
    for (const words of [
      ['runs', 'list'],
      ['runs', 'list', '--json'],
      ['runs', 'show', 'RUN'],
      ['runs', 'events', 'RUN'],
      ['runs', 'events', 'RUN', '--jsonl'],
      ['runs', 'events', 'RUN', '--follow'],
      ['runs', 'replay', 'RUN', '--json'],
      ['threads', 'list'],
      ['threads', 'show', 'talk'],
      ['threads', 'show', 'talk', '--json'],
      ['threads', 'log', 'talk', '--format', 'yaml'],
      ['doctor', '--verify', '--offline'],
      ['config', 'show', '--json'],
    ]) {
      const { code, out } = await run(words.map((word) => (word === 'RUN' ? runId : word)))
      expect([words, code, out.length > 0]).toEqual([words, 0, true])
    }
  })

  it('exports what is a person\u2019s own as it was written, and the configured one never', {
    tags: ['T10'],
  }, async () => {
    const { cwd, config } = await stage(says)
    const runId = await held(config, cwd)
    for (const words of [
      ['runs', 'export', runId],
      ['threads', 'export', 'talk', '--format', 'json'],
    ]) {
      const { out } = await quaero(words, { cwd })
      expect(out).toContain(own)
      expect(out).not.toContain(configured)
    }
  })

  it('session logs show neither, and are the same when they are written anew without the keys', {
    tags: ['T10'],
  }, async () => {
    const { cwd, run } = await stage()
    await run(['ask', `${question} My keys are ${both}.`, '-t', 'talk', '-q'])
    const before = await filesIn(join(cwd, 'sessions'), 'talk')
    expectHidden(before, 'session logs')
    expect(before).toContain('My keys are ****************** and [redacted].')
    expect((await quaero(['threads', 'log', '--rebuild'], { cwd })).code).toBe(0)
    expect(await filesIn(join(cwd, 'sessions'), 'talk')).toBe(before)
  })

  it('shows neither of a document that holds both', { tags: ['T10'] }, async () => {
    const { cwd, run, config } = await stage()
    const path = join(cwd, `vault-${own}.md`)
    await writeFile(path, `# The granite vault of ${own}\n\nThe granite vault opens with ${both} since 2020.\n`)
    const engine = await createQuaero({ config, dataDir: cwd })
    const { documents } = await engine.library.add([path])
    await engine.close()
    const id = documents[0]?.documentId ?? ''
    for (const words of [
      ['library', 'list'],
      ['library', 'text', 'DOCUMENT'],
      ['library', 'text', 'DOCUMENT', '--json'],
      ['library', 'show', 'DOCUMENT'],
      ['search', 'granite vault'],
      ['search', 'granite vault', '--json'],
      ['tools', 'run', 'pdf_retrieval', '--args', '{"query":"granite vault"}'],
      ['ask', 'What opens the granite vault?', '-m', 'extractive', '--json'],
    ]) {
      const { code, out } = await run(words.map((word) => (word === 'DOCUMENT' ? id : word)))
      expect([words, code, out.length > 0]).toEqual([words, 0, true])
    }
  })

  it('a report of an evaluation shows neither, nor what is kept to go on with it', { tags: ['T10'] }, async () => {
    const { cwd, run } = await stage()
    await mkdir(join(cwd, 'reports'))
    const title = '\u001b]0;title\u0007'
    const rows = [
      { id: 'one', question: `${question} My keys are ${both}. ${title}`, expect: { answers: [both] } },
      { id: 'two', question, expect: { answers: ['81.1 million'] } },
    ]
    await writeFile(join(cwd, 'rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const { code } = await run(['eval', 'rows.jsonl', '--json', '--out', join(cwd, 'reports', 'report.json')])
    expect(code).toBe(0)
    const reports = await filesIn(join(cwd, 'reports'), 'report')
    expectHidden(reports, 'reports')
    expect(reports).toContain('My keys are')
    expect(await storedText(cwd)).not.toContain(configured)
  })

  const badFiles = {
    'an unknown key': `"${both}": 1\n`,
    'a value of the wrong kind': `limits:\n  modelCalls: "${both}"\n`,
    'a line that is no YAML': `model: extractive\napiKey: [${own}: "${configured}\n`,
  }
  it.each(Object.entries(badFiles))(
    'a configuration file with %s is refused without showing it',
    { tags: ['T10'] },
    async (_, text) => {
      const { cwd, run } = await stage()
      await writeFile(join(cwd, 'my.yaml'), text)
      const { code, err } = await run(['ask', question, '--config', join(cwd, 'my.yaml')])
      expect(code).toBe(78)
      expect(err).toContain('my.yaml')
    },
  )

  it.each([
    ['a word that is no option', ['ask', question, `--modell=${both}`], 2],
    ['a word that is no command', [both], 2],
    ['an option without sense', ['ask', question, '--max-steps', both, '--json'], 2],
    ['too many words', ['search', 'a', both], 2],
    ['a model that there is not', ['ask', question, '-m', `${own}:${configured}`], 78],
    ['the id of a thread', ['ask', question, '-t', configured], 2],
    ['a file that there is not', ['ask', question, '-d', `/nowhere/${own}/${configured}`], 2],
    ['a run that there is not', ['runs', 'show', configured, '--json'], 1],
    ['arguments that are no JSON', ['tools', 'run', 'pdf_retrieval', '--args', `{"a": ${both}`], 2],
  ] as const)('a wrong use is refused without showing it: %s', { tags: ['T10'] }, async (_, words, expected) => {
    const { cwd, run } = await stage()
    const { code, out, err } = await run(words)
    expect({ code, says: (out + err).length > 0 }).toEqual({ code: expected, says: true })
    expect(await storedText(cwd)).not.toContain(configured)
  })

  it.each([
    ['with a user name and a password', `http://me:${configured}@127.0.0.1:9/v1`],
    ['with a key in its query, where nobody answers', `http://127.0.0.1:9/v1?api_key=${own}`],
    ['that is none', `${both}://`],
  ])('an address %s is not shown', { tags: ['T10'] }, async (_, address) => {
    const { cwd, run } = await stage({}, { OPENAI_BASE_URL: address })
    await writeFile(join(cwd, 'my.yaml'), 'endpoint:\n  retries: 0\n')
    const { err } = await run(['ask', question, '--config', 'my.yaml'])
    expect(err).not.toBe('')
    await run(['doctor'])
  })

  it('an endpoint that echoes the key is quoted without it', { tags: ['T10'] }, async () => {
    const echo = { status: 401, body: { error: { message: `Incorrect API key provided: ${both}` } } }
    const { cwd, run } = await stage({ orchestrator: echo })
    const { code, err } = await run(['ask', question, '-q'])
    expect(code).toBe(78)
    expect(err).toContain('Incorrect API key provided')
    expectHidden(await storedText(cwd), 'the database')
  })
})
