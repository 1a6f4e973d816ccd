import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunResult } from '../../src/index.ts'
import { type CommandOptions, quaero } from '../fixtures/command-line.ts'
import { type ChatRequest, type EndpointReply, startEndpoint, type WireMessage } from '../fixtures/openai-endpoint.ts'
import { assertValidHistory } from '../fixtures/valid-history.ts'
import { folderOf, temporaryFolder } from '../fixtures/workflow.ts'

const samplePapers = join(import.meta.dirname, '..', '..', 'examples', 'papers')

const vague = ['many pages', 'which corpus or filter']
const script: readonly EndpointReply[] = [
  route('clarification', 'How many pages are there?', vague),
  { content: 'Do you mean the Marble corpus or the Halden filter?' },

  search('Marble corpus pages'),
  search('Marble corpus size released'),
  { content: 'The first passage gives its size.' },
  { content: 'It holds 81.1 million pages.<cite id="P1">The Marble corpus holds 81.1 million pages.</cite>' },

  route('research', 'Who released the Marble corpus?'),
  search('Marble corpus released by'),
  { content: 'The same passage says who.' },
  { content: 'The Lund group released it.<cite id="P1">It was released in 2021 by the Lund group.</cite>' },
]

describe('a conversation over an OpenAI-compatible endpoint, each question asked by a process of its own', () => {
  it('is asked back, answered, followed up and kept, with exactly the calls that it needs', {
    tags: ['R2', 'R6', 'R8'],
  }, async () => {
    const endpoint = await startEndpoint(script)
    onTestFinished(endpoint.close)
    const documents = await folderOf()
    const cwd = await temporaryFolder()
    const env = {
      OPENAI_BASE_URL: endpoint.url,
      OPENAI_API_KEY: 'sk-test',
      QUAERO_MODEL: 'openai:test-model',
      QUAERO_RESEARCH: 'thorough',
      QUAERO_SECOND_READING: 'never',
    }
    const asked = (words: readonly string[]) => askOnThread(words, { cwd, env })

    const back = await asked(['How many pages are there?', '-d', documents])
    expect(back).toMatchObject({ status: 'clarification_needed', turn: 1, citations: [] })
    expect(back.clarification).toBe('Do you mean the Marble corpus or the Halden filter?')
    expect(endpoint.requests).toHaveLength(2)

    const answer = await asked(['The Marble corpus'])
    expect(answer).toMatchObject({ status: 'completed', turn: 2, usage: { modelCalls: 4, toolCalls: 2 } })
    expect(answer.standaloneQuestion).toContain('How many pages are there')
    expect(answer.standaloneQuestion).toContain('Marble corpus')
    expect(answer.answer).toBe('It holds 81.1 million pages. [1]')
    expect(answer.citations).toMatchObject([{ marker: 1, quote: 'The Marble corpus holds 81.1 million pages.' }])
    expect(endpoint.requests).toHaveLength(6)

    const followUp = await asked(['And who released it?'])
    expect(followUp).toMatchObject({ status: 'completed', turn: 3, usage: { modelCalls: 4, toolCalls: 1 } })
    expect(followUp.standaloneQuestion).toBe('Who released the Marble corpus?')
    expect(followUp.answer).toBe('The Lund group released it. [1]')

    expect(endpoint.requests.map(signOf)).toEqual([
      'route',
      'write',
      ...['search', 'search', 'search', 'write'],
      ...['route', 'search', 'search', 'write'],
    ])
    for (const { messages } of endpoint.requests) assertValidHistory(messages)
    expect(endpoint.requests.map(({ messages }) => rolesOf(messages))).toEqual([
      'system user',
      'system user',
      'system user',
      'system user assistant tool',
      'system user assistant tool assistant tool',
      'system user',
      'system user',
      'system user',
      'system user assistant tool',
      'system user',
    ])
    const routed = textOf(endpoint.requests[6])
    for (const said of [back.question, back.clarification ?? '', answer.question, '81.1 million pages', 'And who']) {
      expect(routed).toContain(said)
    }
    expect(await transcript(cwd)).toEqual([
      ['user', 'How many pages are there?'],
      ['assistant', 'Do you mean the Marble corpus or the Halden filter?'],
      ['user', 'The Marble corpus'],
      ['assistant', 'It holds 81.1 million pages. [1]'],
      ['user', 'And who released it?'],
      ['assistant', 'The Lund group released it. [1]'],
    ])
  })
})

describe('a conversation with no key over the sample papers', () => {
  it('is asked back, answered and followed up in the same way', { tags: ['R6'] }, async () => {
    const cwd = await temporaryFolder()
    const asked = (words: readonly string[]) => askOnThread(words, { cwd, env: {} })

    const back = await asked(['How fast is it?', '-d', samplePapers])
    expect(back).toMatchObject({ status: 'clarification_needed', model: 'extractive' })
    expect(back.clarification).toContain('“it”')

    const answer = await asked(['NORMAL compared with FULL'])
    expect(answer).toMatchObject({ status: 'completed', turn: 2, abstained: false })
    expect(answer.answer).toContain('NORMAL was 19.6 times as fast as FULL')

    const followUp = await asked(['How many bytes did it write per event?'])
    expect(followUp).toMatchObject({ status: 'completed', turn: 3, abstained: false })
    expect(followUp.standaloneQuestion).toBe(`${answer.standaloneQuestion} How many bytes did it write per event?`)
    expect(followUp.answer).toContain('4,361 bytes')
    expect(followUp.citations.every(({ source }) => source.endsWith('event-log.pdf'))).toBe(true)

    const author = await asked(['And who wrote it?'])
    expect(author.standaloneQuestion).toBe(`And who wrote it (${followUp.citations[0]?.title})?`)
    expect(await transcript(cwd)).toHaveLength(8)
  })
})

describe('a note on an answer', () => {
  it('is shown with it, exported, imported and copied with it, and removed', { tags: ['Q21'] }, async () => {
    const [cwd, elsewhere] = [await temporaryFolder(), await temporaryFolder()]
    const run = async (words: readonly string[], options: CommandOptions = { cwd }) => {
      const { code, out, err } = await quaero(words, options)
      expect([words, code, err]).toEqual([words, 0, expect.any(String)])
      return out
    }
    const { runId } = await askOnThread(['How many pages does the corpus hold?', '-d', await folderOf()], {
      cwd,
      env: {},
    })
    const text = 'Seen in print,\n[1] not \u001b]0;owned\u0007on the web'
    expect(await run(['runs', 'note', runId, text, '--user', 'ada'])).toBe('')
    const shown = /Note by ada, \d{4}-\d\d-\d\d:\n {2}Seen in print,\n {2}\[1\] not on the web\n/
    expect(await run(['runs', 'show', runId])).toMatch(shown)
    expect(await run(['threads', 'show', 'talk'])).toMatch(shown)
    expect(await run(['threads', 'export', 'talk'])).toMatch(/\n> Note by ada, .*:\n> Seen in print,\n/)
    expect(await run(['runs', 'replay', runId])).not.toContain('Seen in print')

    await run(['threads', 'fork', 'talk', '--as', 'copy'])
    const stdin = await run(['runs', 'export', runId])
    await run(['runs', 'import', '-'], { cwd: elsewhere, stdin })
    expect(await run(['runs', 'show', runId], { cwd: elsewhere })).toMatch(shown)

    expect(await run(['runs', 'note', runId, ''])).toBe('')
    expect(await run(['threads', 'show', 'talk'])).not.toContain('Seen in print')
    expect(await run(['threads', 'show', 'copy'])).toMatch(shown)
  })
})

function route(to: 'research' | 'clarification', standaloneQuestion: string, missingContext: readonly string[] = []) {
  return { content: JSON.stringify({ route: to, standaloneQuestion, missingContext, candidates: [] }) }
}

function search(query: string): EndpointReply {
  return { toolCalls: [{ name: 'pdf_retrieval', args: { query } }] }
}

async function askOnThread(
  words: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<RunResult> {
  const { code, out, err } = await quaero(['ask', ...words, '-t', 'talk', '--json'], options)
  expect([code, err]).toEqual([0, expect.any(String)])
  return JSON.parse(out)
}

async function transcript(cwd: string): Promise<readonly (readonly [string, string])[]> {
  const { out } = await quaero(['threads', 'show', 'talk', '--json'], { cwd })
  const { messages } = JSON.parse(out) as { messages: { role: string; content: string }[] }
  return messages.map(({ role, content }) => [role, content])
}

/** What a request is for, as an endpoint can tell. */
function signOf({ tools, response_format }: ChatRequest): string {
  if (response_format) return 'route'
  return tools ? 'search' : 'write'
}

function rolesOf(messages: readonly WireMessage[]): string {
  return messages.map(({ role }) => role).join(' ')
}

function textOf(request: ChatRequest | undefined): string {
  return (request?.messages ?? []).map(({ content }) => content).join('\n')
}
