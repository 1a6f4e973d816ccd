import type { Prompt } from '../../prompts.ts'
import type { LangfuseAccess } from './access.ts'
import { bounded, openLangfuse } from './client.ts'
import { failureOf, LangfuseUnavailable, statusOf } from './failure.ts'
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
  readonly timeoutMs: number
  /** Ends the calls that are under way. */
  readonly signal?: AbortSignal
}

/** Prompts over Langfuse's REST API. Opens no connection before it is called. */
export function promptApi(access: LangfuseAccess, { timeoutMs, signal }: PromptApiOptions): PromptApi {
  const { prompts, promptVersion } = openLangfuse(access)
  const call = async <T>(work: (options: ReturnType<typeof bounded>) => PromiseLike<T>): Promise<T> => {
    try {
      return await work(bounded(timeoutMs, signal))
    } catch (error) {
      throw failureOf(error, access.baseUrl, timeoutMs)
    }
  }
  return {
    get: (name, label) =>
      call(async (options) => {
        const answer = await unlessMissing(prompts.get(name, { label }, options))
        return answer === null ? null : checked(answer, name)
      }),
    create: (name, prompt, label) =>
      call(async (options) => checked(await prompts.create(versionOf(name, prompt, label), options), name).version),
    move: ({ name, version, labels }, label) =>
      call(async (options) => {
        // Langfuse moves "latest" itself, and refuses to be told.
        const newLabels = [...new Set([...labels, label])].filter((each) => each !== 'latest')
        await promptVersion.update(name, version, { newLabels }, options)
      }),
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

async function unlessMissing<T>(answer: PromiseLike<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (statusOf(error) === 404) return null
    throw error
  }
}

/** The client hands on what came, whatever it is: a page of HTML too. */
function checked(answer: unknown, name: string): RemotePrompt {
  const parsed = remotePrompt.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new LangfuseUnavailable(`What came from Langfuse for "${name}" is no prompt. Check LANGFUSE_BASE_URL.`)
}
