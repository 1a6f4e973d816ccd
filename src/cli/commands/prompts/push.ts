import { Argument, Option } from 'commander'
import type { PushedPrompt } from '../../../index.ts'
import type { CommandModule } from '../../command/command.ts'
import { jsonOption, labelOption, quietOption } from '../../command/options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { startFileProgress } from '../../output/progress.ts'
import { print, printJson } from '../../output/terminal.ts'
import { chosen, labelIn, type Place, type PromptsDiffFlags } from '../../shared/chosen-prompts.ts'

export interface PromptsPushFlags extends PromptsDiffFlags {
  readonly dryRun?: boolean | undefined
}

/** `quaero prompts push`: files into Langfuse. */
export async function runPromptsPush({ config, input, output }: Place, flags: PromptsPushFlags): Promise<number> {
  const { promptsOf } = await import('../../../index.ts')
  const settings = config()
  const label = labelIn(flags, settings)
  const { dryRun = false } = flags
  const progress = await startFileProgress(output, flags.quiet)
  try {
    const prompts = await promptsOf(settings).push({
      ...chosen(flags),
      dryRun,
      signal: input.signal,
      onDone: ({ name: path }, done, total) => progress.update({ done, total, path }),
    })
    progress.stop()
    if (flags.json) printJson(output, { label, dryRun, prompts })
    else print(output, prompts.map((prompt) => deed(prompt, label, dryRun)).join('\n'))
    return exitCodes.ok
  } finally {
    progress.stop()
  }
}

function deed({ name, action, langfuseVersion }: PushedPrompt, label: string, dryRun: boolean): string {
  const version = `version ${langfuseVersion}`
  const done = {
    created: `${version} made, with the label "${label}"`,
    labelled: `${version} has this text already, and was given the label "${label}"`,
    unchanged: `unchanged, ${version} has the label "${label}"`,
  }
  const planned = {
    created: `a new version would be made, with the label "${label}"`,
    labelled: `${version} has this text already, and would be given the label "${label}"`,
    unchanged: done.unchanged,
  }
  return `${name}: ${(dryRun ? planned : done)[action]}`
}

export const promptsPush: CommandModule<PromptsPushFlags> = {
  name: 'prompts push',
  summary: 'put files into Langfuse',
  description:
    'Put the files into Langfuse under a label: a new version where the text differs, only the label where the newest ' +
    'version has the same text, nothing where both agree.',
  arguments: [new Argument('[id...]', 'only these; see quaero prompts list')],
  options: [
    labelOption(),
    new Option('--dry-run', 'print what would be done, and do nothing'),
    quietOption(),
    jsonOption(),
  ],
  examples: ['prompts push --label production', 'prompts push synthesis --label staging', 'prompts push --dry-run'],
  run: runPromptsPush,
}
