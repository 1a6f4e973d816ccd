import { setTimeout as wait } from 'node:timers/promises'
import { describeError, type Payloads } from '../events/index.ts'
import type { Prompt } from '../prompts.ts'
import { type PromptApi, type RemotePrompt, replacementFor } from './prompt-api.ts'

export interface ManagedPromptsOptions {
  readonly label: string
  /** The prompts to look for in Langfuse; they are used if it has none. */
  readonly files: readonly Prompt[]
  readonly nameOf: (prompt: Prompt) => string
  /** How long prompts are used before they are fetched again. */
  readonly cacheMs: number
  /** How long the first runs wait for Langfuse, all together. */
  readonly firstWaitMs: number
  /** Called when prompts are first needed. `signal` aborts calls in progress. */
  readonly open: (signal: AbortSignal) => Promise<PromptApi>
  /** Called once for each reason why files are used instead; with the code of the error, if there was one. */
  readonly onNotice: (message: string, code?: string) => void
  /** Milliseconds. */
  readonly now?: () => number
}

const byFile = 'Files are used instead.'

/**
 * The prompts that have a label in Langfuse, cached. Old prompts are used until newer ones have come. Runs wait only for
 * the first fetch, and not longer than `firstWaitMs`: then the files are used.
 */
export class ManagedPrompts {
  readonly #options: ManagedPromptsOptions
  readonly #closed = new AbortController()
  readonly #reported = new Set<string>()
  #api: Promise<PromptApi> | null = null
  #kept: Payloads['prompts.chosen']['prompts'] | null = null
  #dueAt = Number.NEGATIVE_INFINITY
  #fetching: Promise<void> | null = null
  #firstWait: Promise<void> | null = null

  constructor(options: ManagedPromptsOptions) {
    this.#options = options
  }

  /** The prompts from Langfuse to use now; for all others the files are used. Never rejects. */
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

  /** Aborts calls in progress. */
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
      this.#reportMissing(found.flatMap(({ name, remote }) => (remote ? [] : [name])))
      this.#kept = found.flatMap(({ file, name, remote }) => (remote ? this.#usable(file, name, remote) : []))
    } catch (error) {
      const { code, message } = describeError(error)
      if (!this.#closed.signal.aborted) this.#report({ cause: code, code }, message)
    }
  }

  #usable(file: Prompt, name: string, remote: RemotePrompt) {
    const { version } = remote
    const { text, problem } = replacementFor(file, remote)
    if (text && problem === null) return [{ id: file.id, name, version, ...text }]
    const what = `Version ${version} of the prompt "${name}" cannot be used: ${problem}.`
    this.#report({ cause: what }, what, byFile)
    return []
  }

  #reportMissing(names: readonly string[]): void {
    if (names.length === 0) return
    const { label } = this.#options
    const quoted = /^[\w.-]+$/.test(label) ? label : `'${label.replaceAll("'", `'\\''`)}'`
    const advice = `"quaero prompts push --label ${quoted}" puts them there.`
    const what = `No prompt of the name ${names.join(', ')} has the label "${label}"; ${advice}`
    this.#report({ cause: what }, what, byFile)
  }

  async #waitFor(fetching: Promise<void>): Promise<void> {
    const { firstWaitMs } = this.#options
    const over = new AbortController()
    const tooLong = wait(firstWaitMs, undefined, { signal: over.signal }).then(() => {
      const code = 'langfuse_unavailable'
      this.#report({ cause: code, code }, `they did not come within ${firstWaitMs} ms.`)
    })
    await Promise.race([fetching, tooLong])
    over.abort()
    await tooLong.catch(() => {})
  }

  #report(
    { cause, code }: { readonly cause: string; readonly code?: string },
    message: string,
    instead = this.#kept === null ? byFile : 'Those that came before stay in use.',
  ) {
    if (this.#reported.has(cause)) return
    this.#reported.add(cause)
    this.#options.onNotice(`Prompts from Langfuse: ${message} ${instead}`, code)
  }
}
