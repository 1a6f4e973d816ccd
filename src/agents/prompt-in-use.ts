import type { Context } from '../events/index.ts'
import type { Prompt } from '../prompts.ts'

/**
 * A prompt as the run at hand uses it. What was chosen at the run's start stands in its log, so that all its agents, and
 * all its attempts, work by the same words, whatever has become of the prompt since.
 */
export function promptInUse({ log }: Pick<Context, 'log'>, prompt: Prompt): Prompt {
  const chosen = log?.().find((event) => event.type === 'prompts.chosen')
  if (chosen?.type !== 'prompts.chosen') return prompt
  const managed = chosen.payload.prompts.find(({ id }) => id === prompt.id)
  if (!managed) return prompt
  const { name, version, system, user } = managed
  return { ...prompt, system, user, langfuse: { name, version } }
}
