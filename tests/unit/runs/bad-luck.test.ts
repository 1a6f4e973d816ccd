import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ImportInvalid } from '../../../src/errors.ts'
import { startQuaero } from '../../../src/quaero.ts'
import { defineTool } from '../../../src/tools/tool.ts'
import { calls, cited, libraryFolder, openQuaero, openWorkflow, route, search } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const turn = {
  orchestrator: [route()],
  research: [search('Marble corpus pages'), 'Done.'],
  synthesis: [cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')],
}

describe('a cancel', () => {
  it('at the moment when another engine resumes the run ends it, and no tool runs after that', {
    tags: ['U5'],
  }, async () => {
    const dataDir = await libraryFolder()
    const done: string[] = []
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      input: z.object({}),
      sensitive: true,
      run: async () => {
        done.push('sent')
        return 'sent'
      },
    })
    const options = { dataDir, tools: [send], settings: { tools: { trust: 'careful' as const } } }
    const first = await openWorkflow({ ...turn, research: [calls(['send', {}]), 'Done.'] }, options)
    const { runId, approvals } = await first.quaero.ask(question)
    const second = await openWorkflow(turn, options)
    const answers = { [approvals[0]?.id ?? '']: { approved: true } }
    const [cancelled, resumed] = await Promise.allSettled([
      first.quaero.cancel(runId),
      second.quaero.resume(runId, answers),
    ])
    const { state } = await first.quaero.status(runId)
    expect(cancelled.status).toBe('fulfilled')
    expect([state, done]).toEqual(['cancelled', []])
    if (resumed.status === 'fulfilled') expect(resumed.value.status).toBe('cancelled')
    expect((await first.quaero.verify()).discrepancies).toEqual([])
  })

  it('that comes when the run has ended says so', { tags: ['U5'] }, async () => {
    const { quaero } = await openWorkflow(turn)
    let refused: Promise<unknown> = Promise.resolve()
    for await (const line of quaero.stream(question)) {
      if (line.type !== 'run.completed') continue
      refused = quaero.cancel(line.runId)
      // It is looked at below.
      refused.catch(() => {})
    }
    await expect(refused).rejects.toMatchObject({ code: 'run_ended' })
  })
})

describe('a tool call', () => {
  it.each(['constructor', 'toString', '__proto__', 'valueOf'])(
    'runs by whatever id a model gave it: %s',
    { tags: ['F37'] },
    async (id) => {
      const done: string[] = []
      const note = defineTool({
        name: 'note',
        description: 'Notes.',
        input: z.object({}),
        sensitive: true,
        run: async () => `${done.push('noted')}`,
      })
      const script = { ...turn, research: [calls(['note', {}, id]), 'Done.'] }
      const { quaero } = await openWorkflow(script, { tools: [note], settings: { tools: { trust: 'careful' } } })
      const { runId, approvals } = await quaero.ask(question)
      await quaero.resume(runId, Object.fromEntries(approvals.map((each) => [each.id, { approved: true }])))
      expect(done).toEqual(['noted'])
    },
  )

  it('may be one of many in a reply without a warning of Node.js', async () => {
    const warnings: string[] = []
    const listen = ({ name }: Error) => void warnings.push(name)
    process.on('warning', listen)
    const many = calls(...Array.from({ length: 14 }, (_, n) => ['pdf_retrieval', { query: `page ${n}` }] as const))
    const { quaero } = await openWorkflow({ ...turn, research: [many, 'Done.'] })
    expect((await quaero.ask(question)).status).toBe('completed')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', listen)
    expect(warnings).toEqual([])
  })
})

describe('a log that is imported', () => {
  const meddle: Readonly<Record<string, (lines: readonly string[]) => readonly string[]>> = {
    'an ending twice': (lines) => [...lines, lines.at(-1)?.replace(/"id":"[^"]+"/, '"id":"again"') ?? ''],
    'a second beginning': (lines) => [...lines, lines[0]?.replace(/"id":"[^"]+"/, '"id":"again"') ?? ''],
    'a tool without an ending': (lines) => lines.filter((line) => !line.includes('"tool.completed"')),
    'no question': (lines) => lines.filter((line) => !/"message\.(?:created|completed)".*"role":"user"/.test(line)),
    'a message without its end': (lines) =>
      lines.filter((line) => !/"message\.completed".*"role":"assistant".*"scope":"thread"/.test(line)),
  }

  it.each(Object.entries(meddle))('is refused where it holds %s', { tags: ['E13'] }, async (_, change) => {
    const { quaero } = await openWorkflow(turn)
    const lines = (await quaero.runs.export((await quaero.ask(question)).runId)).trim().split('\n')
    const other = await openQuaero({ dataDir: ':memory:', model: 'extractive' })
    const changed = change(lines)
    expect(changed).not.toEqual(lines)
    const placed = changed.map((line, at) => line.replace(/"position":\d+/, `"position":${at + 1}`)).join('\n')
    await expect(other.runs.import(placed)).rejects.toThrow(ImportInvalid)
    await other.runs.import(lines.join('\n'))
    expect((await other.verify()).discrepancies).toEqual([])
  })
})

describe('a faulty subscriber', () => {
  it('stops following a finished run when told to', { tags: ['U6'] }, async () => {
    const { quaero } = await openWorkflow(turn)
    const { runId } = await quaero.ask(question)
    const stop = new AbortController()
    let count = 0
    for await (const _ of quaero.follow(runId, { signal: stop.signal })) {
      count += 1
      if (count === 3) stop.abort()
    }
    expect(count).toBe(3)
  })

  it('hurts nothing where its failure cannot even be told', { tags: ['U7'] }, async () => {
    const { quaero } = await openWorkflow(turn, {
      subscribers: [() => Promise.reject(new Error('gone'))],
      onNotice: () => {
        throw new Error('nobody listens')
      },
    })
    expect((await quaero.ask(question)).status).toBe('completed')
  })

  it('a start that a hook holds up for ever can be closed', { tags: ['E9', 'H24'] }, async () => {
    const starting = startQuaero({
      dataDir: ':memory:',
      model: 'extractive',
      hooks: { onReady: () => new Promise(() => {}) },
    })
    const ready = starting.ready()
    await starting.close()
    await expect(ready).rejects.toMatchObject({ code: 'not_ready' })
  })
})
