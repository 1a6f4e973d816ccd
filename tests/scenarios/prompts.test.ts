import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { loadPrompt } from '../../src/prompts.ts'
import { type Ended, quaero } from '../fixtures/command-line.ts'
import { type Answer, startTraceServer } from '../fixtures/langfuse/trace-server.ts'
import { quickAndSlow } from '../fixtures/quick-rows.ts'
import { speakingEndpoint } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder, temporaryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const names = [
  'quaero-orchestrator',
  'quaero-clarification',
  'quaero-research',
  'quaero-synthesis',
  'quaero-second-reading',
]

/** Langfuse, and a folder in which the command works with it; what the settings hold beside the label may be given. */
async function langfuse(answer: Answer = 200, more: object = {}) {
  const server = await startTraceServer()
  onTestFinished(server.close)
  server.answerPrompts(answer)
  const cwd = await libraryFolder()
  const settings = join(cwd, 'my.yaml')
  // Only where it hangs is the usual wait short enough, however slow the machine is that runs the test.
  const wait = answer === 'hang' ? {} : { promptWaitSeconds: 60 }
  await writeFile(settings, JSON.stringify({ langfuse: { promptLabel: 'production', ...wait }, ...more }))
  const env = {
    LANGFUSE_PUBLIC_KEY: 'pk-lf-canary-1',
    LANGFUSE_SECRET_KEY: 'sk-lf-canary-2',
    LANGFUSE_BASE_URL: server.url,
  }
  const run = (words: readonly string[], others: Readonly<Record<string, string>> = {}) =>
    quaero([...words, '--config', settings], { cwd, env: { ...env, ...others } })
  return { server, cwd, run, prompts: (...words: string[]) => run(['prompts', ...words]) }
}

function pushed({ out }: Ended) {
  return jsonOutputs['prompts-push'].parse(JSON.parse(out))
}

function diffed({ out }: Ended) {
  return jsonOutputs['prompts-diff'].parse(JSON.parse(out))
}

describe('quaero prompts', () => {
  it('push puts each file into Langfuse as a chat with its variables, and does nothing the second time', {
    tags: ['T15'],
  }, async () => {
    const { server, prompts } = await langfuse()
    const first = await prompts('push', '--json')
    expect(first.err.trim().split('\n')).toEqual(names.map((name, at) => `${at + 1}/5 ${name}`))
    expect(pushed(first)).toMatchObject({ label: 'production', dryRun: false })
    expect(pushed(first).prompts.map(({ name, action }) => [name, action])).toEqual(names.map((n) => [n, 'created']))
    const { id, version, inputs, system, user } = loadPrompt('synthesis')
    expect(server.prompts.versionsOf('quaero-synthesis')).toEqual([
      {
        type: 'chat',
        name: 'quaero-synthesis',
        version: 1,
        prompt: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
        config: { id, version, inputs },
        labels: ['production', 'latest'],
        tags: ['quaero'],
        commitMessage: 'Quaero: synthesis, version 5 of the file',
      },
    ])
    const writes = () => server.requests.filter(({ method }) => method !== 'GET').length
    const before = writes()
    const again = await prompts('push', '-q')
    expect(again).toEqual({
      code: 0,
      out: `${names.map((name) => `${name}: unchanged, version 1 has the label "production"`).join('\n')}\n`,
      err: '',
    })
    expect(writes()).toBe(before)
  })

  it('push makes a version only where the text differs, and elsewhere moves the label', { tags: ['T15'] }, async () => {
    const { server, prompts, cwd } = await langfuse(200, { promptsDir: 'own' })
    await prompts('push', '-q')
    await mkdir(join(cwd, 'own'))
    const file = await readFile(join('prompts', 'research.md'), 'utf8')
    await writeFile(join(cwd, 'own', 'research.md'), file.replace('Invent nothing.', 'Make nothing up.'))
    const planned = pushed(await prompts('push', '--label', 'staging', '--dry-run', '--json'))
    expect(server.prompts.versionsOf('quaero-research')).toHaveLength(1)
    const done = pushed(await prompts('push', '--label', 'staging', '--json'))
    expect(done.prompts.map(({ action }) => action)).toEqual([
      'labelled',
      'labelled',
      'created',
      'labelled',
      'labelled',
    ])
    expect(planned.prompts.map(({ action }) => action)).toEqual(done.prompts.map(({ action }) => action))
    expect(server.prompts.versionsOf('quaero-research').map(({ labels }) => labels)).toEqual([
      ['production'],
      ['staging', 'latest'],
    ])
    expect(server.prompts.versionsOf('quaero-synthesis').map(({ labels }) => labels)).toEqual([
      ['production', 'staging', 'latest'],
    ])
  })

  it('diff exits with 1 and shows the lines that a push would change, with 0 where there are none', {
    tags: ['T15'],
  }, async () => {
    const { server, prompts } = await langfuse()
    const missing = await prompts('diff', '--json', '-q')
    expect([missing.code, missing.err]).toEqual([1, ''])
    expect(diffed(missing).prompts.map(({ state }) => state)).toEqual(names.map(() => 'missing'))
    await prompts('push', '-q')
    expect((await prompts('diff')).code).toBe(0)
    const { system, user } = loadPrompt('clarification')
    server.prompts.put({
      type: 'chat',
      name: 'quaero-clarification',
      prompt: [
        { role: 'system', content: system.replace('Ask for that part.', 'Guess.') },
        { role: 'user', content: user },
      ],
      labels: ['production'],
    })
    const { code, out } = await prompts('diff', 'clarification')
    expect(code).toBe(1)
    expect(out).toContain('quaero-clarification: differs: - version 2 in Langfuse, + ')
    expect(out.split('\n').filter((line) => /^[-+]/.test(line))).toEqual([
      expect.stringMatching(/^- A person asked .* Guess\.$/),
      expect.stringMatching(/^\+ A person asked .* Ask for that part\.$/),
    ])
    expect(diffed(await prompts('diff', '--json')).prompts.map(({ state }) => state)).toEqual([
      'same',
      'different',
      'same',
      'same',
      'same',
    ])
  })

  it('list says where a run takes each prompt from, and asks nobody without a label', { tags: ['T15'] }, async () => {
    const { server, prompts, cwd } = await langfuse()
    await prompts('push', 'synthesis', '-q')
    const listed = await prompts('list', '--json')
    const { prompts: all } = jsonOutputs['prompts-list'].parse(JSON.parse(listed.out))
    expect(all.map(({ id, source, langfuseVersion }) => [id, source, langfuseVersion])).toEqual([
      ['orchestrator', 'file', null],
      ['clarification', 'file', null],
      ['research', 'file', null],
      ['synthesis', 'langfuse', 1],
      ['second-reading', 'file', null],
    ])
    expect(listed.err).toContain(
      'has the label "production"; "quaero prompts push --label production" puts them there.',
    )
    const before = server.requests.length
    const files = await quaero(['prompts'], { cwd, env: { LANGFUSE_PUBLIC_KEY: 'pk-1', LANGFUSE_SECRET_KEY: 'sk-1' } })
    expect([files.code, files.err, server.requests.length]).toEqual([0, '', before])
    expect(files.out.split('\n').filter((line) => / {2}file {2}/.test(line))).toHaveLength(5)
  })

  for (const { rows, tags } of quickAndSlow(
    [
      [401, 78, 'langfuse_key_rejected', /does not accept the keys \(401\)/],
      [500, 1, 'langfuse_unavailable', /answered 500/],
      ['hang', 1, 'langfuse_unavailable', /did not answer within 5 s/],
    ] as const,
    ([answer]) => answer !== 'hang',
  )) {
    it.each(rows)(
      'diff and push end where Langfuse does this: %s, with a typed error',
      { tags: [...tags, 'T15'] },
      async (answer, code, error, why) => {
        const { prompts } = await langfuse(answer)
        const ended = await Promise.all([prompts('push', '--json'), prompts('diff', '--json')])
        for (const { code: exit, out, err } of ended) {
          expect(exit).toBe(code)
          expect(jsonOutputs.error.parse(JSON.parse(out)).error).toEqual({
            code: error,
            message: expect.stringMatching(why),
          })
          expect(err).toMatch(/^quaero: [^\n]+\n$/)
          expect(err).not.toMatch(/canary|at .*\.js/)
        }
      },
    )
  }

  it.each([
    [401, 78],
    ['hang', 1],
  ] as const)(
    'list shows the files all the same where Langfuse does this: %s, and exits with %i',
    { tags: ['T15'] },
    async (answer, exit) => {
      const { prompts } = await langfuse(answer)
      const { code, out, err } = await prompts('list', '--json', '-q')
      expect(code).toBe(exit)
      const { prompts: all } = jsonOutputs['prompts-list'].parse(JSON.parse(out))
      expect(all.map(({ source }) => source)).toEqual(names.map(() => 'file'))
      expect(err).toMatch(/^Prompts from Langfuse: [^\n]* Files are used instead\.\n$/)
    },
  )

  it('list without the keys shows the files and exits with 78', { tags: ['T15'] }, async () => {
    const { run } = await langfuse()
    const { code, out, err } = await run(['prompts'], { LANGFUSE_SECRET_KEY: '' })
    expect([code, err]).toEqual([78, expect.stringContaining('are not both set. Files are used instead.')])
    expect(out).toContain('synthesis')
  })

  it('refuses what cannot be meant: no keys, no label, an unknown prompt, a label that Langfuse gives itself', {
    tags: ['T15'],
  }, async () => {
    const { run, prompts } = await langfuse()
    const cwd = await temporaryFolder()
    const keyless = await run(['prompts', 'push'], { LANGFUSE_SECRET_KEY: '' })
    expect([keyless.code, keyless.err]).toEqual([78, expect.stringContaining('LANGFUSE_SECRET_KEY are not both set')])
    const unlabelled = await quaero(['prompts', 'diff'], { cwd })
    expect([unlabelled.code, unlabelled.err]).toEqual([2, expect.stringContaining('--label production')])
    const unknown = await prompts('push', 'poetry')
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('No prompt "poetry" is in use')])
    expect((await prompts('push', '--label', 'latest')).code).toBe(2)
  })
})

describe('a question with prompts from Langfuse', () => {
  it.each(['hang', 401] as const)(
    'is answered by the files, with one warning, where Langfuse does this: %s',
    { tags: ['T15', 'R31'] },
    async (answer) => {
      const { server, run } = await langfuse(answer)
      const endpoint = await speakingEndpoint()
      const { code, out, err } = await run(['ask', question, '-q'], endpoint.env)
      expect(code).toBe(0)
      expect(out).toContain('81.1 million pages')
      expect(err).toMatch(/^Prompts from Langfuse: [^\n]* Files are used instead\.\n$/)
      const linked = server.spans().filter(({ attributes }) => 'langfuse.observation.prompt.name' in attributes)
      expect(linked).toEqual([])
    },
  )
})
