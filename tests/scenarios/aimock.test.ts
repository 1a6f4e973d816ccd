import { type ChatCompletionRequest, type ChatMessage, type FixtureResponse, LLMock } from '@copilotkit/aimock'
import { describe, expect, it, onTestFinished } from 'vitest'
import { assertValidHistory, type WireMessage } from '../fixtures/openai-endpoint.ts'
import { openQuaero, route } from '../fixtures/workflow.ts'

/**
 * Whole turns against aimock, a mock of OpenAI's protocol that others wrote: what the workflow understands, and what it
 * sends, then does not rest on our own reading of the protocol alone.
 */

const question = 'How many pages does the Marble corpus hold?'
const cited = { content: 'It holds 81.1 million pages.<cite id="P1">holds 81.1 million pages</cite>' }
const answer = 'It holds 81.1 million pages. [1]'
const search = (query = 'Marble corpus pages') => call('pdf_retrieval', { query })
const call = (name: string, args: object | string, id?: string) => ({
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
  ...(id !== undefined && { id }),
})

const openings = {
  orchestrator: 'You route questions',
  clarification: 'Ask for that part.',
  research: 'You gather evidence',
  synthesis: 'You work with numbered passages',
}
type Speaker = keyof typeof openings

/** What each agent is told, in turn; the last is repeated. */
type Script = Partial<Record<Speaker, readonly FixtureResponse[]>>

const usual: Required<Script> = {
  orchestrator: [{ content: route() }],
  clarification: [{ content: 'Which corpus do you mean?' }],
  research: [{ toolCalls: [search()] }, { content: 'P1 says it.' }],
  synthesis: [cited],
}

async function workflow(script: Script) {
  const mock = new LLMock({ port: 0, strict: true })
  for (const [speaker, lines] of Object.entries({ ...usual, ...script })) {
    lines.forEach((line, at) => {
      const sequenceIndex = at < lines.length - 1 ? { sequenceIndex: at } : {}
      const match = { systemMessage: openings[speaker as Speaker], ...sequenceIndex }
      mock.addFixture({ match, response: line })
    })
  }
  await mock.start()
  onTestFinished(() => mock.stop())
  const quaero = await openQuaero({
    model: 'openai:test-model',
    settings: { endpoint: { baseUrl: `${mock.url}/v1` } },
  })
  /** The messages of an agent's requests, in the strictest order that endpoints want. */
  const asked = (speaker: Speaker): readonly (readonly ChatMessage[])[] =>
    mock.getRequests().flatMap(({ body }) => {
      // The only requests are chats.
      const { messages } = body as ChatCompletionRequest
      if (!String(messages[0]?.content).includes(openings[speaker])) return []
      assertValidHistory(messages as readonly WireMessage[])
      return [messages]
    })
  return { quaero, asked }
}

/** Results of tools in a request. */
function results(messages: readonly ChatMessage[] = []): readonly string[] {
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content))
}

describe('a turn on an endpoint that others wrote', () => {
  it('is routed, searched and answered with a verified quote', { tags: ['R4', 'R17'] }, async () => {
    const { quaero, asked } = await workflow({})
    const result = await quaero.ask(question)
    expect(result).toMatchObject({
      status: 'completed',
      error: null,
      answer,
      citations: [{ quote: 'holds 81.1 million pages', verified: true }],
      usage: { modelCalls: 4, toolCalls: 1 },
    })
    expect(result.usage.inputTokens).toBeGreaterThan(0)
    expect(asked('research').map((messages) => results(messages).length)).toEqual([0, 1])
    expect(results(asked('research')[1])[0]).toContain('81.1 million pages')
  })

  it('asks back, and answers the question that the reply completes', { tags: ['R8', 'R16'] }, async () => {
    const vague = route({ route: 'clarification', standaloneQuestion: question, missingContext: ['which corpus'] })
    const { quaero, asked } = await workflow({ orchestrator: [{ content: vague }] })
    const first = await quaero.ask('How many pages does it hold?', { threadId: 't1' })
    expect(first).toMatchObject({ status: 'clarification_needed', clarification: 'Which corpus do you mean?' })
    const second = await quaero.ask('the Marble corpus', { threadId: 't1' })
    expect(second).toMatchObject({ status: 'completed', error: null, answer })
    expect(asked('orchestrator')).toHaveLength(1)
  })
})
