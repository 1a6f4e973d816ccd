import { describe, expect, it, onTestFinished } from 'vitest'
import { ManagedPrompts } from '../../../src/langfuse/managed-prompts.ts'
import { promptApi } from '../../../src/langfuse/prompt-api.ts'
import { loadPrompt, type Prompt } from '../../../src/prompts.ts'
import type { NewPrompt } from '../../fixtures/langfuse/prompt-store.ts'
import { type Answer, startTraceServer } from '../../fixtures/langfuse/trace-server.ts'

const files = ['orchestrator', 'clarification', 'research', 'synthesis'].map((name) => loadPrompt(name))
const nameOf = ({ id }: Pick<Prompt, 'id'>) => `quaero-${id}`
const [orchestrator = loadPrompt('orchestrator')] = files

function inLangfuse({ id, system, user }: Prompt, labels = ['production']): NewPrompt {
  const prompt = [
    { role: 'system', content: `Managed. ${system}` },
    { role: 'user', content: user },
  ]
  return { type: 'chat', name: nameOf({ id }), prompt, labels }
}

/** Langfuse with a prompt for each file, and a clock that stands still until a test moves it. */
async function langfuse(answer: Answer = 200, firstWaitMs = 60_000, label = 'production') {
  const server = await startTraceServer()
  server.answerPrompts(answer)
  const notices: string[] = []
  const clock = { ms: 0 }
  let opened = 0
  for (const file of files) server.prompts.put(inLangfuse(file))
  const managed = new ManagedPrompts({
    label,
    files,
    nameOf,
    cacheMs: 60_000,
    firstWaitMs,
    open: async (signal) => {
      opened += 1
      return promptApi(
        { publicKey: 'pk-1', secretKey: 'sk-2', baseUrl: server.url },
        {
          redact: (text) => text,
          timeoutMs: 5000,
          signal,
        },
      )
    },
    onNotice: (notice) => void notices.push(notice),
    now: () => clock.ms,
  })
  onTestFinished(async () => {
    managed.close()
    await server.close()
  })
  /** Chooses until what is chosen has changed; a refresh in the background is over by then. */
  const changed = async (from: unknown) => {
    for (;;) {
      const chosen = await managed.choose()
      if (JSON.stringify(chosen) !== JSON.stringify(from)) return chosen
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const asked = () => server.requests.filter(({ path }) => path !== '/meanwhile')
  return { server, managed, notices, clock, changed, asked, opened: () => opened }
}

/** Resolves when something was told. */
async function told(notices: readonly string[]): Promise<void> {
  while (notices.length === 0) await new Promise((resolve) => setImmediate(resolve))
}

describe('prompts that are managed in Langfuse', () => {
  it('are found by their label, and asked for once, however many runs use them', { tags: ['T15'] }, async () => {
    const { server, managed, notices, opened, asked } = await langfuse()
    server.prompts.put(inLangfuse(orchestrator, ['staging']))
    expect(opened()).toBe(0)
    const chosen = await Promise.all(Array.from({ length: 20 }, () => managed.choose()))
    for (let run = 0; run < 20; run += 1) {
      chosen.push(await managed.choose())
      // Whatever was asked for in the background has arrived by then.
      await fetch(`${server.url}/meanwhile`)
    }
    expect(new Set(chosen.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(chosen[0]).toMatchObject({
      label: 'production',
      prompts: files.map((file) => ({
        id: file.id,
        name: nameOf(file),
        version: 1,
        system: `Managed. ${file.system}`,
        user: file.user,
      })),
    })
    expect(
      asked()
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual(files.map((file) => `GET /api/public/v2/prompts/${nameOf(file)}?label=production`).sort())
    expect([opened(), notices]).toEqual([1, []])
  })

  it('that are out of date are used while newer ones are fetched, which come all at once', {
    tags: ['T15'],
  }, async () => {
    const { server, managed, clock, changed } = await langfuse()
    const first = await managed.choose()
    for (const file of files) server.prompts.put(inLangfuse(file))
    clock.ms = 59_999
    expect(await managed.choose()).toEqual(first)
    expect(server.requests).toHaveLength(files.length)
    clock.ms = 60_000
    expect(await managed.choose()).toEqual(first)
    const next = await changed(first)
    expect(next.prompts.map(({ version }) => version)).toEqual(files.map(() => 2))
    expect(server.requests).toHaveLength(2 * files.length)
  })

  it('stay in use where Langfuse fails later', { tags: ['T15'] }, async () => {
    const { server, managed, clock, notices } = await langfuse()
    const first = await managed.choose()
    server.answerPrompts(500)
    clock.ms = 60_000
    await managed.choose()
    await told(notices)
    expect(await managed.choose()).toEqual(first)
    expect(notices).toEqual([expect.stringMatching(/answered 500\. Those that came before stay in use\.$/)])
  })

  it('are waited for once, where Langfuse hangs; every later run goes on with the files at once', {
    tags: ['T15'],
  }, async () => {
    const { managed, notices } = await langfuse('hang', 500)
    const began = performance.now()
    const together = await Promise.all([managed.choose(), managed.choose()])
    const first = performance.now() - began
    const again = performance.now()
    for (let run = 0; run < 50; run += 1) together.push(await managed.choose())
    expect(performance.now() - again).toBeLessThan(first)
    expect(together.every(({ prompts }) => prompts.length === 0)).toBe(true)
    expect(notices).toEqual(['Prompts from Langfuse: they did not come within 500 ms. Files are used instead.'])
  })

  it.each([
    [401, /does not accept the keys \(401\)\. Check LANGFUSE_PUBLIC_KEY/],
    [500, /answered 500\./],
    ['reset', /cannot be reached/],
    ['page', /is not one of its API\. Check LANGFUSE_BASE_URL/],
  ] as const)(
    'are replaced by the files with one warning where Langfuse does this: %s',
    { tags: ['T15', 'R31'] },
    async (answer, why) => {
      const { managed, notices, clock, server, asked } = await langfuse(answer)
      expect((await managed.choose()).prompts).toEqual([])
      const aMinuteLater = async () => {
        clock.ms += 60_000
        await fetch(`${server.url}/meanwhile`)
        return managed.choose()
      }
      while (asked().length < 20) expect((await aMinuteLater()).prompts).toEqual([])
      expect(notices).toEqual([expect.stringMatching(why)])
      expect(notices[0]).toMatch(/^Prompts from Langfuse: .* Files are used instead\.$/)
      expect(notices[0]).not.toMatch(/pk-1|sk-2/)
      server.answerPrompts(200)
      let later = await aMinuteLater()
      while (later.prompts.length === 0) later = await aMinuteLater()
      expect(later.prompts).toHaveLength(4)
    },
  )

  it('are named with a command that can be copied, whatever their label holds', { tags: ['T15'] }, async () => {
    const { managed, notices } = await langfuse(200, 60_000, "Ada's next release")
    await managed.choose()
    expect(notices[0]).toContain(`"quaero prompts push --label 'Ada'\\''s next release'" puts them there.`)
  })

  it('that are not there are named in one warning, and only these are taken from files', {
    tags: ['T15'],
  }, async () => {
    const { server, managed, notices } = await langfuse()
    for (const { id } of files.slice(2)) server.prompts.unlabel(nameOf({ id }), 'production')
    const { prompts } = await managed.choose()
    expect(prompts.map(({ id }) => id)).toEqual(['orchestrator', 'clarification'])
    expect(notices).toEqual([
      'Prompts from Langfuse: No prompt of the name quaero-research, quaero-synthesis has the label "production"; ' +
        '"quaero prompts push --label production" puts them there. Files are used instead.',
    ])
  })

  it('that cannot be used are reported with the reason, and the others are used', { tags: ['T15'] }, async () => {
    const { server, managed, notices } = await langfuse()
    const { id, user } = orchestrator
    server.prompts.put({
      type: 'chat',
      name: nameOf({ id }),
      prompt: [
        { role: 'system', content: 'Route {{mood}}.' },
        { role: 'user', content: user },
      ],
      labels: ['production'],
    })
    const { prompts } = await managed.choose()
    expect(prompts.map((each) => each.id)).toEqual(['clarification', 'research', 'synthesis'])
    expect(notices).toEqual([
      'Prompts from Langfuse: Version 2 of the prompt "quaero-orchestrator" cannot be used: it uses {{mood}}, and there ' +
        'is only history, question, documents. Files are used instead.',
    ])
  })

  it('leave the process nothing to wait for once they are closed', { tags: ['T15'] }, async () => {
    const { managed, notices, server } = await langfuse('hang')
    const choosing = managed.choose()
    await new Promise<void>((resolve) => {
      const look = () => (server.requests.length === files.length ? resolve() : setImmediate(look))
      look()
    })
    managed.close()
    expect((await choosing).prompts).toEqual([])
    expect(notices).toEqual([])
  })
})
