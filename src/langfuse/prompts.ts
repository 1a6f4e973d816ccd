import type { Config } from '../config.ts'
import { credentialsIn } from '../credentials/index.ts'
import { ConfigInvalid, PromptInvalid, UsageError } from '../errors.ts'
import { fact, unlessAborted } from '../events/index.ts'
import type { ChatModel } from '../models/index.ts'
import { loadPrompt, promptPath } from '../prompts.ts'
import { type Redact, redactor } from '../redact.ts'
import type { Plugin } from '../runs/index.ts'
import { type LangfuseAccess, langfuseAccess } from './access.ts'
import { ManagedPrompts, type ManagedPromptsOptions } from './managed-prompts.ts'
import type { PromptApi } from './prompt-api.ts'
import {
  type ComparedPrompt,
  comparePrompts,
  type NamedPrompt,
  type PromptFile,
  type PushedPrompt,
  pushPrompts,
} from './prompt-sync.ts'

/** For a call that no run waits for. */
const timeoutMs = 5000

/** Has runs use the prompts of the label in Langfuse; no plugin without a label, or where no model reads prompts. */
export function assemblePrompts(
  config: Config,
  models: readonly Pick<ChatModel, 'kind'>[],
  onNotice: (message: string) => void,
): readonly Plugin[] {
  const { promptLabel: label, promptCacheSeconds } = config.settings.langfuse
  // A model that answers by rule is given no prompt.
  if (label === null || models.every(({ kind }) => kind === 'rules')) return []
  const managed = managedPrompts(config, { label, cacheMs: 1000 * promptCacheSeconds, onNotice })
  if (!managed) onNotice(filesInstead)
  if (!managed) return []
  return [
    {
      name: 'prompts',
      // Logged before anything else: a resumed run keeps the prompts that it began with, or else the files.
      run: async (request, next, context) => {
        const hasBegun = context.log?.().some(({ type }) => type === 'prompts.chosen' || type === 'model.started')
        if (!hasBegun) await fact(context, 'prompts.chosen', await unlessAborted(managed.choose(), context.signal))
        return next(request)
      },
      onShutdown: () => managed.close(),
    },
  ]
}

/** A prompt, and the source from which a run would take it now. */
export interface ListedPrompt extends NamedPrompt {
  readonly source: 'file' | 'langfuse'
  /** null for a file. */
  readonly langfuseVersion: number | null
}

export interface PromptsOptions {
  /** The label in Langfuse; by default that of the settings. */
  readonly label?: string
  /** Ids of prompts; by default all that agents and specialists use. */
  readonly ids?: readonly string[]
  readonly signal?: AbortSignal
}

export interface DiffOptions extends PromptsOptions {
  /** Called after each. */
  readonly onDone?: (done: NamedPrompt, count: number, total: number) => void
}

export interface PushOptions extends DiffOptions {
  /** Reports what would be done, and does nothing. */
  readonly dryRun?: boolean
}

/** What `quaero prompts` does with files and Langfuse. Each method throws `PromptInvalid` for an invalid file. */
export interface Prompts {
  /** Where a run would take each prompt from. Langfuse is only asked if there is a label. */
  list(options?: PromptsOptions): Promise<readonly ListedPrompt[]>
  /** How files differ from Langfuse. Throws `ConfigInvalid`, `UsageError`, `LangfuseKeyRejected`, `LangfuseUnavailable`. */
  diff(options?: DiffOptions): Promise<readonly ComparedPrompt[]>
  /** Puts files into Langfuse, a new version where the text differs; none if one of them contains a credential. */
  push(options?: PushOptions): Promise<readonly PushedPrompt[]>
}

/** The prompts of a configuration, without an engine. `onNotice` receives why `list` names files instead of Langfuse. */
export function promptsOf(config: Config, onNotice: (message: string, code?: string) => void = () => {}): Prompts {
  const chosen = ({ ids = [] }: PromptsOptions) => filesNamed(ids, promptFiles(config))
  return {
    async list(options = {}) {
      const files = chosen(options)
      const label = options.label ?? config.settings.langfuse.promptLabel
      const managed = label === null ? null : managedPrompts(config, { label, cacheMs: 0, onNotice })
      if (label !== null && !managed) onNotice(filesInstead, 'config_invalid')
      const { prompts = [] } = (await managed?.choose()) ?? {}
      managed?.close()
      return files.map(({ prompt: { id, version }, path, name }) => {
        const langfuseVersion = prompts.find((each) => each.id === id)?.version ?? null
        return { id, version, path, name, source: langfuseVersion === null ? 'file' : 'langfuse', langfuseVersion }
      })
    },
    async diff({ onDone, ...options } = {}) {
      const label = labelFor(options, config)
      const files = chosen(options)
      return comparePrompts(await openApi(config, options), files, { label, ...(onDone && { onDone }) })
    },
    async push({ dryRun = false, onDone, ...options } = {}) {
      const label = labelFor(options, config)
      if (label === 'latest') throw new UsageError('Langfuse gives the label "latest" itself. Choose another.')
      const files = chosen(options)
      for (const file of files) refuseCredentials(file, redactor(credentialsIn(config)))
      return pushPrompts(await openApi(config, options), files, { label, dryRun, ...(onDone && { onDone }) })
    },
  }
}

const noKeys = 'LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are not both set.'
const filesInstead = `Prompts from Langfuse: ${noKeys} Files are used instead.`

function managedPrompts(
  config: Config,
  options: Pick<ManagedPromptsOptions, 'label' | 'cacheMs' | 'onNotice'>,
): ManagedPrompts | null {
  const access = langfuseAccess(config.environment)
  if (!access) return null
  const files = promptFiles(config)
  const names = new Map(files.map(({ prompt, name }) => [prompt, name]))
  return new ManagedPrompts({
    ...options,
    firstWaitMs: 1000 * config.settings.langfuse.promptWaitSeconds,
    files: files.map(({ prompt }) => prompt),
    nameOf: (prompt) => names.get(prompt) ?? prompt.id,
    open: (signal) => loadApi(access, config, signal),
  })
}

/** With a masked credential it would be another prompt than the file. */
function refuseCredentials({ prompt, path, name }: PromptFile, redact: Redact): void {
  const { id, inputs, system, user } = prompt
  if ([id, name, ...inputs, system, user].every((text) => redact(text) === text)) return
  throw new PromptInvalid(`${path} holds a credential, or what looks like one. It is not put into Langfuse.`)
}

/** The prompts that agents and specialists use, each once. */
function promptFiles({ settings }: Config): readonly PromptFile[] {
  const { agents, answer, specialists, promptsDir, langfuse } = settings
  const { secondReading, ...others } = agents
  const reader = answer.secondReading === 'never' ? [] : [secondReading]
  const used = [...Object.values(others), ...reader, ...Object.values(specialists)].map(({ prompt }) => prompt)
  const files = [...new Set(used)].map((file) => {
    const prompt = loadPrompt(file, promptsDir)
    return { prompt, path: promptPath(file, promptsDir), name: `${langfuse.promptPrefix}${prompt.id}` }
  })
  const twin = files.find(({ name }, at) => files.slice(0, at).some((other) => other.name === name))
  if (!twin) return files
  throw new PromptInvalid(
    `${twin.path}: another prompt has the id "${twin.prompt.id}" too; in Langfuse ids tell them apart.`,
  )
}

function filesNamed(ids: readonly string[], files: readonly PromptFile[]): readonly PromptFile[] {
  const unknown = ids.find((id) => files.every(({ prompt }) => prompt.id !== id))
  if (unknown === undefined) return ids.length === 0 ? files : files.filter(({ prompt }) => ids.includes(prompt.id))
  throw new UsageError(
    `No prompt "${unknown}" is in use; there are ${files.map(({ prompt }) => prompt.id).join(', ')}.`,
  )
}

function labelFor({ label }: PromptsOptions, { settings }: Config): string {
  const chosen = label ?? settings.langfuse.promptLabel
  if (chosen) return chosen
  throw new UsageError(
    'Say which label in Langfuse is meant: --label production, or langfuse.promptLabel in the settings.',
  )
}

function openApi(config: Config, { signal }: PromptsOptions): Promise<PromptApi> {
  const access = langfuseAccess(config.environment)
  if (!access) throw new ConfigInvalid(`${noKeys} Langfuse shows them in the settings of a project.`)
  return loadApi(access, config, signal)
}

async function loadApi(access: LangfuseAccess, config: Config, signal: AbortSignal | undefined): Promise<PromptApi> {
  const { promptApi } = await import('./prompt-api.ts')
  return promptApi(access, { redact: redactor(credentialsIn(config)), timeoutMs, ...(signal && { signal }) })
}
