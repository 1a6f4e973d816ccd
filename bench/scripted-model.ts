import { type ChatRequest, type EndpointReply, startEndpoint } from '../tests/fixtures/openai-endpoint.ts'

/** What the model says from now on. */
export interface Script {
  /** The question as it stands alone. */
  readonly standalone: string
  /** Each is searched for, once. */
  readonly queries: readonly string[]
  /** Writes the draft over the prompt. */
  readonly write: (prompt: string) => string
}

type Agent = 'orchestrator' | 'research' | 'synthesis'

export interface ScriptedModel {
  readonly url: string
  readonly close: () => Promise<void>
  /** Nothing is spent on it yet. */
  play(script: Script): void
  /** The calls since then, by agent, and their input: characters of messages and tools, divided by four. */
  spent(): { readonly calls: readonly Agent[]; readonly inputTokens: number }
}

/**
 * A model that routes each question to research, searches, and writes a draft. `instead` answers a request, whose words it
 * is given, in its place; undefined leaves it to the script.
 */
export async function scriptedModel(
  instead: (request: ChatRequest, words: string) => Promise<EndpointReply> | undefined = () => undefined,
): Promise<ScriptedModel> {
  let script: Script = { standalone: '', queries: [], write: () => '' }
  let spent: ReturnType<ScriptedModel['spent']> = { calls: [], inputTokens: 0 }
  const { url, close } = await startEndpoint(async (request) => {
    const words = wordsOf(request)
    const other = await instead(request, words)
    if (other) return other
    const agent = agentOf(request, words)
    spent = { calls: [...spent.calls, agent], inputTokens: spent.inputTokens + tokensOf(request) }
    if (agent === 'research') return research(request, script)
    return { content: agent === 'orchestrator' ? routing(script) : script.write(words) }
  })
  return {
    url,
    close,
    play(next) {
      script = next
      spent = { calls: [], inputTokens: 0 }
    },
    spent: () => spent,
  }
}

function wordsOf({ messages }: ChatRequest): string {
  return messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))).join('\n')
}

function agentOf({ tools, response_format }: ChatRequest, words: string): Agent {
  if (Array.isArray(tools) && tools.length > 0) return 'research'
  return response_format || words.includes('standaloneQuestion') ? 'orchestrator' : 'synthesis'
}

const charactersPerToken = 4

function tokensOf({ messages, tools = [] }: ChatRequest): number {
  return Math.round(JSON.stringify([messages, tools]).length / charactersPerToken)
}

function routing({ standalone: standaloneQuestion }: Script): string {
  return JSON.stringify({ route: 'research', standaloneQuestion, missingContext: [], candidates: [] })
}

function research({ messages }: ChatRequest, { queries }: Script): EndpointReply {
  if (messages.at(-1)?.role === 'tool') return { content: 'The passages found hold the answer.' }
  return { toolCalls: queries.map((query) => ({ name: 'pdf_retrieval', args: { query } })) }
}

/** The passages that a prompt shows. */
export function passagesIn(prompt: string): readonly { readonly id: string; readonly text: string }[] {
  const found = prompt.matchAll(/<passage id="(P\d+)"[^>]*>\n([\s\S]*?)\n<\/passage>/g)
  return Array.from(found, ([, id = '', text = '']) => ({ id, text }))
}
