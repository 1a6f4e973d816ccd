import { relative } from 'node:path'
import { Argument, Option } from 'commander'
import type { ComparedPrompt, ListedPrompt, Prompts, PushedPrompt, PushOptions } from '../../index.ts'
import { type CommandModule, given, type Workplace } from '../command/command.ts'
import { jsonOption, labelOption, quietOption } from '../command/options.ts'
import { exitCodeOfError, exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { startFileProgress } from '../output/progress.ts'
import { formatTable } from '../output/table.ts'
import { print, printJson, tell } from '../output/terminal.ts'

interface LabelFlags {
  readonly label?: string | undefined
}

interface ChosenFlags extends LabelFlags {
  /** Only these prompts; all if absent. */
  readonly id?: readonly string[] | undefined
  readonly quiet?: boolean | undefined
}

export const promptsList: CommandModule<LabelFlags> = {
  name: 'prompts list',
  isDefault: true,
  description:
    'list the prompts, and whether each comes from a file or Langfuse\n' +
    'exit with 78 if the keys for a label are wrong, 1 if Langfuse fails',
  options: [labelOption(), quietOption(), jsonOption()],
  examples: ['prompts list', 'prompts list --label staging --json'],
  async run({ config, output }, { label, json }) {
    const { promptsOf } = await import('../../index.ts')
    let exitCode: number = exitCodes.ok
    const prompts = await promptsOf(config(), (notice, code) => {
      tell(output, plainLine(notice))
      // A missing prompt is a result; a Langfuse that does not answer is a failure.
      if (code !== undefined) exitCode = exitCodeOfError(code)
    }).list(given({ label }))
    const rows = prompts.map((prompt) => [prompt.id, prompt.version, sourceOf(prompt), fromHere(prompt.path)])
    if (json) printJson(output, { prompts })
    else print(output, formatTable(['ID', 'VERSION', 'TAKEN FROM', 'FILE'], rows, output))
    return exitCode
  },
}

function sourceOf({ source, name, langfuseVersion }: ListedPrompt): string {
  return source === 'file' ? 'file' : `Langfuse: ${name}, version ${langfuseVersion}`
}

/** A path below the current folder, relative to it; any other path as it is. */
function fromHere(path: string): string {
  const shorter = relative('', path)
  return shorter.startsWith('..') ? path : shorter
}

export const promptsDiff: CommandModule<ChosenFlags> = {
  name: 'prompts diff',
  description:
    'compare files with Langfuse\n' +
    'show lines that "prompts push" would remove (-) and add (+)\n' +
    'exit with 0 if all are the same, 1 if not, 78 if the keys are wrong',
  arguments: [new Argument('[id...]', 'only these; see quaero prompts list')],
  options: [labelOption(), quietOption(), jsonOption()],
  examples: ['prompts diff', 'prompts diff synthesis --label production'],
  async run(workplace, flags) {
    const { output } = workplace
    const { label, prompts } = await withPrompts(workplace, flags, (all, options) => all.diff(options))
    if (flags.json) printJson(output, { label, prompts })
    else print(output, prompts.map((prompt) => difference(prompt, label)).join('\n'))
    return prompts.every(({ state }) => state === 'same') ? exitCodes.ok : exitCodes.failed
  },
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

export const promptsPush: CommandModule<ChosenFlags & { readonly dryRun?: boolean | undefined }> = {
  name: 'prompts push',
  description: 'put files into Langfuse under a label\n' + 'make a new version only if the text differs',
  arguments: [new Argument('[id...]', 'only these; see quaero prompts list')],
  options: [
    labelOption(),
    new Option('--dry-run', 'print what would be done, and do nothing'),
    quietOption(),
    jsonOption(),
  ],
  examples: ['prompts push --label production', 'prompts push synthesis --label staging', 'prompts push --dry-run'],
  async run(workplace, flags) {
    const { output } = workplace
    const { dryRun = false } = flags
    const push = (all: Prompts, options: PushOptions) => all.push({ ...options, dryRun })
    const { label, prompts } = await withPrompts(workplace, flags, push)
    if (flags.json) printJson(output, { label, dryRun, prompts })
    else print(output, prompts.map((prompt) => actionOf(prompt, label, dryRun)).join('\n'))
    return exitCodes.ok
  },
}

function actionOf({ name, action, langfuseVersion }: PushedPrompt, label: string, dryRun: boolean): string {
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

async function withPrompts<Result>(
  { config, input, output }: Workplace,
  { id: ids = [], label, quiet }: ChosenFlags,
  work: (prompts: Prompts, options: PushOptions) => Promise<Result>,
): Promise<{ readonly label: string; readonly prompts: Result }> {
  const { promptsOf } = await import('../../index.ts')
  const settings = config()
  const progress = await startFileProgress(output, quiet)
  try {
    const prompts = await work(promptsOf(settings), {
      ids,
      ...given({ label }),
      signal: input.signal,
      onDone: ({ name: path }, done, total) => progress.update({ done, total, path }),
    })
    return { label: label ?? settings.settings.langfuse.promptLabel ?? '', prompts }
  } finally {
    progress.stop()
  }
}
