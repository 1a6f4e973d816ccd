import { z } from 'zod'
import { defineTool, type Tool } from './tool.ts'

/** The name of the tool; what it starts is counted by it. */
export const delegateTool = 'delegate'

/** Someone who can be asked, as the model that asks is told. */
export interface Colleague {
  readonly name: string
  readonly description: string
}

/** Has a specialist work on a part of the question, with a prompt, tools and a model of its own. */
export function delegate(specialists: readonly Colleague[]): Tool {
  const list = specialists.map(({ name, description }) => `${name}: ${description}`).join('\n')
  return defineTool({
    name: delegateTool,
    description:
      'Hands a part of the work to a specialist, who searches on its own and knows nothing of this conversation but ' +
      `the task. The passages it finds count as found. The specialists are:\n${list}`,
    input: z.strictObject({
      specialist: z.enum(specialists.map(({ name }) => name)),
      task: z.string().trim().min(1).describe('What to find out, in full sentences that can be understood alone.'),
    }),
    // The calls of a specialist have their own limits of time.
    timeoutMs: null,
    run: ({ specialist, task }, context) => context.delegate(specialist, task),
  })
}
