import type { Quaero, StartingQuaero } from './api.ts'
import {
  approvalRules,
  assembleAgents,
  assembleReranking,
  assembleSemanticIndex,
  assembleTools,
  assembleWatchers,
  describePlace,
  describeWatchers,
  embeddingModel,
  openStorage,
  type Ranking,
  rerankingModel,
  tellMissingTools,
  traceUrls,
} from './assembly/index.ts'
import type { CellAskerFrom, ReportAskerFrom, ReportRequest, TableRequest } from './claims/index.ts'
import { type AgentName, type Config, loadConfig, readEnvironment } from './config.ts'
import { type Credentials, credentialsOf, withCleanErrors } from './credentials/index.ts'
import { Engine } from './engine.ts'
import { addGiven, inTurn, tellFallen } from './engine-documents.ts'
import { EngineLife } from './engine-life.ts'
import { EngineStart } from './engine-start.ts'
import { asError } from './errors.ts'
import { type Hooks, Subscribers } from './events/index.ts'
import { buildGraph } from './graph/index.ts'
import { assemblePrompts } from './langfuse/index.ts'
import { addOpened, type Library, openLibrary, type SearchNotice } from './library/index.ts'
import { loadPrompt } from './prompts.ts'
import { checkQuaeroOptions, type QuaeroOptions } from './quaero-options.ts'
import {
  type AddOpenedFile,
  directInvocation,
  hookCalls,
  hooksOf,
  limitsFrom,
  type Plugin,
  pluginsFrom,
  QueuedFiles,
  QueuedRuns,
  Runner,
  rehearsal,
  retry,
  summarise,
  tellReady,
} from './runs/index.ts'
import type { Storage } from './storage/index.ts'
import { guardOutgoing, Toolbox } from './tools/index.ts'

export type { QuaeroOptions }

/**
 * Opens the library and the log, chooses who answers, and joins the parts: the one place where they meet.
 * Throws `UsageError` for options that are none, `ConfigInvalid`, `StorageUnavailable`, `SchemaUnsupported`, `PathNotFound`.
 */
export async function createQuaero(options: QuaeroOptions = {}): Promise<Quaero> {
  return startQuaero(options).ready()
}

/**
 * The same, but returns at once: what is asked waits until the start is through, and `status()` tells how far it is.
 * Throws `UsageError` for options that are none.
 */
export function startQuaero(options: QuaeroOptions = {}): StartingQuaero {
  checkQuaeroOptions(options)
  const { subscribers = [] } = options
  // The settings may add some, once they are read.
  const credentials = credentialsOf(options.config ?? { environment: readEnvironment() })
  const onNotice = isolated(options.onNotice, credentials)
  const plugins = pluginsFrom(options.hooks)
  const audience = new Subscribers(subscribers, (error) =>
    onNotice(`A subscriber failed and receives no more events: ${asError(error).message}`),
  )
  const life = new EngineLife({ hooks: hooksOf(plugins), audience, credentials })
  const start: Start = { ...options, life, plugins, audience, onNotice }
  return new EngineStart(life, (signal) => life.start(signal, () => open(start, signal)))
}

/** Errors of the callback are ignored. */
function isolated(onNotice: QuaeroOptions['onNotice'], { hide }: Credentials): (message: string) => void {
  return (message) => {
    try {
      onNotice?.(hide(message))
    } catch {
      // A notice about a failed notice would fail too.
    }
  }
}

interface Start extends QuaeroOptions {
  readonly life: EngineLife
  readonly plugins: readonly Plugin[]
  readonly audience: Subscribers
  readonly onNotice: (message: string) => void
}

async function open(start: Start, signal: AbortSignal): Promise<Quaero> {
  const { life, plugins } = start
  const config = await life.step('config', { signal }, () => start.config ?? loadConfigOf(start))
  const dataDir = start.dataDir ?? config.environment.home ?? config.settings.dataDir
  const credentials = credentialsOf(config)
  const place = { dataDir, address: config.settings.storage }
  const storage = await life.step('storage', { signal, describe: () => describePlace(place) }, () =>
    openStorage(place, credentials.mask),
  )
  try {
    const engine = await joinParts({ ...start, config, credentials, dataDir, storage }, signal)
    await tellReady(plugins, signal)
    return withoutCredentials(engine, credentials)
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** The one place where errors of an engine, and of what it gives out, are cleaned. */
function withoutCredentials(engine: Engine, { hide }: Credentials): Quaero {
  const { library, claims, threads, runs, tools, queue } = engine
  const clean = withCleanErrors(engine, hide)
  const { table, writeReport } = clean
  return Object.assign(clean, {
    table: (request: TableRequest, asker?: CellAskerFrom) => withCleanErrors(table(request, asker), hide),
    writeReport: (request: ReportRequest, asker?: ReportAskerFrom) =>
      withCleanErrors(writeReport(request, asker), hide),
    library: withCleanErrors(
      { ...library, without: (ids: readonly string[]) => withCleanErrors(library.without(ids), hide) },
      hide,
    ),
    claims: withCleanErrors(claims, hide),
    threads: withCleanErrors(threads, hide),
    runs: withCleanErrors(runs, hide),
    tools: withCleanErrors(tools, hide),
    queue: queue && withCleanErrors(queue, hide),
  })
}

interface Opened extends Start {
  readonly config: Config
  readonly credentials: Credentials
  readonly dataDir: string
  readonly storage: Storage
}

async function joinParts(opened: Opened, signal: AbortSignal): Promise<Engine> {
  const { config, storage, life, onNotice, credentials } = opened
  const { settings } = config
  const { library, addOpenedFile, ...ranking } = await life.step('library', { signal }, () => openLibraryWith(opened))
  const { toolbox, agents, models, specialists, reader, chatFor } = await life.step(
    'models',
    { signal, describe: (made) => namesOf(made.models) },
    () => assemble(opened, ranking),
  )
  const { sessionLogs, subscribers, scores } = await life.step('tracing', { signal, describe: describeWatchers }, () =>
    assembleWatchers({ ...opened, endingLog: (runId) => runner.attemptAt(runId)?.endedLog() ?? null }),
  )
  const audience = opened.audience.withOwn(subscribers)
  const asked = [...Object.values(models), ...specialists.map(({ chat }) => chat), ...(reader ? [reader] : [])]
  const plugins = [...assemblePrompts(config, asked, onNotice), ...opened.plugins]
  const hooks = [...rehearsal(models.synthesis), ...summarising(settings), ...hooksOf(plugins)]
  const approvals = approvalRules(settings.tools, toolbox, storage.library)
  const { messageWindow } = settings.thread
  const kept = { storage, graph: () => graph, messageWindow, sessionLogs, traceUrl: traceUrls(config) }
  const runner: Runner = new Runner({
    ...kept,
    hooks,
    callModel: hookCalls({ chatFor }),
    audience,
    modelName: models.synthesis.name,
    credentials,
    needsApproval: approvals.asksNow,
    checkArgs: (name, args) => toolbox.checkArgs(name, args),
    ...runnerSettings(settings),
  })
  const graph = buildGraph({
    agents,
    checkpointer: storage.checkpointer,
    messageWindow,
    scope: directInvocation({ runner, credentials, requireReady: () => life.requireReady() }),
  })
  const documents = await addGiven(opened, library, signal)
  const queue = queueOf(opened, { runner, toolbox, audience, addOpenedFile })
  return new Engine({
    config,
    storage,
    kept,
    library,
    runner,
    queue,
    submitsTo: opened.queued ? queue : null,
    graph,
    toolbox,
    hooks,
    approvals,
    documents,
    models: [...asked, ...embeddingModel(settings), ...rerankingModel(config)],
    plugins,
    life,
    audience,
    scores,
    credentials,
  })
}

/** Null where the storage has no queue. */
function queueOf(
  { storage, config: { settings }, onNotice }: Opened,
  {
    toolbox,
    addOpenedFile,
    ...parts
  }: {
    readonly runner: Runner
    readonly audience: Subscribers
    readonly toolbox: Toolbox
    readonly addOpenedFile: AddOpenedFile
  },
): QueuedRuns | null {
  const { queue, files, library: index } = storage
  if (!queue || !files) return null
  const { drainSeconds, waitingPerUser, ...limits } = settings.queue
  return new QueuedRuns({
    ...parts,
    storage,
    queue,
    files: new QueuedFiles({ files, index, settings: settings.library, addOpenedFile }),
    limits,
    waitingPerUser,
    drainMs: 1000 * drainSeconds,
    checkArgs: (name, args) => toolbox.checkArgs(name, args),
    onError: (error) => onNotice(`A worker goes on after an error: ${asError(error).message}`),
  })
}

function runnerSettings(settings: Config['settings']) {
  const { endpoint, shutdown, thread } = settings
  return {
    retry: retry({ retries: endpoint.retries, budgetMs: 1000 * endpoint.retryBudgetSeconds }),
    limits: limitsFrom({}, settings.limits),
    gracePeriodMs: 1000 * shutdown.deadlineSeconds,
    waitWhenBusyMs: thread.whenBusy === 'wait' ? 1000 * thread.waitSeconds : 0,
  }
}

function loadConfigOf({ configFile, settings }: QuaeroOptions): Config {
  return loadConfig({ ...(configFile && { file: configFile }), ...(settings && { overrides: settings }) })
}

function openLibraryWith({ config, storage, life, onNotice }: Opened) {
  const { settings } = config
  const ranking = { semantic: assembleSemanticIndex(config, storage), reranking: assembleReranking(config) }
  const parts = {
    index: storage.library,
    settings: settings.library,
    passages: settings.search.passages,
    vectors: storage.vectors,
    ...ranking,
    onNotice: ({ message }: SearchNotice) => onNotice(message),
    context: () => life.context(),
    fallenBy: (documentIds: readonly string[]) =>
      tellFallen(documentIds, { storage, library, context: life.context(), onNotice }),
    alone: inTurn(storage.leases),
    closing: life.closing.signal,
  }
  const addOpenedFile: AddOpenedFile = (file, options) => addOpened(file, options, parts)
  const library: Library = openLibrary(parts)
  return { library, addOpenedFile, ...ranking }
}

async function assemble({ config, storage, onNotice, dataDir, ...options }: Opened, ranking: Ranking) {
  const builtIn = await assembleTools(config, storage.library, ranking)
  const toolbox = new Toolbox([...builtIn, ...(options.tools ?? [])], guardOutgoing(storage.library))
  tellMissingTools(config.settings.specialists, toolbox, onNotice)
  const agents = await assembleAgents({
    config,
    dataDir,
    model: options.model ?? null,
    index: storage.library,
    tools: () => toolbox.list(),
    own: options.agents ?? {},
  })
  return { ...agents, toolbox }
}

function namesOf(models: Readonly<Record<AgentName, { readonly name: string }>>): string {
  return [...new Set(Object.values(models).map(({ name }) => name))].join(', ')
}

function summarising({ history, promptsDir }: Config['settings']): readonly Hooks[] {
  const { summariseAtPercent: atPercent, ...options } = history
  return atPercent === null ? [] : [summarise({ atPercent, ...options, prompt: loadPrompt('summarise', promptsDir) })]
}
