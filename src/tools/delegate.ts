import { z } from 'zod'
import { defineTool, type Tool } from './tool.ts'

export const delegateTool = 'delegate'

/** A specialist as the model sees it. */
export interface Colleague {
  readonly name: string
  readonly description: string
}

/** The tool that gives a part of the question to a specialist with its own prompt, tools and model. */
export function delegate(specialists: readonly Colleague[]): Tool {
  const list = specialists.map(({ name, description }) => `${name}: ${description}`).join('\n')
  return defineTool({
    name: delegateTool,
    description:
      'Gives a part of the work to a specialist, who searches on its own and knows nothing of this conversation but ' +
      `the task. The passages it finds count as found. The specialists are:\n${list}`,
    input: z.strictObject({
      specialist: z.enum(specialists.map(({ name }) => name)),
      task: z.string().trim().min(1).describe('What to find out, in full sentences that can be understood alone.'),
    }),
    // The specialist's own calls have time limits.
    timeoutMs: null,
    run: ({ specialist, task }, context) => context.delegate(specialist, task),
  })
}
