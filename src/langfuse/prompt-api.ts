import { z } from 'zod'
import { type Prompt, variablesIn } from '../prompts.ts'
import type { Redact } from '../redact.ts'
import type { LangfuseAccess } from './access.ts'
import { LangfuseApi } from './api.ts'
import { LangfuseUnavailable } from './failure.ts'

/** Prompts in Langfuse. Each call is sent once; it throws `LangfuseKeyRejected` and `LangfuseUnavailable`. */
export interface PromptApi {
  /** The version that has the label; null if there is none. */
  readonly get: (name: string, label: string) => Promise<RemotePrompt | null>
  /** Makes a new version of the prompt's text, and moves the label to it. Returns its number. */
  readonly create: (name: string, prompt: Prompt, label: string) => Promise<number>
  /** Moves the label to an existing version. */
  readonly move: (remote: RemotePrompt, label: string) => Promise<void>
}

export interface PromptApiOptions {
  readonly redact: Redact
  /** Of each call as a whole. */
  readonly timeoutMs: number
  /** Aborts calls in progress. */
  readonly signal?: AbortSignal
}

/** Prompts over Langfuse's REST API. Opens no connection before it is called. */
export function promptApi(access: LangfuseAccess, { signal, ...options }: PromptApiOptions): PromptApi {
  const api = new LangfuseApi(access, options)
  const path = ['v2', 'prompts']
  const expected = (name: string) => ({ answer: remotePrompt, what: `the prompt "${name}"`, signal })
  return {
    async get(name, label) {
      try {
        return await api.request({ method: 'GET', path: [...path, name], query: { label }, ...expected(name) })
      } catch (error) {
        if (error instanceof LangfuseUnavailable && error.status === 404) return null
        throw error
      }
    },
    async create(name, prompt, label) {
      const body = newVersion(name, prompt, label)
      return (await api.request({ method: 'POST', path, body, ...expected(name) })).version
    },
    async move({ name, version, labels }, label) {
      // Langfuse moves "latest" itself, and refuses it in a request.
      const newLabels = [...new Set([...labels, label])].filter((each) => each !== 'latest')
      const versionPath = [...path, name, 'versions', version]
      await api.request({ method: 'PATCH', path: versionPath, body: { newLabels }, ...expected(name) })
    },
  }
}

function newVersion(name: string, { id, version, inputs, system, user }: Prompt, label: string) {
  return {
    type: 'chat',
    name,
    prompt: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    config: { id, version, inputs },
    labels: [label],
    tags: ['quaero'],
    commitMessage: `Quaero: ${id}, version ${version} of the file`,
  }
}

/** A version of a prompt as Langfuse sends it; unused fields are left out. */
const version = z.object({
  name: z.string(),
  version: z.number().int().nonnegative(),
  labels: z.array(z.string()).default([]),
})
const chatMessage = z.looseObject({ role: z.string().optional(), content: z.string().optional() })
export const remotePrompt = z.discriminatedUnion('type', [
  version.extend({ type: z.literal('chat'), prompt: z.array(chatMessage) }),
  version.extend({ type: z.literal('text'), prompt: z.string() }),
])
export type RemotePrompt = z.output<typeof remotePrompt>

/** The two parts of a prompt. */
export type PromptText = Pick<Prompt, 'system' | 'user'>

/**
 * Reads a prompt from Langfuse that replaces a file: a chat prompt of one system and one user message, or a text, which
 * replaces the system part alone. It must use the variables of the file, and no others. `problem` is the reason why it
 * cannot be used.
 */
export function replacementFor(
  file: Prompt,
  remote: RemotePrompt,
): { readonly text: PromptText | null; readonly problem: string | null } {
  const text = textOf(file, remote)
  if (!text) return { text, problem: 'it must be a text, or a chat of one system and one user message' }
  return { text, problem: emptyOrHuge(text) ?? problemIn(`${text.system}${text.user}`, file) }
}

/** Characters. The prompt is in the log of every run. */
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

/** Variables as files write them: Langfuse allows spaces within the braces. Control characters are removed. */
function plain(text: string): string {
  return (
    text
      .replaceAll('\r\n', '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      .replace(/\{\{\s*(\w+)\s*\}\}/g, '{{$1}}')
      .trim()
  )
}
