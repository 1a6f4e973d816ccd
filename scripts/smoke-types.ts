/** What a program of somebody else says to the compiler: it is not run. Where the package is installed, as `ask.ts`. */
import {
  type AgentState,
  type AgentUpdate,
  BaseAgent,
  createQuaero,
  defineTool,
  type Plugin,
  type RunResult,
  type StreamEvent,
} from 'quaero'
import { z } from 'zod'

class Selective extends BaseAgent {
  readonly name = 'research'

  protected async process({ context }: AgentState): Promise<AgentUpdate> {
    return { nextAgent: 'synthesis', context: { ...context, observations: context.observations.slice(0, 8) } }
  }
}

const now = defineTool({ name: 'now', description: 'The time.', input: z.object({}), run: async () => 'noon' })
const quiet: Plugin = { name: 'quiet', beforeTool: ({ name }) => (name === 'now' ? { refuse: 'not now' } : undefined) }
const agents = { research: new Selective() }
const quaero = await createQuaero({ documents: ['papers'], tools: [now], hooks: [quiet], agents })
const result: RunResult = await quaero.ask('Why?', { threadId: 't1', limits: { modelCalls: 5 } })
const events: StreamEvent[] = []
for await (const event of quaero.stream('Why?')) events.push(event)
// @ts-expect-error: there is no such status
result.status === 'unheard of'
