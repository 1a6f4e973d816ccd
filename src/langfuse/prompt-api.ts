import type { Prompt } from '../prompts.ts'
import type { Redact } from '../redact.ts'
import type { LangfuseAccess } from './access.ts'
import { LangfuseApi } from './api.ts'
import { LangfuseUnavailable } from './failure.ts'
import { type RemotePrompt, remotePrompt } from './remote-prompt.ts'

/** What Langfuse keeps of prompts. Each call is made once; it throws `LangfuseKeyRejected` and `LangfuseUnavailable`. */
export interface PromptApi {
  /** The version that has the label; null if there is none. */
  readonly get: (name: string, label: string) => Promise<RemotePrompt | null>
  /** Makes a new version of the prompt's text, and moves the label to it. Returns its number. */
  readonly create: (name: string, prompt: Prompt, label: string) => Promise<number>
  /** Moves the label to a version that is there already. */
  readonly move: (remote: RemotePrompt, label: string) => Promise<void>
}

export interface PromptApiOptions {
  readonly redact: Redact
  /** Of each call as a whole. */
  readonly timeoutMs: number
  /** Ends the calls that are under way. */
  readonly signal?: AbortSignal
}

/** Prompts over Langfuse's REST API. Opens no connection before it is called. */
export function promptApi(access: LangfuseAccess, { signal, ...options }: PromptApiOptions): PromptApi {
  const api = new LangfuseApi(access, options)
  const call: LangfuseApi['request'] = (work) => api.request(work, signal)
  return {
    async get(name, label) {
      const answer = await unlessMissing(call(({ prompts }, bounds) => prompts.get(name, { label }, bounds)))
      return answer === null ? null : checked(answer, name)
    },
    async create(name, prompt, label) {
      const version = versionOf(name, prompt, label)
      return checked(await call(({ prompts }, bounds) => prompts.create(version, bounds)), name).version
    },
    async move({ name, version, labels }, label) {
      // Langfuse moves "latest" itself, and refuses to be told.
      const newLabels = [...new Set([...labels, label])].filter((each) => each !== 'latest')
      checked(
        await call(({ promptVersion }, bounds) => promptVersion.update(name, version, { newLabels }, bounds)),
        name,
      )
    },
  }
}

function versionOf(name: string, { id, version, inputs, system, user }: Prompt, label: string) {
  return {
    type: 'chat' as const,
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

async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof LangfuseUnavailable && error.status === 404) return null
    throw error
  }
}

/** The client hands on what came, whatever it is: a page of HTML too. */
function checked(answer: unknown, name: string): RemotePrompt {
  const parsed = remotePrompt.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new LangfuseUnavailable(`What came from Langfuse for "${name}" is no prompt. Check LANGFUSE_BASE_URL.`)
}
