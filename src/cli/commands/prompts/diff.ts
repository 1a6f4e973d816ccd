import { Argument } from 'commander'
import type { ComparedPrompt } from '../../../index.ts'
import type { CommandModule } from '../../command/command.ts'
import { jsonOption, labelOption, quietOption } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { startFileProgress } from '../../output/progress.ts'
import { print, printJson } from '../../output/terminal.ts'
import { chosen, fromHere, labelIn, type Place, type PromptsDiffFlags } from '../../shared/chosen-prompts.ts'

/** `quaero prompts diff`: what a push would change. */
export async function runPromptsDiff({ config, input, output }: Place, flags: PromptsDiffFlags): Promise<number> {
  const { promptsOf } = await import('../../../index.ts')
  const settings = config()
  const label = labelIn(flags, settings)
  const progress = await startFileProgress(output, flags.quiet)
  try {
    const prompts = await promptsOf(settings).diff({
      ...chosen(flags),
      signal: input.signal,
      onDone: ({ name: path }, done, total) => progress.update({ done, total, path }),
    })
    progress.stop()
    if (flags.json) printJson(output, { label, prompts })
    else print(output, prompts.map((prompt) => difference(prompt, label)).join('\n'))
    return prompts.every(({ state }) => state === 'same') ? exitCodes.ok : exitCodes.failed
  } finally {
    progress.stop()
  }
}

function difference({ name, path, state, langfuseVersion, problem, diff }: ComparedPrompt, label: string): string {
  const what = {
    same: `the same as version ${langfuseVersion}`,
    different: `differs: - version ${langfuseVersion} in Langfuse, + ${fromHere(path)}`,
    missing: `not in Langfuse under "${label}"`,
    unusable: `version ${langfuseVersion} cannot be used, ${problem}: - Langfuse, + ${fromHere(path)}`,
  }
  return [`${name}: ${what[state]}`, ...(diff === '' ? [] : [diff])].join('\n')
}

export const promptsDiff: CommandModule<PromptsDiffFlags> = {
  name: 'prompts diff',
  summary: 'compare files with Langfuse',
  description:
    'Show what a push would take out of the prompts in Langfuse (-) and put in (+). Exits with 0 where every prompt is ' +
    'the same, 1 where one differs or is missing, 78 where the keys are missing or refused.',
  arguments: [new Argument('[id...]', 'only these; see quaero prompts list')],
  options: [labelOption(), quietOption(), jsonOption()],
  examples: ['prompts diff', 'prompts diff synthesis --label production'],
  run: runPromptsDiff,
}
