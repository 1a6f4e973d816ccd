import { existsSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AIMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Quaero } from '../../src/api.ts'
import { loadConfig } from '../../src/config.ts'
import { InvalidId, NoDocuments, NotReady, PathNotFound, ThreadNotFound, UsageError } from '../../src/errors.ts'
import { EndpointUnavailable } from '../../src/models/port/errors.ts'
import { loadPrompt } from '../../src/prompts.ts'
import { createQuaero } from '../../src/quaero.ts'
import { runResult } from '../../src/runs/log/result.ts'
import { defineTool } from '../../src/tools/tool.ts'
import { startEndpoint } from '../fixtures/openai-endpoint.ts'
import {
  calls,
  cited,
  folderOf,
  libraryFolder,
  openQuaero,
  openWorkflow,
  papers,
  route,
  search,
  temporaryFolder,
} from '../fixtures/workflow.ts'
import { StubAgent } from '../unit/graph/stub-agent.ts'

const question = 'How many pages does the Marble corpus hold?'
const answer = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const research = [search('Marble corpus pages'), 'Done.']

/** The state of a thread, of which only the plain fields matter here. */
async function stateOf(quaero: Quaero, threadId: string) {
  return (await quaero.threads.state(threadId)) as Readonly<Record<string, unknown>> & {
    readonly context: {
      readonly observations: readonly Readonly<Record<string, unknown>>[]
      readonly toolHistory: unknown
    }
  }
}

describe('a question', () => {
  it('goes through orchestrator, research and synthesis, and leaves 3 steps', { tags: ['R4', 'R5'] }, async () => {
    const { quaero } = await openWorkflow({ orchestrator: [route()], research, synthesis: [answer] })
    const agents: (string | undefined)[] = []
    for await (const { type, ...event } of quaero.stream(question, { threadId: 't1' })) {
      if (type === 'agent.started') agents.push('agent' in event ? event.agent : undefined)
    }
    expect(agents).toEqual(['orchestrator', 'research', 'synthesis'])
    expect(await stateOf(quaero, 't1')).toMatchObject({ iteration: 3, lastAgent: 'synthesis', nextAgent: 'END' })
  })

  it('is answered with citations that stand on the stored pages, word for word', { tags: ['Q1'] }, async () => {
    const { quaero } = await openWorkflow({
      orchestrator: [route()],
      research: [search('pages', 'Halden'), 'Done.'],
      synthesis: [
        `${answer} ${cited('The filter kept 48 %.', 'P2', 'It kept 48 % of the input.')} ${cited('It is blue.', 'P1', 'blue as the sky')}`,
      ],
    })
    const result = runResult.parse(await quaero.ask(question))
    expect(result.answer).toMatch(/^It holds 81\.1 million pages\. \[1\] The filter kept 48 %\. \[2\]/)
    expect(result.unsupported).toMatchObject([{ text: 'It is blue.' }])
    expect(result.citations).toHaveLength(2)
    for (const { documentId, page, quote, start, end } of result.citations) {
      expect((await quaero.library.text(documentId, page)).text.slice(start, end)).toBe(quote)
    }
  })

  it('is not answered with numbers that its reader does not find', { tags: ['Q2'] }, async () => {
    const wrong = cited('It holds 82 million pages.', 'P1', 'holds 81.1 million pages')
    const { quaero } = await openWorkflow(
      {
        orchestrator: [route()],
        research,
        synthesis: [wrong],
        secondReading: ['1 contradicted P1: it holds 81.1 million'],
      },
      { settings: { answer: { secondReading: 'doubtful', repair: false } } },
    )
    const result = await quaero.ask(question)
    expect(result).toMatchObject({
      abstained: true,
      citations: [],
      unsupported: [
        { text: 'It holds 82 million pages.', reason: 'the passages say something else: it holds 81.1 million' },
      ],
    })
  })

  it('is not answered with passages that were not found in this run, even if an earlier run found them', {
    tags: ['Q3'],
  }, async () => {
    const { quaero } = await openWorkflow({
      orchestrator: [route(), route()],
      research: [...research, search('zebra'), 'Nothing.'],
      synthesis: [answer, answer],
    })
    expect((await quaero.ask(question, { threadId: 't1' })).citations).toHaveLength(1)
    expect(await quaero.ask('And zebras?', { threadId: 't1' })).toMatchObject({ abstained: true, citations: [] })
  })

  it('leaves evidence with passage, document, page, text, score and origin', { tags: ['R18'] }, async () => {
    const { quaero } = await openWorkflow({ orchestrator: [route()], research, synthesis: [answer] })
    await quaero.ask(question, { threadId: 't1' })
    const { context } = await stateOf(quaero, 't1')
    expect(context.toolHistory).toEqual(['pdf_retrieval'])
    expect(context.observations.length).toBeGreaterThan(0)
    for (const each of context.observations) {
      expect(each).toMatchObject({
        passageId: expect.stringMatching(/^[\da-f]{16}\.\d+$/),
        documentId: expect.stringMatching(/^[\da-f]{16}$/),
        page: 1,
        text: expect.any(String),
        score: expect.any(Number),
        origin: 'documents',
      })
      const { text } = await quaero.library.text(String(each.documentId), 1)
      expect(text.slice(Number(each.start), Number(each.end))).toBe(each.text)
    }
  })

  it('is never offered a web search that is not configured', { tags: ['R17'] }, async () => {
    const { quaero, model } = await openWorkflow({
      orchestrator: [route()],
      research: [calls(['web_search', { query: 'Marble' }]), 'Done.'],
      synthesis: [answer],
    })
    await quaero.ask(question)
    expect(model.heard[1]?.at(0)?.text).toContain('Tools: pdf_retrieval, read_passages')
    expect(model.heard[2]?.at(-1)?.text).toBe(
      'Error (unknown_tool): There is no tool "web_search". The tools are: pdf_retrieval, read_passages, document_overview.',
    )
  })

  it('is searched for in the documents first, and on the web only if they hold nothing', {
    tags: ['R17'],
  }, async () => {
    const asked: string[] = []
    const web = defineTool({
      name: 'web_search',
      description: 'Searches the web.',
      input: z.object({ query: z.string() }),
      run: async ({ query }) => {
        asked.push(query)
        return 'Nothing was found.'
      },
    })
    const quaero = await openQuaero({ tools: [web] })
    await quaero.ask(question, { threadId: 't1' })
    expect((await stateOf(quaero, 't1')).context.toolHistory).toEqual(['pdf_retrieval', 'read_passages'])
    const unknown = 'Who painted Guernica?'
    const result = await quaero.ask(unknown, { threadId: 't2' })
    expect((await stateOf(quaero, 't2')).context.toolHistory).toEqual(['pdf_retrieval', 'web_search'])
    expect(asked).toEqual([unknown])
    expect(result).toMatchObject({ abstained: true, answer: expect.stringContaining('2 documents and the web') })
  })

  it('puts nothing of the tools, nor of the draft, into the thread', { tags: ['R19'] }, async () => {
    const thinking = new AIMessage({
      content: 'Secret thoughts.',
      tool_calls: [{ id: 'c', name: 'pdf_retrieval', args: { query: 'Marble' } }],
    })
    const { quaero } = await openWorkflow({
      orchestrator: [route()],
      research: [thinking, 'A draft.'],
      synthesis: [answer],
    })
    await quaero.ask(question, { threadId: 't1' })
    expect((await quaero.threads.messages('t1')).map(({ role, content }) => [role, content])).toEqual([
      ['user', question],
      ['assistant', 'It holds 81.1 million pages. [1]'],
    ])
  })

  it('searches no other documents than those it is limited to, and says how many', {
    tags: ['R20', 'R23'],
  }, async () => {
    const quaero = await openQuaero()
    const [marble] = await quaero.library.list()
    const folder = await folderOf({ 'tulips.md': '# Tulips\n\n## Colours\n\nThe tulips of Lund are red.\n' })
    const limited = await quaero.ask('How many pages does the Marble corpus hold?', {
      documents: [folder],
      threadId: 't1',
    })
    expect(limited).toMatchObject({ abstained: true, citations: [] })
    expect(limited.answer).toContain('in 1 document.')
    const followUp = await quaero.ask('What did the Halden filter remove?', { threadId: 't1' })
    expect(followUp).toMatchObject({ abstained: true, citations: [] })
    expect((await quaero.ask('How many pages does the Marble corpus hold?')).citations).toMatchObject([
      { documentId: marble?.title === 'The Marble corpus' ? marble.documentId : expect.any(String) },
    ])
  })

  it('is answered with quotes when every model call fails', { tags: ['R12', 'R22', 'R28'] }, async () => {
    const down = () => new EndpointUnavailable('The endpoint is down.')
    const { quaero } = await openWorkflow(
      { orchestrator: [down], research: [down], synthesis: [down] },
      { settings: { endpoint: { retries: 0 } } },
    )
    const result = await quaero.ask(question)
    expect(result).toMatchObject({
      status: 'completed',
      abstained: false,
      standaloneQuestion: question,
      error: { code: 'endpoint_unavailable', message: 'The endpoint is down.' },
    })
    expect(result.answer).toMatch(/81\.1 million pages.*\[1\]/)
    expect(result.answer).toContain('The endpoint is down.')
    expect(result.answer).toContain('as quotes')
    expect(result.citations[0]?.quote).toContain('81.1 million pages')
  })

  it('gets no invented answer, but what was searched and what comes near', { tags: ['R26'] }, async () => {
    const { quaero } = await openWorkflow({ orchestrator: [route()], research, synthesis: ['<abstain/>'] })
    const result = await quaero.ask('Who paid for the Marble corpus?')
    expect(result).toMatchObject({ status: 'completed', abstained: true, citations: [], confidence: 0 })
    expect(result.answer).toMatch(
      /^I found no answer to this in 2 documents\. The nearest passages:\n- The Marble corpus/,
    )
  })

  it('has a confidence from its evidence, with a note below one half', { tags: ['R27'] }, async () => {
    const { quaero } = await openWorkflow(
      {
        orchestrator: [route(), route()],
        research: [...research, ...research],
        synthesis: [
          answer,
          `${answer} ${cited('Nobody wrote it.', 'P1', 'by nobody')} ${cited('Nor did I.', 'P1', 'nor by me')}`,
        ],
      },
      { settings: { answer: { noteBelow: 0.5 } } },
    )
    const sure = await quaero.ask(question)
    expect(sure.confidence).toBeGreaterThan(0.5)
    expect(sure.answer).not.toContain('verify')
    const unsure = await quaero.ask('Which colour did the painters of Venice prefer?')
    expect(unsure.confidence).toBeLessThan(0.5)
    expect(unsure.answer).toContain('please verify this')
  })

  it('is refused before anything is stored when it is empty, endless, or there is nothing to search', async () => {
    const { quaero } = await openWorkflow({})
    await expect(quaero.ask('  \n')).rejects.toThrow(UsageError)
    await expect(quaero.ask('a'.repeat(20_001))).rejects.toThrow(/20,001 characters/)
    await expect(quaero.ask(question, { documents: ['/nowhere'] })).rejects.toThrow(PathNotFound)
    await expect(quaero.ask(question, { threadId: '../etc' })).rejects.toThrow(InvalidId)
    expect(await quaero.runs.list()).toEqual([])
    const empty = await openQuaero({ dataDir: ':memory:' })
    await expect(empty.ask(question)).rejects.toThrow(NoDocuments)
    await quaero.close()
    await expect(quaero.ask(question)).rejects.toThrow(NotReady)
  })
})

describe('a thread', () => {
  it('continues after a restart, on the same file', { tags: ['R6'] }, async () => {
    const dataDir = await libraryFolder()
    const script = { orchestrator: [route()], research, synthesis: [answer] }
    const first = await openWorkflow(script, { dataDir })
    await first.quaero.ask(question, { threadId: 't1' })
    await first.quaero.close()
    const second = await openWorkflow(script, { dataDir })
    expect(await second.quaero.ask('Is that so?', { threadId: 't1' })).toMatchObject({ turn: 2, threadId: 't1' })
    expect(second.model.heard[0]?.at(-1)?.text).toContain(
      `User: ${question}\nAssistant: It holds 81.1 million pages. [1]`,
    )
    expect(await second.quaero.threads.messages('t1')).toHaveLength(4)
  })

  it('is made anew, with an id that is handed back, where none is named', { tags: ['R6'] }, async () => {
    const quaero = await openQuaero()
    const [one, other] = [await quaero.ask(question), await quaero.ask(question)]
    expect(one.threadId).not.toBe(other.threadId)
    expect([one.turn, other.turn]).toEqual([1, 1])
    expect(await quaero.ask('And the Halden filter?', { sessionId: one.threadId })).toMatchObject({ turn: 2 })
    await expect(quaero.ask(question, { threadId: 'a', sessionId: 'b' })).rejects.toThrow(InvalidId)
  })

  it('is listed with real times, read, and deleted; an unknown one is a typed error', { tags: ['R7'] }, async () => {
    const quaero = await openQuaero()
    const before = new Date().toISOString()
    await quaero.ask(question, { threadId: 't1' })
    await quaero.ask('What did the Halden filter remove?', { threadId: 't2' })
    const after = new Date().toISOString()
    const threads = await quaero.threads.list()
    expect(threads.map(({ threadId }) => threadId)).toEqual(['t2', 't1'])
    const [, first] = threads
    expect(first).toMatchObject({ title: question, turns: 1 })
    for (const time of [first?.createdAt ?? '', first?.updatedAt ?? '']) {
      expect(before <= time && time <= after).toBe(true)
    }
    expect((await quaero.threads.messages('t1'))[1]).toMatchObject({ role: 'assistant', citations: [{ marker: 1 }] })
    expect(await quaero.threads.exists('t1')).toBe(true)
    await quaero.threads.delete('t1')
    expect(await quaero.threads.exists('t1')).toBe(false)
    for (const reading of [
      quaero.threads.messages,
      quaero.threads.state,
      quaero.threads.delete,
      quaero.threads.reset,
    ]) {
      await expect(reading('t1')).rejects.toThrow(ThreadNotFound)
    }
    expect((await quaero.runs.list()).map(({ threadId }) => threadId)).toEqual(['t2'])
  })

  it('starts without history after a reset, and keeps its log', { tags: ['H15'] }, async () => {
    const script = {
      orchestrator: [route(), route()],
      research: [...research, ...research],
      synthesis: [answer, answer],
    }
    const { quaero, model } = await openWorkflow(script)
    await quaero.ask(question, { threadId: 't1' })
    await quaero.threads.reset('t1')
    expect(await quaero.ask(question, { threadId: 't1' })).toMatchObject({ turn: 2 })
    expect(model.heard[4]?.at(-1)?.text).toContain('No previous conversation.')
    expect(await quaero.threads.messages('t1')).toHaveLength(4)
  })

  it('never sees the state of another, also when both are asked at once', { tags: ['R3'] }, async () => {
    const quaero = await openQuaero()
    const ask = (threadId: string, text: string) => quaero.ask(text, { threadId })
    const [marble, halden] = ['How many pages does the Marble corpus hold?', 'What did the Halden filter remove?']
    await Promise.all([ask('a', marble), ask('b', halden)])
    const next = await Promise.all([ask('a', 'When was it released?'), ask('b', 'How many did it remove?')])
    expect(next[0].standaloneQuestion).not.toMatch(/Halden/)
    expect(next[1].standaloneQuestion).not.toMatch(/Marble/)
    const [a, b] = await Promise.all(['a', 'b'].map((id) => quaero.threads.messages(id)))
    expect([a?.length, b?.length]).toEqual([4, 4])
  })

  it('begins each turn with nothing of the last but its messages', { tags: ['R33'] }, async () => {
    const { quaero } = await openWorkflow({
      orchestrator: [route({ standaloneQuestion: 'First?' }), route()],
      research: [...research, search('zebra'), 'Nothing.'],
      synthesis: [`${answer} ${cited('It is blue.', 'P1', 'blue as the sky')}`],
    })
    await quaero.ask(question, { threadId: 't1' })
    await quaero.ask('And zebras?', { threadId: 't1' })
    expect(await stateOf(quaero, 't1')).toMatchObject({
      iteration: 3,
      standaloneQuestion: 'And zebras?',
      citations: [],
      unsupported: [],
      missingContext: [],
      confidenceScore: 0,
      context: { observations: [], finalOutput: 'Nothing.' },
    })
  })

  it('is answered on the question of the turn, not on the first', { tags: ['R24'] }, async () => {
    const { quaero, model } = await openWorkflow({
      orchestrator: [route(), route({ standaloneQuestion: 'What did the Halden filter keep?' })],
      research: [...research, search('Halden filter kept'), 'Done.'],
      synthesis: [answer, cited('It kept 48 %.', 'P1', 'kept 48 % of the input')],
    })
    await quaero.ask(question, { threadId: 't1' })
    const second = await quaero.ask('And what was kept?', { threadId: 't1' })
    expect(second).toMatchObject({ standaloneQuestion: 'What did the Halden filter keep?', turn: 2 })
    expect(second.answer).toMatch(/^It kept 48 %\. \[1\]/)
    const asked = "What did the Halden filter keep?\n(In the person's own words: And what was kept?)"
    expect(model.heard.at(-1)?.at(-1)?.text.endsWith(`Question:\n${asked}`)).toBe(true)
  })

  it('shows no agent more than its maxHistory last messages, with roles', { tags: ['R15'] }, async () => {
    const turns = 4
    const again = <T>(...lines: readonly T[]) => Array.from({ length: turns }, () => lines).flat()
    const agents = { maxHistory: 2 }
    const { quaero, model } = await openWorkflow(
      { orchestrator: again(route()), research: again(...research), synthesis: again(answer) },
      { settings: { agents: { orchestrator: agents, research: agents, synthesis: agents } } },
    )
    for (let turn = 1; turn <= turns; turn += 1) await quaero.ask(`Question ${turn}`, { threadId: 't1' })
    const [orchestrator, first, , synthesis] = model.heard.slice(-4).map((messages) => messages[1]?.text ?? '')
    for (const prompt of [orchestrator, first, synthesis]) {
      expect(prompt).toMatch(/User: Question 3\nAssistant: It holds 81\.1 million pages\. \[1\]/)
      expect(prompt).not.toContain('Question 2')
    }
    expect(model.heard[0]?.[1]?.text).toContain('No previous conversation.')
  })
})

describe('a vague question', () => {
  const vague = route({
    route: 'clarification',
    standaloneQuestion: 'Compare them',
    missingContext: ['which two'],
    candidates: ['The Marble corpus', 'The Halden filter'],
  })

  it('is asked back about once, and the run ends with that question', { tags: ['R16', 'R4'] }, async () => {
    const { quaero } = await openWorkflow({ orchestrator: [vague], clarification: ['Which two do you mean?'] })
    const result = await quaero.ask('Compare them', { threadId: 't1' })
    expect(result).toMatchObject({
      status: 'clarification_needed',
      clarification: 'Which two do you mean?',
      answer: 'Which two do you mean?',
      confidence: null,
      usage: { modelCalls: 2, toolCalls: 0 },
    })
    expect(await stateOf(quaero, 't1')).toMatchObject({
      finalAnswer: 'Which two do you mean?',
      clarificationNeeded: true,
      clarificationCount: 1,
      nextAgent: 'END',
    })
    expect((await quaero.threads.messages('t1')).map(({ content }) => content)).toEqual([
      'Compare them',
      'Which two do you mean?',
    ])
  })

  it('is researched once the reply says what is meant, without asking the orchestrator again', {
    tags: ['R8', 'R10'],
  }, async () => {
    const { quaero, model } = await openWorkflow({
      orchestrator: [vague],
      clarification: ['Which?'],
      research,
      synthesis: [answer],
    })
    await quaero.ask('Compare them', { threadId: 't1' })
    const result = await quaero.ask('the first one', { threadId: 't1' })
    expect(result).toMatchObject({
      status: 'completed',
      standaloneQuestion: 'Compare them (The Marble corpus)?',
      turn: 2,
    })
    expect(model.heard).toHaveLength(5)
    expect(await stateOf(quaero, 't1')).toMatchObject({ clarificationCount: 0, clarificationNeeded: false })
  })

  it('is asked back about at most twice; then the answer says what was assumed', { tags: ['R9', 'F43'] }, async () => {
    const { quaero } = await openWorkflow({
      orchestrator: [vague],
      clarification: ['Which two?', 'Please, which two?'],
      research,
      synthesis: [answer],
    })
    const ask = (text: string) => quaero.ask(text, { threadId: 't1' })
    expect((await ask('Compare them')).clarification).toBe('Which two?')
    expect((await ask("I don't know")).clarification).toBe('Please, which two?')
    const result = await ask("I don't know")
    expect(result).toMatchObject({ status: 'completed', standaloneQuestion: 'Compare them', turn: 3 })
    expect(result.answer).toMatch(/Assumed: It was left open which two, so everything at hand was considered\./)
  })

  it.each(['Tell me more about it', 'Compare them', 'Use the approach from the paper', 'The best approach'])(
    'is recognised with no language model: "%s"',
    { tags: ['R13'] },
    async (text) => {
      const quaero = await openQuaero()
      const result = await quaero.ask(text, { threadId: 't1' })
      expect(result.status).toBe('clarification_needed')
      expect(result.clarification).toMatch(/\?$/)
    },
  )

  it('is not asked back about when the conversation says what is meant', { tags: ['R13'] }, async () => {
    const quaero = await openQuaero()
    await quaero.ask(question, { threadId: 't1' })
    const result = await quaero.ask('Tell me more about it', { threadId: 't1' })
    expect(result.status).toBe('completed')
    expect(result.standaloneQuestion).toContain('Marble')
  })

  it('is rewritten as a standalone question, which the result shows', { tags: ['R14'] }, async () => {
    const quaero = await openQuaero()
    await quaero.ask('How many pages does the Marble corpus hold?', { threadId: 't1' })
    const result = await quaero.ask('When was it released?', { threadId: 't1' })
    expect(result).toMatchObject({
      question: 'When was it released?',
      standaloneQuestion: expect.stringContaining('Marble'),
    })
    expect(result.answer).toContain('2021')
    expect(result.citations.map(({ quote }) => quote).join()).toContain('2021')
  })
})

describe('Quaero', () => {
  it('answers with no key, and says that the answer is extractive', { tags: ['Q4'] }, async () => {
    const quaero = await openQuaero()
    const result = await quaero.ask(question)
    expect(result).toMatchObject({ status: 'completed', model: 'extractive', usage: { costUsd: 0 } })
    expect(result.answer).toMatch(/81\.1 million pages.*\[1\]/)
    expect(result.answer).toMatch(/extractive/i)
    expect(result.citations[0]).toMatchObject({ title: 'The Marble corpus', page: 1, verified: true })
    expect(await quaero.ask(question)).toMatchObject({ answer: result.answer, confidence: result.confidence })
  })

  it('puts what answers first, and cites every sentence', { tags: ['R25'] }, async () => {
    const quaero = await openQuaero()
    const { answer: text } = await quaero.ask(question)
    const [body = ''] = text.split('\n\n')
    expect(body).toMatch(/^[^.]*81\.1 million/)
    for (const sentence of body.match(/[^\]]+/g)?.map((each) => `${each}]`) ?? []) expect(sentence).toMatch(/\[\d+\]$/)
    const { user } = loadPrompt('synthesis')
    expect(user).toMatch(/first sentence answers directly/)
    expect(user).toMatch(/passages disagree, say so/)
  })

  it('works in memory, and leaves no file', { tags: ['R36'] }, async () => {
    const names = () => readdirSync('.').filter((name) => /memory|quaero/i.test(name))
    const before = names()
    const quaero = await createQuaero({
      dataDir: ':memory:',
      documents: [await folderOf(papers)],
      config: loadConfig({ env: {} }),
    })
    const { threadId } = await quaero.ask(question)
    expect(await quaero.threads.messages(threadId)).toHaveLength(2)
    expect(await quaero.report()).toMatchObject({ path: ':memory:', rows: { runs: 1 } })
    await quaero.close()
    expect(names()).toEqual(before)
    expect(existsSync(':memory:')).toBe(false)
  })

  it('uses each agent’s model, temperature and prompt, and asks for a strict decision', {
    tags: ['R32', 'R11'],
  }, async () => {
    const endpoint = await startEndpoint((body) => ({
      content: body.messages[0]?.content === 'Be brief.' ? 'Done.' : body.response_format ? route() : answer,
    }))
    try {
      const promptsDir = await temporaryFolder()
      const own = '---\nid: own\nversion: 1\ninputs: [question]\n---\n\n# System\nBe brief.\n\n# User\n{{question}}\n'
      await writeFile(join(promptsDir, 'brief.md'), own)
      const quaero = await openQuaero({
        settings: {
          endpoint: { baseUrl: endpoint.url },
          promptsDir,
          agents: {
            orchestrator: { model: 'openai:small', temperature: 0.1 },
            research: { model: 'openai:middle', temperature: null, prompt: 'brief' },
            synthesis: { model: 'openai:large', temperature: 0.7 },
          },
        },
      })
      const result = await quaero.ask(question)
      expect(result).toMatchObject({ status: 'completed', model: 'openai:large', citations: [{ marker: 1 }] })
      expect(endpoint.requests.map(({ model, temperature }) => [model, temperature])).toEqual([
        ['small', 0.1],
        ['middle', undefined],
        ['large', 0.7],
      ])
      expect(endpoint.requests[1]?.messages).toMatchObject([{ content: 'Be brief.' }, { content: question }])
      expect(endpoint.requests[0]?.response_format).toEqual({
        type: 'json_schema',
        json_schema: {
          name: 'routing',
          strict: true,
          schema: {
            type: 'object',
            properties: {
              route: { type: 'string', enum: ['research', 'clarification'] },
              standaloneQuestion: { type: 'string' },
              missingContext: { type: 'array', items: { type: 'string' } },
              candidates: { type: 'array', items: { type: 'string' } },
            },
            required: ['route', 'standaloneQuestion', 'missingContext', 'candidates'],
            additionalProperties: false,
          },
        },
      })
      await quaero.close()
    } finally {
      await endpoint.close()
    }
  })

  it('refuses a setting that does not exist, by name', { tags: ['R32'] }, async () => {
    const settings = { agents: { research: { temprature: 1 } } }
    const opening = createQuaero({ dataDir: ':memory:', settings: settings as never })
    await expect(opening).rejects.toThrow(/"temprature"/)
  })

  it.each(['orchestrator', 'clarification', 'research', 'synthesis'] as const)(
    'lets a person’s own agent take the place of %s',
    { tags: ['R35'] },
    async (name) => {
      const routes = { orchestrator: 'research', clarification: 'END', research: 'synthesis', synthesis: 'END' }
      const asked: string[] = []
      const own = new StubAgent(name, (_, { agent }) => {
        asked.push(agent ?? '')
        return { nextAgent: routes[name], ...(routes[name] === 'END' && { finalAnswer: 'Mine.' }) }
      })
      const decision = route(name === 'clarification' ? { route: 'clarification' } : {})
      const { quaero } = await openWorkflow(
        { orchestrator: [decision], research, synthesis: [answer] },
        { agents: { [name]: own } },
      )
      const result = await quaero.ask(question)
      expect(asked).toEqual([name])
      expect(result.status).toBe(name === 'clarification' ? 'clarification_needed' : 'completed')
      if (routes[name] === 'END') expect(result.answer).toBe('Mine.')
    },
  )
})
