import { relative } from 'node:path'
import type { Config } from '../../index.ts'
import type { Workplace } from '../command/command.ts'

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
