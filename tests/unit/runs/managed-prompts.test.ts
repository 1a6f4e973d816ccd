import { describe, expect, it, onTestFinished } from 'vitest'
import type { Quaero } from '../../../src/api.ts'
import type { ScriptedModel } from '../../../src/models/scripted.ts'
import { loadPrompt } from '../../../src/prompts.ts'
import type { PromptStore } from '../../fixtures/langfuse/prompt-store.ts'
import { type Answer, type ReceivedSpan, startTraceServer } from '../../fixtures/langfuse/trace-server.ts'
import { quickAndSlow } from '../../fixtures/quick-rows.ts'
import { calls, cited, libraryFolder, openQuaero, openWorkflow, route, search } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const answering = {
  orchestrator: [route()],
  research: [search('Marble corpus pages'), 'Found it.'],
  synthesis: [cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')],
}
const names = ['orchestrator', 'clarification', 'research', 'synthesis'] as const

/** Langfuse with these prompts, each beginning with a word that tells it from its file. */
async function langfuse(managed: readonly string[] = names, answer: Answer = 200) {
  const server = await startTraceServer(answer)
  onTestFinished(server.close)
  for (const name of managed) write(server.prompts, name, 'First.')
  const env = { LANGFUSE_PUBLIC_KEY: 'pk-lf-1', LANGFUSE_SECRET_KEY: 'sk-lf-2', LANGFUSE_BASE_URL: server.url }
  const promptRequests = () => server.requests.filter(({ path }) => path.startsWith('/api/public/v2/prompts'))
  return {
    server,
    promptRequests,
    options: { env, settings: { langfuse: { promptLabel: 'production', promptWaitSeconds: 60 } } },
  }
}

function write(prompts: PromptStore, name: string, opening: string): void {
  const { system, user } = loadPrompt(name)
  const prompt = [
    { role: 'system', content: `${opening} ${system}` },
    { role: 'user', content: user },
  ]
  prompts.put({ type: 'chat', name: `quaero-${name}`, prompt, labels: ['production'] })
}

/** The first words that each call of a model began with. */
function openings({ heard }: ScriptedModel): readonly (string | undefined)[] {
  return heard.map(([system]) => /^(?:First|Second)\./.exec(system?.text ?? '')?.[0])
}

async function logOf(quaero: Quaero, runId: string) {
  const log = []
  for await (const line of quaero.follow(runId)) log.push(line)
  return log
}

function links(spans: readonly ReceivedSpan[]) {
  return spans
    .filter(({ attributes }) => attributes['langfuse.observation.type'] === 'generation')
    .map(({ attributes }) => ({
      name: attributes['langfuse.observation.prompt.name'],
      version: attributes['langfuse.observation.prompt.version'],
      id: attributes['langfuse.observation.metadata.prompt'],
      source: attributes['langfuse.observation.metadata.promptSource'],
      fileVersion: attributes['langfuse.observation.metadata.promptVersion'],
    }))
}

describe('a run with prompts from Langfuse', () => {
  it('gives models the words that have the label, links generations to them, and asks once for many runs', {
    tags: ['T15', 'T6', 'R31'],
  }, async () => {
    const { server, promptRequests, options } = await langfuse()
    const thrice = Object.fromEntries(Object.entries(answering).map(([agent, lines]) => [agent, repeat(lines, 3)]))
    const { quaero, model } = await openWorkflow(thrice, options)
    for (let turn = 0; turn < 3; turn += 1) expect((await quaero.ask(question)).status).toBe('completed')
    expect(openings(model)).toEqual(repeat(['First.'], 12))
    expect(promptRequests()).toHaveLength(names.length)
    await quaero.close()
    const linked = links(server.spans())
    expect(linked).toHaveLength(12)
    for (const { name, version, id, source } of linked) {
      expect([name, version, source]).toEqual([`quaero-${id}`, 1, 'langfuse'])
    }
  })

  it('links no generation whose prompt came from a file, and says which file', { tags: ['T15', 'T6'] }, async () => {
    const notices: string[] = []
    const { server, options } = await langfuse(['research'])
    const { quaero } = await openWorkflow(answering, { ...options, onNotice: (notice) => void notices.push(notice) })
    await quaero.ask(question)
    await quaero.close()
    const linked = links(server.spans())
    expect(linked.filter(({ name }) => name === 'quaero-research')).toHaveLength(2)
    const files = linked.filter(({ id }) => id !== 'research')
    expect(files.map(({ id }) => id).sort()).toEqual(['orchestrator', 'synthesis'])
    for (const { id, name, version, source, fileVersion } of files) {
      expect([name, version, source, fileVersion]).toEqual([
        undefined,
        undefined,
        'file',
        loadPrompt(String(id)).version,
      ])
    }
    expect(notices).toEqual([
      expect.stringContaining('quaero-orchestrator, quaero-clarification, quaero-synthesis has the'),
    ])
  })

  it('asks for nothing where no label is set, and where the model that answers reads no prompts', {
    tags: ['T15'],
  }, async () => {
    const { promptRequests, options } = await langfuse()
    const unlabelled = await openWorkflow(answering, { env: options.env })
    const { runId } = await unlabelled.quaero.ask(question)
    expect((await logOf(unlabelled.quaero, runId)).map(({ type }) => type)).not.toContain('prompts.chosen')
    const extractive = await openQuaero({ ...options, model: 'extractive' })
    expect((await extractive.ask(question)).status).toBe('completed')
    expect(promptRequests()).toEqual([])
  })

  it('keeps its prompts when it is resumed, though they have changed and Langfuse is gone, and replays as it was', {
    tags: ['T15', 'E5'],
  }, async () => {
    const { server, promptRequests, options } = await langfuse()
    const dataDir = await libraryFolder()
    const strict = { ...options, dataDir, settings: { ...options.settings, tools: { trust: 'strict' as const } } }
    const before = await openWorkflow(answering, strict)
    const waiting = await before.quaero.ask(question)
    expect(waiting.status).toBe('requires_action')
    await before.quaero.close()
    for (const name of names) write(server.prompts, name, 'Second.')
    server.answerPrompts(500)
    const asked = promptRequests().length
    const rest = { research: ['Found it.'], synthesis: answering.synthesis }
    const after = await openWorkflow(rest, strict)
    const result = await after.quaero.resume(waiting.runId, { [waiting.approvals[0]?.id ?? '']: { approved: true } })
    expect(result.status).toBe('completed')
    expect([...openings(before.model), ...openings(after.model)]).toEqual(repeat(['First.'], 4))
    expect(promptRequests()).toHaveLength(asked)
    expect(await after.quaero.replay(waiting.runId)).toEqual(result)
    expect((await after.quaero.verify()).discrepancies).toEqual([])
    server.answerPrompts(200)
    const later = await openWorkflow(answering, { ...options, dataDir })
    await later.quaero.ask(question)
    expect(openings(later.model)).toEqual(repeat(['Second.'], 4))
  })

  for (const { rows, tags } of quickAndSlow([
    ['Langfuse failed', 'production'],
    ['no label was set', null],
  ])) {
    it.each(rows)(
      'keeps the files it began with, when %s, though it is resumed with Langfuse there',
      { tags: [...tags, 'T15'] },
      async (_, promptLabel) => {
        const { server, options } = await langfuse(names, 500)
        const dataDir = await libraryFolder()
        const strict = { ...options, dataDir, settings: { ...options.settings, tools: { trust: 'strict' as const } } }
        const before = await openWorkflow(answering, {
          ...strict,
          settings: { ...strict.settings, langfuse: { promptLabel } },
        })
        const { runId, approvals } = await before.quaero.ask(question)
        await before.quaero.close()
        server.answerPrompts(200)
        const after = await openWorkflow({ research: ['Found it.'], synthesis: answering.synthesis }, strict)
        expect((await after.quaero.resume(runId, { [approvals[0]?.id ?? '']: { approved: true } })).status).toBe(
          'completed',
        )
        expect([...openings(before.model), ...openings(after.model)]).toEqual(repeat([undefined], 4))
      },
    )
  }

  it('gives specialists theirs, and agents of one run prompts of one moment', { tags: ['T15', 'U4'] }, async () => {
    const { server, promptRequests, options } = await langfuse([...names, 'specialist'])
    const settings = { ...options.settings, specialists: { scholar: { description: 'reads closely' } } }
    const changing = {
      ...answering,
      orchestrator: [
        () => {
          for (const name of [...names, 'specialist']) write(server.prompts, name, 'Second.')
          return route()
        },
      ],
      research: [calls(['delegate', { specialist: 'scholar', task: 'Count the pages.' }]), 'Found it.'],
      scholar: [search('Marble corpus pages'), 'There are many.'],
    }
    const { quaero, model } = await openWorkflow(changing, { ...options, settings })
    expect((await quaero.ask(question)).status).toBe('completed')
    expect(openings(model)).toEqual(repeat(['First.'], 6))
    expect(promptRequests()).toHaveLength(names.length + 1)
  })

  it('says once that the keys are missing, and goes on with the files', { tags: ['T15'] }, async () => {
    const notices: string[] = []
    const { quaero } = await openWorkflow(answering, {
      settings: { langfuse: { promptLabel: 'production' } },
      onNotice: (notice) => void notices.push(notice),
    })
    expect((await quaero.ask(question)).status).toBe('completed')
    expect(notices).toEqual([
      'Prompts from Langfuse: LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are not both set. Files are used instead.',
    ])
  })
})

function repeat<T>(lines: readonly T[], times: number): T[] {
  return Array.from({ length: times }, () => lines).flat()
}
