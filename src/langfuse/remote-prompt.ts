import { z } from 'zod'
import { type Prompt, variablesIn } from '../prompts.ts'

/** A version of a prompt as Langfuse sends it; what is not needed here is left out. */
export const remotePrompt = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('chat'),
    name: z.string(),
    version: z.number().int().nonnegative(),
    labels: z.array(z.string()).default([]),
    prompt: z.array(z.looseObject({ role: z.string().optional(), content: z.string().optional() })),
  }),
  z.object({
    type: z.literal('text'),
    name: z.string(),
    version: z.number().int().nonnegative(),
    labels: z.array(z.string()).default([]),
    prompt: z.string(),
  }),
])
export type RemotePrompt = z.output<typeof remotePrompt>

/** The two parts of a prompt. */
export type PromptText = Pick<Prompt, 'system' | 'user'>

/** A prompt from Langfuse in the place of a file. */
export interface Replacement {
  /** null where it cannot be read as one. */
  readonly text: PromptText | null
  /** Why it cannot stand there; null if it can. */
  readonly problem: string | null
}

/**
 * Reads a prompt from Langfuse: a chat prompt of one system and one user message, or a text, which takes the place of
 * the system part alone. It must use the variables that the file uses, and no others.
 */
export function replacementFor(file: Prompt, remote: RemotePrompt): Replacement {
  const text = textOf(file, remote)
  if (!text) return { text, problem: 'it must be a text, or a chat of one system and one user message' }
  return { text, problem: emptyOrHuge(text) ?? problemIn(`${text.system}${text.user}`, file) }
}

/** No prompt is that long; it would stand in the log of every run. Characters. */
const longestPrompt = 100_000

function emptyOrHuge({ system, user }: PromptText): string | null {
  if (system === '' || user === '') return `its ${system === '' ? 'system' : 'user'} message is empty`
  const length = system.length + user.length
  return length > longestPrompt ? `it has ${length} characters; at most ${longestPrompt} are read` : null
}

function problemIn(text: string, { inputs, system, user }: Prompt): string | null {
  const stray = /\{\{(?!\w+\}\})[^{}]*\}*/.exec(text)
  if (stray) return `"${stray[0]}" is no variable; write {{name}}`
  const used = variablesIn(text)
  const unknown = used.find((name) => !inputs.includes(name))
  if (unknown !== undefined) return `it uses {{${unknown}}}, and there is only ${inputs.join(', ')}`
  const lacking = variablesIn(`${system}${user}`).find((name) => !used.includes(name))
  return lacking === undefined ? null : `it lacks {{${lacking}}}`
}

function textOf(file: Prompt, remote: RemotePrompt): PromptText | null {
  if (remote.type === 'text') return { system: plain(remote.prompt), user: file.user }
  const [system, user, ...more] = remote.prompt
  const isPair = system?.role === 'system' && user?.role === 'user' && more.length === 0
  if (!isPair || system.content === undefined || user.content === undefined) return null
  return { system: plain(system.content), user: plain(user.content) }
}

/** Variables as files write them: Langfuse allows spaces within the braces. What no keyboard writes is left out. */
function plain(text: string): string {
  return (
    text
      .replaceAll('\r\n', '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is left out
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      .replace(/\{\{\s*(\w+)\s*\}\}/g, '{{$1}}')
      .trim()
  )
}
