import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  AlreadyExists,
  ApprovalDenied,
  ApprovalRequired,
  InvalidId,
  InvalidToolInput,
  NoDocuments,
  NotReady,
  ToolFailed,
  ToolTimeout,
  UnknownTool,
  UsageError,
} from '../../src/errors.ts'
import type { Plugin } from '../../src/index.ts'
import { defineTool, type Tool, type ToolContext } from '../../src/tools/tool.ts'
import { calls, gate, libraryFolder, openQuaero, openWorkflow, route, temporaryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

function echo(overrides: Partial<Tool> = {}): Tool {
  const input = z.strictObject({ text: z.string() })
  const tool = defineTool({
    name: 'echo',
    description: 'Says it again.',
    input,
    run: async ({ text }) => `echo ${text}`,
  })
  return { ...tool, ...overrides }
}

const opened = (options: Parameters<typeof openQuaero>[0] = {}) =>
  openQuaero({ model: 'extractive', dataDir: ':memory:', ...options })

describe('the tools of an engine', () => {
  it('are listed with what they take, and whether a person is asked first', { tags: ['H14'] }, async () => {
    const quaero = await opened({ tools: [echo({ sensitive: true })], settings: { tools: { trust: 'careful' } } })
    const list = quaero.tools.list()
    expect(list.map(({ name, needsApproval }) => [name, needsApproval])).toEqual([
      ['pdf_retrieval', false],
      ['read_passages', false],
      ['document_overview', false],
      ['echo', true],
    ])
    expect(list.at(-1)).toMatchObject({ sensitive: true, input: { type: 'object', required: ['text'] } })
  })

  it('are given no configured credential by hand', { tags: ['T10'] }, async () => {
    const quaero = await opened({ tools: [echo()], env: { OPENAI_API_KEY: 'Quince-Canary-4711' } })
    const { content } = await quaero.tools.run('echo', { text: 'my key Quince-Canary-4711' })
    expect(content).toBe(`echo my key ${'*'.repeat(18)}`)
  })

  it('can be added, and are offered to the next run', { tags: ['H14'] }, async () => {
    const script = { orchestrator: [route(), route()], research: ['Done.', calls(['echo', { text: 'a' }]), 'Done.'] }
    const { quaero, model } = await openWorkflow(script)
    await quaero.ask(question)
    quaero.tools.add(echo())
    await quaero.ask(question)
    const results = model.heard.flat().filter((each) => ToolMessage.isInstance(each) && each.name === 'echo')
    expect(results.map(({ text }) => text)).toEqual(['echo a'])
    expect(() => quaero.tools.add(echo())).toThrow(AlreadyExists)
    await expect(openQuaero({ model: 'extractive', tools: [echo(), echo()] })).rejects.toThrow(AlreadyExists)
  })

  it('are gone at once when they are removed, also from a run under way', { tags: ['H14', 'H8'] }, async () => {
    const { quaero, model } = await openWorkflow(
      {
        orchestrator: [route()],
        research: [
          () => {
            quaero.tools.remove('echo')
            return calls(['echo', { text: 'a' }])
          },
          'Done.',
        ],
      },
      { tools: [echo()] },
    )
    expect((await quaero.ask(question)).status).toBe('completed')
    const told = model.heard[2]?.at(-1)?.text
    expect(told).toBe(
      'Error (unknown_tool): There is no tool "echo". The tools are: pdf_retrieval, read_passages, document_overview.',
    )
    expect(() => quaero.tools.remove('echo')).toThrow(UnknownTool)
  })

  it('may be gone when a run resumes, which is told so and goes on', { tags: ['H14', 'E10'] }, async () => {
    const dataDir = await libraryFolder()
    const settings = { tools: { trust: 'careful' as const } }
    const first = await openWorkflow(
      { orchestrator: [route()], research: [calls(['echo', { text: 'a' }])] },
      { dataDir, settings, tools: [echo({ sensitive: true })] },
    )
    const { runId, status } = await first.quaero.ask(question)
    expect(status).toBe('requires_action')
    await first.quaero.close()
    const second = await openWorkflow({ research: ['Done.'] }, { dataDir, settings })
    const resumed = await second.quaero.resume(runId, { 'echo-1': { approved: true } })
    expect(resumed.status).toBe('completed')
    expect(second.model.heard[0]?.at(-1)?.text).toContain('There is no tool "echo"')
    const statuses = []
    for await (const each of second.quaero.runs.events(runId))
      if (each.type === 'tool.completed') statuses.push(each.payload.status)
    expect(statuses).toEqual(['not_found', 'success'])
  })

  it('decide whether there is anything to search: a tool that was added may find what no document holds', {
    tags: ['H14'],
  }, async () => {
    const { quaero } = await openWorkflow(
      { orchestrator: [route()], research: [calls(['echo', { text: 'a' }]), 'Done.'] },
      { dataDir: ':memory:', settings: { specialists: { one: { description: 'Searches the same documents.' } } } },
    )
    await expect(quaero.ask(question)).rejects.toThrow(NoDocuments)
    quaero.tools.add(echo())
    expect((await quaero.ask(question)).status).toBe('completed')
    quaero.tools.remove('echo')
    await expect(quaero.ask(question)).rejects.toThrow(NoDocuments)
  })

  it('are asked about by the trust level also when they came later', { tags: ['H12', 'H14'] }, async () => {
    const { quaero } = await openWorkflow(
      { orchestrator: [route()], research: [calls(['echo', { text: 'a' }])] },
      { settings: { tools: { trust: 'careful' } } },
    )
    quaero.tools.add(echo({ sensitive: true }))
    expect((await quaero.ask(question)).approvals).toMatchObject([{ tool: 'echo' }])
  })
})

describe('a tool that is run by hand', () => {
  it('needs no model, leaves nothing in the log, and hands back what it found', { tags: ['H14'] }, async () => {
    const { quaero, model } = await openWorkflow({})
    const before = (await quaero.report()).rows
    const { content, observations } = await quaero.tools.run('pdf_retrieval', { query: 'Marble corpus pages' })
    expect(content).toContain('81.1 million pages')
    expect(observations?.map(({ text }) => text).join()).toContain('holds 81.1 million pages')
    expect(model.heard).toEqual([])
    expect((await quaero.report()).rows).toEqual(before)
  })

  it('sees the documents it was given, and its thread', { tags: ['H14'] }, async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'one.md'), '# One\n\nThe first lighthouse is red.\n')
    await writeFile(join(folder, 'two.md'), '# Two\n\nThe second lighthouse is white.\n')
    let seen: Pick<ToolContext, 'threadId' | 'documents' | 'agent'> | undefined
    const look = echo({
      run: async (_, { threadId, documents, agent }) => {
        seen = { threadId, documents, agent }
        return 'ok'
      },
    })
    const quaero = await opened({ tools: [look] })
    await quaero.library.add([folder])
    const [one] = (await quaero.library.list()).filter(({ source }) => source.endsWith('one.md'))
    const options = { threadId: 't1', documents: [join(folder, 'one.md')] }
    await quaero.tools.run('echo', { text: '' }, options)
    expect(seen).toEqual({ threadId: 't1', documents: [one?.documentId], agent: 'by hand' })
    const { content } = await quaero.tools.run('pdf_retrieval', { query: 'lighthouse' }, options)
    expect(content).toContain('red')
    expect(content).not.toContain('white')
  })

  it('passes through the hooks around tools', { tags: ['H14'] }, async () => {
    const told: string[] = []
    const hooks: Plugin = {
      name: 'watch',
      beforeTool: ({ args }) => ({ args: { text: `${String(args.text)}!` } }),
      afterTool: ({ name, status, content }) => {
        told.push(`${name} ${status} ${content}`)
        return { content: content.toUpperCase() }
      },
      onError: ({ during, code }) => void told.push(`${during} ${code}`),
    }
    const broken = echo({ name: 'broken', run: () => Promise.reject(new Error('/etc/secret')) })
    const quaero = await opened({ tools: [echo(), broken], hooks })
    expect(await quaero.tools.run('echo', { text: 'a' })).toEqual({ content: 'ECHO A!' })
    await expect(quaero.tools.run('broken', { text: 'a' })).rejects.toThrow(ToolFailed)
    const failure = 'broken error Error (tool_failed): broken could not do its work.'
    expect(told).toEqual(['echo success echo a!', 'tool unexpected', failure])
  })

  it('may be answered or refused by a hook', { tags: ['H14'] }, async () => {
    const answered = await opened({ tools: [echo()], hooks: { name: 'a', beforeTool: () => ({ answer: 'known' }) } })
    expect(await answered.tools.run('echo', { text: 'a' })).toEqual({ content: 'known' })
    const refused = await opened({ tools: [echo()], hooks: { name: 'b', beforeTool: () => ({ refuse: 'not now' }) } })
    const run = refused.tools.run('echo', { text: 'a' })
    await expect(run).rejects.toThrow(ApprovalDenied)
    await expect(run).rejects.toThrow('not now')
  })

  it('fails with an error that says what to do, and keeps the text of an unknown one to itself', {
    tags: ['H14', 'H8'],
  }, async () => {
    const broken = echo({ name: 'broken', run: () => Promise.reject(new Error('/etc/secret')) })
    const slow = echo({ name: 'slow', timeoutMs: 10, run: () => new Promise(() => {}) })
    const quaero = await opened({ tools: [broken, slow] })
    await expect(quaero.tools.run('fly', {})).rejects.toThrow(UnknownTool)
    await expect(quaero.tools.run('fly', {})).rejects.toThrow(/The tools are: pdf_retrieval, .*broken, slow\./)
    await expect(quaero.tools.run('pdf_retrieval', { words: 'a' })).rejects.toThrow(InvalidToolInput)
    await expect(quaero.tools.run('pdf_retrieval', 'a')).rejects.toThrow(InvalidToolInput)
    await expect(quaero.tools.run('slow', { text: '' })).rejects.toThrow(ToolTimeout)
    const failed = quaero.tools.run('broken', { text: '' })
    await expect(failed).rejects.toThrow('"broken" could not do its work.')
    await expect(quaero.tools.run('broken', { text: '' }, { threadId: 'no spaces' })).rejects.toThrow(InvalidId)
    await expect(quaero.tools.run('broken', { text: '' }, { limits: {} } as never)).rejects.toThrow(UsageError)
  })

  it('says that it needs an approval, which can be given at once, or refused', { tags: ['H14', 'H12'] }, async () => {
    const run = (trust: 'open' | 'careful' | 'strict', sensitive: boolean, approve?: 'all' | 'none' | 'ask') =>
      opened({ tools: [echo({ sensitive })], settings: { tools: { trust } } })
        .then((quaero) => quaero.tools.run('echo', { text: 'a' }, approve ? { approve } : {}))
        .then(
          ({ content }) => content,
          (error: { code: string }) => error.code,
        )
    expect(await run('open', true)).toBe('echo a')
    expect(await run('careful', false, 'none')).toBe('echo a')
    expect(await run('careful', true)).toBe(new ApprovalRequired('').code)
    expect(await run('strict', false, 'ask')).toBe('approval_required')
    expect(await run('strict', true, 'all')).toBe('echo a')
    expect(await run('careful', true, 'none')).toBe('approval_denied')
  })

  it('asks no specialist, since there is no run to ask for', { tags: ['H14'] }, async () => {
    const quaero = await opened({ settings: { specialists: { one: { description: 'Counts.' } } } })
    await expect(quaero.tools.run('delegate', { specialist: 'one', task: 'Count.' })).rejects.toMatchObject({
      code: 'delegation_refused',
    })
    await expect(quaero.tools.run('delegate', { specialist: 'two', task: 'Count.' })).rejects.toThrow(InvalidToolInput)
  })

  it.each([
    ['a limit of time', {}],
    ['no limit of time', { timeoutMs: null }],
  ])(
    'with %s ends when it is told to, and when the engine closes, which then takes no more',
    {
      tags: ['H14', 'E16'],
    },
    async (_, time) => {
      const begun = [gate(), gate()] as const
      let calls = 0
      const hanging = echo({
        ...time,
        run: () => {
          begun[calls++]?.open()
          return new Promise(() => {})
        },
      })
      const quaero = await opened({ tools: [hanging] })
      const run = (signal?: AbortSignal) => quaero.tools.run('echo', { text: '' }, signal ? { signal } : {})
      await expect(run(AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
      const leave = new AbortController()
      const left = expect(run(leave.signal)).rejects.toThrow('left')
      await begun[0].opened
      leave.abort(new Error('left'))
      await left
      const ended = expect(run()).rejects.toThrow(NotReady)
      await begun[1].opened
      await quaero.close()
      await ended
      await expect(run()).rejects.toThrow(NotReady)
    },
  )
})
