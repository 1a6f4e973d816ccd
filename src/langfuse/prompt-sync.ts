import { structuredPatch } from 'diff'
import type { Prompt } from '../prompts.ts'
import { type PromptApi, type PromptText, type RemotePrompt, replacementFor } from './prompt-api.ts'

/** A prompt's file, and what the prompt is called in Langfuse. */
export interface PromptFile {
  readonly prompt: Prompt
  readonly path: string
  readonly name: string
}

/** A prompt as a list names it. `version` is that of the file. */
export interface NamedPrompt {
  readonly id: string
  readonly version: number
  readonly path: string
  /** In Langfuse. */
  readonly name: string
}

/** A file compared with the version that has the label in Langfuse. */
export interface ComparedPrompt extends NamedPrompt {
  /** `missing`: nothing has the label; `unusable`: a run would not use it, for the reason in `problem`. */
  readonly state: 'same' | 'different' | 'missing' | 'unusable'
  readonly langfuseVersion: number | null
  readonly problem: string | null
  /** The lines that a push would remove (`-`) and add (`+`); empty if there is nothing to compare. */
  readonly diff: string
}

/** The action of a push on a file, done or planned. */
export interface PushedPrompt extends NamedPrompt {
  /** `labelled`: the newest version had this text already and was given the label. */
  readonly action: 'created' | 'labelled' | 'unchanged'
  /** The version that has the label now; null if a push would make a new one. */
  readonly langfuseVersion: number | null
}

interface Work<Done> {
  readonly label: string
  /** Called after each, in order. */
  readonly onDone?: (done: Done, count: number, total: number) => void
}

/** Compares each file with the version in Langfuse that has the label. Throws what the API throws. */
export function comparePrompts(
  api: PromptApi,
  files: readonly PromptFile[],
  { label, onDone }: Work<ComparedPrompt>,
): Promise<ComparedPrompt[]> {
  return oneByOne(files, onDone, async (file) => comparison(file, await api.get(file.name, label)))
}

/** Puts files into Langfuse under a label: a new version only where the text differs. Throws what the API throws. */
export function pushPrompts(
  api: PromptApi,
  files: readonly PromptFile[],
  { label, dryRun = false, onDone }: Work<PushedPrompt> & { readonly dryRun?: boolean },
): Promise<PushedPrompt[]> {
  return oneByOne(files, onDone, async (file) => ({ ...named(file), ...(await pushed(api, file, label, dryRun)) }))
}

async function pushed(
  api: PromptApi,
  { prompt, name }: PromptFile,
  label: string,
  dryRun: boolean,
): Promise<Pick<PushedPrompt, 'action' | 'langfuseVersion'>> {
  const labelled = await api.get(name, label)
  if (labelled && isSame(prompt, labelled)) return { action: 'unchanged', langfuseVersion: labelled.version }
  const latest = await api.get(name, 'latest')
  if (latest && isSame(prompt, latest)) {
    if (!dryRun) await api.move(latest, label)
    return { action: 'labelled', langfuseVersion: latest.version }
  }
  return { action: 'created', langfuseVersion: dryRun ? null : await api.create(name, prompt, label) }
}

function comparison(file: PromptFile, remote: RemotePrompt | null): ComparedPrompt {
  const common = { ...named(file), langfuseVersion: remote?.version ?? null, problem: null, diff: '' }
  if (!remote) return { ...common, state: 'missing' }
  const replacement = replacementFor(file.prompt, remote)
  const diff = replacement.text ? lineDiff(whole(replacement.text), whole(file.prompt)) : ''
  if (replacement.problem !== null) return { ...common, state: 'unusable', problem: replacement.problem, diff }
  return { ...common, state: diff === '' ? 'same' : 'different', diff }
}

function isSame(file: Prompt, remote: RemotePrompt): boolean {
  const { text } = replacementFor(file, remote)
  return text !== null && whole(text) === whole(file)
}

function whole({ system, user }: PromptText): string {
  return `# System\n${system}\n\n# User\n${user}`
}

function named({ prompt: { id, version }, path, name }: PromptFile): NamedPrompt {
  return { id, version, path, name }
}

async function oneByOne<Done>(
  files: readonly PromptFile[],
  onDone: Work<Done>['onDone'],
  work: (file: PromptFile) => Promise<Done>,
): Promise<Done[]> {
  const all: Done[] = []
  for (const file of files) {
    const done = await work(file)
    all.push(done)
    onDone?.(done, all.length, files.length)
  }
  return all
}

/** Equal lines around a difference. */
const context = 2

/** The lines to remove (`- …`) and add (`+ …`), with some context and "…" for omitted lines; empty for equal texts. */
export function lineDiff(before: string, after: string): string {
  // Without its newline, the last line would differ from the same line in the middle of the other text.
  const { hunks } = structuredPatch('', '', `${before}\n`, `${after}\n`, undefined, undefined, { context })
  return hunks.flatMap(({ oldStart, lines }) => [...(oldStart > 1 ? ['…'] : []), ...lines.map(spaced)]).join('\n')
}

/** A space behind the sign. */
function spaced(line: string): string {
  return `${line.slice(0, 1)} ${line.slice(1)}`.trimEnd()
}
