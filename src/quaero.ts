import { join } from 'node:path'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { BaseAgent } from './agents/base-agent.ts'
import type { Quaero } from './api.ts'
import { assembleAgents } from './assemble-agents.ts'
import { assembleSemanticIndex } from './assemble-semantic-index.ts'
import { assembleTools } from './assemble-tools.ts'
import { type AgentName, type Config, loadConfig, type SettingsOverrides } from './config.ts'
import { attemptOptions, Engine, idsOf } from './engine.ts'
import { buildGraph } from './graph/graph.ts'
import type { AddProgress, EmbedProgress } from './library/library.ts'
import { openLibrary } from './library/open-library.ts'
import type { Plugin } from './runs/hooks/lifecycle.ts'
import { hooksOf, pluginsFrom, tellReady } from './runs/hooks/plugins.ts'
import { retry } from './runs/hooks/retry.ts'
import { plainInvocation } from './runs/plain-invocation.ts'
import { Runner } from './runs/runner.ts'
import type { Subscriber } from './runs/stream-event.ts'
import { openSqliteStorage } from './storage/sqlite/sqlite-storage.ts'
import type { Storage } from './storage/storage.ts'
import type { Tool } from './tools/tool.ts'

export interface QuaeroOptions {
  /** A configuration that is already loaded; otherwise it is read from `configFile`, with `settings` laid over it. */
  readonly config?: Config
  readonly configFile?: string
  readonly settings?: SettingsOverrides
  /** Where everything is kept; `:memory:` keeps nothing. */
  readonly dataDir?: string
  /** `openai:<name>`, `extractive`, or a chat model of your own, for all agents. */
  readonly model?: string | BaseChatModel
  /** Files and folders to add if they are new or changed; questions are then limited to them. */
  readonly documents?: readonly string[]
  /** Hooks change what happens: one plugin, or several in the order given; the first is outermost. */
  readonly hooks?: Plugin | readonly Plugin[]
  /** Subscribers watch what happens. */
  readonly subscribers?: readonly Subscriber[]
  /** Tools of your own, beside the built-in ones. */
  readonly tools?: readonly Tool[]
  /** Agents of your own, in place of the built-in ones. */
  readonly agents?: Partial<Readonly<Record<AgentName, BaseAgent>>>
  /** Told of what a person should know but no run depends on, for instance a subscriber that fails. */
  readonly onNotice?: (message: string) => void
  readonly onAddProgress?: (progress: AddProgress) => void
  readonly onEmbedProgress?: (progress: EmbedProgress) => void
}

/**
 * Opens the library and the log, chooses who answers, and joins the parts: the one place where they meet.
 * Throws `ConfigInvalid`, `StorageUnavailable`, `SchemaUnsupported`, `PathNotFound`.
 */
export async function createQuaero(options: QuaeroOptions = {}): Promise<Quaero> {
  const config =
    options.config ??
    loadConfig({
      ...(options.configFile && { file: options.configFile }),
      ...(options.settings && { overrides: options.settings }),
    })
  const { settings } = config
  const storage = await openSqliteStorage({
    path: databasePath(options.dataDir ?? config.environment.home ?? settings.dataDir),
  })
  try {
    return await open(options, config, storage)
  } catch (error) {
    await storage.close()
    throw error
  }
}

async function open(options: QuaeroOptions, config: Config, storage: Storage): Promise<Quaero> {
  const { settings } = config
  const { onNotice = () => {}, subscribers = [] } = options
  const plugins = pluginsFrom(options.hooks)
  const semantic = assembleSemanticIndex(config, storage)
  const library = openLibrary({
    index: storage.passages,
    settings: settings.library,
    passages: settings.search.passages,
    vectors: storage.vectors,
    semantic,
    onNotice: ({ message }) => onNotice(message),
  })
  const tools = [...(await assembleTools(config, storage.passages, semantic)), ...(options.tools ?? [])]
  const { agents, models } = await assembleAgents({
    config,
    model: options.model ?? null,
    index: storage.passages,
    tools,
    own: options.agents ?? {},
  })
  const runner: Runner = new Runner({
    storage,
    graph: () => graph,
    hooks: hooksOf(plugins),
    retry: retry({ retries: settings.endpoint.retries, budgetMs: 1000 * settings.endpoint.retryBudgetSeconds }),
    subscribers,
    onSubscriberError: (error) =>
      onNotice(`A subscriber failed and is told no more: ${error instanceof Error ? error.message : error}`),
    modelName: models.synthesis.name,
    needsApproval: (name) => needsApproval(name, tools, settings.tools.trust),
    patienceMs: 1000 * settings.shutdown.deadlineSeconds,
    messageWindow: settings.thread.messageWindow,
    waitWhenBusyMs: settings.thread.whenBusy === 'wait' ? 1000 * settings.thread.waitSeconds : 0,
  })
  const graph = buildGraph({
    agents,
    checkpointer: storage.checkpointer,
    messageWindow: settings.thread.messageWindow,
    scope: plainInvocation((run, work) =>
      runner.workOnPlainRun(run, attemptOptions({ signal: run.signal }, config), work),
    ),
  })
  const added = options.documents ? await library.add(options.documents, addOptions(options)) : null
  await tellReady(plugins)
  return new Engine({
    config,
    storage,
    library,
    runner,
    graph,
    tools,
    documents: added && idsOf(added),
    models: [...Object.values(models), ...embeddingModel(settings)],
    plugins,
  })
}

function databasePath(dataDir: string): string {
  return dataDir === ':memory:' ? dataDir : join(dataDir, 'quaero.db')
}

function addOptions({ onAddProgress, onEmbedProgress }: QuaeroOptions) {
  return { ...(onAddProgress && { onProgress: onAddProgress }), ...(onEmbedProgress && { onEmbedProgress }) }
}

/** What embeds the queries of a run, if anything does: it counts where money is limited. */
function embeddingModel({ search, prices }: Config['settings']) {
  const { model } = search.embeddings
  if (model === null) return []
  return [{ name: model, price: Object.hasOwn(prices, model) ? prices[model] : null }]
}

function needsApproval(name: string, tools: readonly Tool[], trust: Config['settings']['tools']['trust']): boolean {
  if (trust === 'open') return false
  return trust === 'strict' || tools.find((tool) => tool.name === name)?.sensitive === true
}
