import { describeError, type Payloads } from '../events/index.ts'
import type { Prompt } from '../prompts.ts'
import type { PromptApi } from './prompt-api.ts'
import { type RemotePrompt, replacementFor } from './remote-prompt.ts'

export interface ManagedPromptsOptions {
  readonly label: string
  /** The files, by whose ids the prompts in Langfuse are found, and which stand in for those that are not there. */
  readonly files: readonly Prompt[]
  readonly nameOf: (prompt: Prompt) => string
  /** How long prompts are used before they are asked for again. */
  readonly cacheMs: number
  /** How long the first runs wait for Langfuse, all of them together. */
  readonly firstWaitMs: number
  /** Loads what it takes to ask Langfuse; called when prompts are first wanted. `signal` ends the calls under way. */
  readonly open: (signal: AbortSignal) => Promise<PromptApi>
  /** Told once of each cause for which files are used instead; `code` is that of the error, where there was one. */
  readonly onNotice: (message: string, code?: string) => void
  /** Milliseconds. */
  readonly now?: () => number
}

const byFile = 'Files are used instead.'

/**
 * The prompts that have a label in Langfuse, kept for a while. Prompts that are out of date are used until newer ones
 * are there; only before the first have come does a run wait, and not for long: then the files are used.
 */
export class ManagedPrompts {
  readonly #options: ManagedPromptsOptions
  readonly #closed = new AbortController()
  readonly #told = new Set<string>()
  #api: Promise<PromptApi> | null = null
  #kept: Payloads['prompts.chosen']['prompts'] | null = null
  #dueAt = Number.NEGATIVE_INFINITY
  #fetching: Promise<void> | null = null
  #firstWait: Promise<void> | null = null

  constructor(options: ManagedPromptsOptions) {
    this.#options = options
  }

  /** The prompts to use now: those of Langfuse; every other is that of its file. Never rejects. */
  async choose(): Promise<Payloads['prompts.chosen']> {
    const { label, now = Date.now } = this.#options
    if (now() >= this.#dueAt) {
      this.#fetching ??= this.#fetch().finally(() => {
        this.#dueAt = now() + this.#options.cacheMs
        this.#fetching = null
      })
    }
    if (this.#kept === null && this.#fetching !== null) {
      this.#firstWait ??= this.#waitFor(this.#fetching)
      await this.#firstWait
    }
    return { label, prompts: this.#kept ?? [] }
  }

  /** Leaves calls that are under way. */
  close(): void {
    this.#closed.abort()
  }

  async #fetch(): Promise<void> {
    const { label, files, nameOf, open } = this.#options
    try {
      this.#api ??= open(this.#closed.signal)
      const api = await this.#api
      const found = await Promise.all(
        files.map(async (file) => ({ file, name: nameOf(file), remote: await api.get(nameOf(file), label) })),
      )
      this.#tellMissing(found.flatMap(({ name, remote }) => (remote ? [] : [name])))
      this.#kept = found.flatMap(({ file, name, remote }) => (remote ? this.#usable(file, name, remote) : []))
    } catch (error) {
      const { code, message } = describeError(error)
      if (!this.#closed.signal.aborted) this.#tell({ cause: code, code }, message)
    }
  }

  #usable(file: Prompt, name: string, remote: RemotePrompt) {
    const { version } = remote
    const { text, problem } = replacementFor(file, remote)
    if (text && problem === null) return [{ id: file.id, name, version, ...text }]
    const what = `Version ${version} of the prompt "${name}" cannot be used: ${problem}.`
    this.#tell({ cause: what }, what, byFile)
    return []
  }

  #tellMissing(names: readonly string[]): void {
    if (names.length === 0) return
    const { label } = this.#options
    const quoted = /^[\w.-]+$/.test(label) ? label : `'${label.replaceAll("'", `'\\''`)}'`
    const advice = `"quaero prompts push --label ${quoted}" puts them there.`
    const what = `No prompt of the name ${names.join(', ')} has the label "${label}"; ${advice}`
    this.#tell({ cause: what }, what, byFile)
  }

  /** Waits until the prompts are there, but not for ever. */
  async #waitFor(fetching: Promise<void>): Promise<void> {
    const { firstWaitMs } = this.#options
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        const code = 'langfuse_unavailable'
        this.#tell({ cause: code, code }, `they did not come within ${firstWaitMs} ms.`)
        resolve()
      }, firstWaitMs)
    })
    await Promise.race([fetching, tooLong])
    clearTimeout(timer)
  }

  #tell(
    { cause, code }: { readonly cause: string; readonly code?: string },
    message: string,
    instead = this.#kept === null ? byFile : 'Those that came before stay in use.',
  ) {
    if (this.#told.has(cause)) return
    this.#told.add(cause)
    this.#options.onNotice(`Prompts from Langfuse: ${message} ${instead}`, code)
  }
}
