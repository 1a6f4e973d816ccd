import { type ChatRequest, startEndpoint } from '../../tests/fixtures/openai-endpoint.ts'
import type { CostQuestion } from './questions.ts'

/** The calls that a question has cost, by agent, and their input. */
export interface Spent {
  readonly calls: readonly string[]
  /** Characters of messages and tools, divided by four. */
  readonly inputTokens: number
}

/**
 * A model that keeps the formats: it rewrites as it is told, searches once for each query, quotes the sentence with the
 * answer if a passage holds it, and abstains if none does.
 */
export async function costEndpoint() {
  let asked: Pick<CostQuestion, 'question' | 'standalone' | 'queries' | 'answers'> = { question: '', answers: [] }
  let spent: Spent = { calls: [], inputTokens: 0 }
  const { url, close } = await startEndpoint((body) => {
    const agent = agentOf(body)
    const { messages, tools = [] } = body
    const charactersPerToken = 4
    const size = JSON.stringify([messages, tools]).length / charactersPerToken
    spent = { calls: [...spent.calls, agent], inputTokens: spent.inputTokens + Math.round(size) }
    if (agent === 'research') return research(body, asked.queries ?? [asked.standalone ?? asked.question])
    return { content: agent === 'orchestrator' ? routing(asked) : answer(textOf(body), asked.answers) }
  })
  return {
    url,
    close,
    /** The question that is asked from now on; nothing is spent on it yet. */
    play(next: typeof asked) {
      asked = next
      spent = { calls: [], inputTokens: 0 }
    },
    spent: () => spent,
  }
}

function agentOf(body: ChatRequest): 'orchestrator' | 'research' | 'synthesis' {
  if (Array.isArray(body.tools) && body.tools.length > 0) return 'research'
  return body.response_format ? 'orchestrator' : 'synthesis'
}

function routing({ question, standalone = question }: Pick<CostQuestion, 'question' | 'standalone'>): string {
  return JSON.stringify({ route: 'research', standaloneQuestion: standalone, missingContext: [], candidates: [] })
}

function research({ messages }: ChatRequest, queries: readonly string[]) {
  if (messages.at(-1)?.role === 'tool') return { content: 'That is what the documents hold.' }
  return { toolCalls: queries.map((query) => ({ name: 'pdf_retrieval', args: { query } })) }
}

function textOf({ messages }: ChatRequest): string {
  return messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))).join('\n')
}

function answer(prompt: string, answers: readonly string[]): string {
  for (const [, id = '', text = ''] of prompt.matchAll(/<passage id="(P\d+)"[^>]*>\n([\s\S]*?)\n<\/passage>/g)) {
    const sentence = text.split(/\n|(?<=[.!?])\s/).find((each) => holds(each, answers))
    if (sentence) return `${sentence.trim()}<cite id="${id}">${sentence.trim()}</cite>`
  }
  return '<abstain/>'
}

/** True for a text with one of the words that are looked for. */
export function holds(text: string, answers: readonly string[]): boolean {
  return answers.some((each) => (each.startsWith('/') ? new RegExp(each.slice(1, -1)).test(text) : text.includes(each)))
}
