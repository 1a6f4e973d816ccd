import type { ListedPrompt } from '../../../index.ts'
import type { CommandModule } from '../../command/command.ts'
import { jsonOption, labelOption, quietOption } from '../../command/options.ts'
import { exitCodeOfError, exitCodes } from '../../output/exit-codes.ts'
import { plainLine } from '../../output/plain-text.ts'
import { formatTable } from '../../output/table.ts'
import { print, printJson, tell } from '../../output/terminal.ts'
import { chosen, fromHere, type Place } from '../../shared/chosen-prompts.ts'

export interface PromptsListFlags {
  readonly label?: string | undefined
  readonly json?: boolean | undefined
}

/** `quaero prompts`: each prompt, and where a run takes it from. */
export async function runPromptsList({ config, output }: Place, flags: PromptsListFlags): Promise<number> {
  const { promptsOf } = await import('../../../index.ts')
  let exitCode: number = exitCodes.ok
  const prompts = await promptsOf(config(), (notice, code) => {
    tell(output, plainLine(notice))
    // A prompt that is not there is an answer; a Langfuse that gives none is not.
    if (code !== undefined) exitCode = exitCodeOfError(code)
  }).list(chosen(flags))
  const rows = prompts.map((prompt) => [prompt.id, prompt.version, source(prompt), fromHere(prompt.path)])
  if (flags.json) printJson(output, { prompts })
  else print(output, formatTable(['ID', 'VERSION', 'TAKEN FROM', 'FILE'], rows, output))
  return exitCode
}

function source({ source, name, langfuseVersion }: ListedPrompt): string {
  return source === 'file' ? 'file' : `Langfuse: ${name}, version ${langfuseVersion}`
}

export const promptsList: CommandModule<PromptsListFlags> = {
  name: 'prompts list',
  isDefault: true,
  description:
    'List the prompts, and where a run takes each from: its file, or Langfuse. Exits with 78 where a label is given and ' +
    'the keys are missing or refused, with 1 where Langfuse does not answer; files are listed all the same.',
  options: [labelOption(), quietOption(), jsonOption()],
  examples: ['prompts list', 'prompts list --label staging --json'],
  run: runPromptsList,
}
