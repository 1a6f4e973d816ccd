import { relative } from 'node:path'
import { Argument, Option } from 'commander'
import type { ComparedPrompt, Config, ListedPrompt, PushedPrompt } from '../../index.ts'
import type { CommandModule, Workplace } from '../command/command.ts'
import { jsonOption, labelOption, quietOption } from '../command/options.ts'
import { exitCodeOfError, exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { startFileProgress } from '../output/progress.ts'
import { formatTable } from '../output/table.ts'
import { print, printJson, tell } from '../output/terminal.ts'

export interface PromptsListFlags {
  readonly label?: string | undefined
  readonly json?: boolean | undefined
}

export interface PromptsDiffFlags extends PromptsListFlags {
  readonly id?: readonly string[] | undefined
  readonly quiet?: boolean | undefined
}

export type Place = Pick<Workplace, 'config' | 'input' | 'output'>

export function chosen({ label, id = [] }: PromptsDiffFlags) {
  return { ids: id, ...(label !== undefined && { label }) }
}

export function labelIn({ label }: PromptsListFlags, { settings }: Config): string {
  return label ?? settings.langfuse.promptLabel ?? ''
}

/** A path below the current folder without what leads there. */
export function fromHere(path: string): string {
  const shorter = relative('', path)
  return shorter.startsWith('..') ? path : shorter
}

export interface PromptsListFlags {
  readonly label?: string | undefined
  readonly json?: boolean | undefined
}

/** `quaero prompts`: each prompt, and where a run takes it from. */
export async function runPromptsList({ config, output }: Place, flags: PromptsListFlags): Promise<number> {
  const { promptsOf } = await import('../../index.ts')
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

/** `quaero prompts diff`: what a push would change. */
export async function runPromptsDiff({ config, input, output }: Place, flags: PromptsDiffFlags): Promise<number> {
  const { promptsOf } = await import('../../index.ts')
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

export interface PromptsPushFlags extends PromptsDiffFlags {
  readonly dryRun?: boolean | undefined
}

/** `quaero prompts push`: files into Langfuse. */
export async function runPromptsPush({ config, input, output }: Place, flags: PromptsPushFlags): Promise<number> {
  const { promptsOf } = await import('../../index.ts')
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
