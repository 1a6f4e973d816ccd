import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { BaseAgent } from './agents/base-agent.ts'
import type { AskOptions, AttemptChoices, Limits, Quaero } from './api.ts'
import { assembleAgents } from './assemble-agents.ts'
import { assembleTools } from './assemble-tools.ts'
import { type AgentName, type Config, loadConfig, type SettingsOverrides } from './config.ts'
import { NoDocuments, NotReady, UsageError } from './errors.ts'
import type { Hooks } from './events/index.ts'
import { buildGraph } from './graph/graph.ts'
import type { AddProgress, AddReport, Library } from './library/library.ts'
import { openLibrary } from './library/open-library.ts'
import { EventQueue } from './runs/event-queue.ts'
import type { RunLimits } from './runs/limits.ts'
import { requirePrice } from './runs/limits.ts'
import { plainInvocation } from './runs/plain-invocation.ts'
import { retry } from './runs/retry.ts'
import { runsIn } from './runs/run-log.ts'
import { type AttemptOptions, Runner } from './runs/runner.ts'
import type { StreamEvent, Subscriber } from './runs/stream-event.ts'
import { threadIdFrom, threadsIn } from './runs/threads.ts'
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
  /** Hooks change what happens. In the order given; the first is outermost. */
  readonly hooks?: readonly Hooks[]
  /** Subscribers watch what happens. */
  readonly subscribers?: readonly Subscriber[]
  /** Tools of your own, beside the built-in ones. */
  readonly tools?: readonly Tool[]
  /** Agents of your own, in place of the built-in ones. */
  readonly agents?: Partial<Readonly<Record<AgentName, BaseAgent>>>
  /** Told of what a person should know but no run depends on, for instance a subscriber that fails. */
  readonly onNotice?: (message: string) => void
  readonly onAddProgress?: (progress: AddProgress) => void
}

/** Longer questions are refused: they are documents, not questions. Characters. */
const longestQuestion = 20_000

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
  const { onNotice = () => {}, hooks = [], subscribers = [] } = options
  const library = openLibrary({
    index: storage.passages,
    settings: settings.library,
    passages: settings.search.passages,
  })
  const tools = [...(await assembleTools(config, storage.passages)), ...(options.tools ?? [])]
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
    hooks,
    retry: retry({ retries: settings.endpoint.retries, budgetMs: 1000 * settings.endpoint.retryBudgetSeconds }),
    subscribers,
    onSubscriberError: (error) =>
      onNotice(`A subscriber failed and is told no more: ${error instanceof Error ? error.message : error}`),
    modelName: models.synthesis.name,
    needsApproval: (name) => needsApproval(name, tools, settings.tools.trust),
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
  return new Engine({
    config,
    storage,
    library,
    runner,
    graph,
    tools,
    documents: added && idsOf(added),
    models: Object.values(models),
  })
}

interface EngineParts {
  readonly config: Config
  readonly storage: Storage
  readonly library: Library
  readonly runner: Runner
  readonly graph: ReturnType<typeof buildGraph>
  readonly tools: readonly Tool[]
  /** What questions are limited to unless they say otherwise. */
  readonly documents: readonly string[] | null
  readonly models: readonly { readonly name: string; readonly price: unknown }[]
}

class Engine implements Quaero {
  readonly library: Library
  readonly threads: Quaero['threads']
  readonly runs: Quaero['runs']
  readonly graph: Quaero['graph']
  readonly #parts: EngineParts
  #closing: Promise<void> | null = null

  constructor(parts: EngineParts) {
    this.#parts = parts
    this.library = parts.library
    // A config without a thread id must still be one: without it LangGraph refuses to run unsaved.
    this.graph = parts.graph.withConfig({ configurable: {} }) as typeof parts.graph
    this.threads = threadsIn({ storage: parts.storage, graph: () => parts.graph })
    this.runs = runsIn(parts.storage)
  }

  async ask(question: string, options: AskOptions = {}) {
    return this.runs.show(await this.#start(question, options))
  }

  stream(question: string, options: AskOptions = {}) {
    return this.#follow(options.signal, (signal, subscriber) =>
      this.#start(question, { ...options, signal }, subscriber),
    )
  }

  async resume(runId: string, answers: Parameters<Quaero['resume']>[1] = {}, options: AttemptChoices = {}) {
    await this.#resume(runId, answers, options)
    return this.runs.show(runId)
  }

  resumeStream(runId: string, answers: Parameters<Quaero['resume']>[1] = {}, options: AttemptChoices = {}) {
    return this.#follow(options.signal, (signal, subscriber) =>
      this.#resume(runId, answers, { ...options, signal }, subscriber),
    )
  }

  async cancel(runId: string) {
    await this.runs.status(runId)
    await this.#parts.runner.cancel(runId, 'user')
  }

  status(runId: string) {
    return this.runs.status(runId)
  }

  report() {
    return this.#parts.storage.report()
  }

  close() {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #start(question: string, options: AskOptions, subscriber?: Subscriber): Promise<string> {
    const { runner, storage } = this.#parts
    this.#refuseWhileClosing()
    const asked = checkQuestion(question)
    const threadId = threadIdFrom(options) ?? randomUUID()
    const choices = this.#attemptOptions(options, subscriber)
    const documents = await this.#documentsFor(threadId, options)
    await this.#requireSomethingToSearch(documents, options.documents ?? [], storage)
    return runner.start({
      question: asked,
      threadId,
      documents,
      ...(options.userId !== undefined && { userId: options.userId }),
      ...choices,
    })
  }

  async #resume(
    runId: string,
    answers: Parameters<Quaero['resume']>[1] = {},
    options: AttemptChoices,
    subscriber?: Subscriber,
  ) {
    this.#refuseWhileClosing()
    await this.runs.status(runId)
    await this.#parts.runner.resume(runId, answers, this.#attemptOptions(options, subscriber))
  }

  #attemptOptions(options: AttemptChoices, subscriber?: Subscriber): AttemptOptions {
    const chosen = attemptOptions(options, this.#parts.config)
    requirePrice(chosen.limits, this.#parts.models)
    return { ...chosen, ...(subscriber && { subscriber }) }
  }

  /** Those named now, else those of the thread's last question, else those the engine was opened with, else all. */
  async #documentsFor(threadId: string, { documents }: AskOptions): Promise<readonly string[] | null> {
    if (documents) return idsOf(await this.library.add(documents))
    const last = await this.#parts.storage.events.latestRun(threadId)
    if (!last) return this.#parts.documents
    for await (const event of this.runs.events(last.runId)) {
      if (event.type === 'run.created') return event.payload.documents
    }
    return this.#parts.documents
  }

  async #requireSomethingToSearch(
    documents: readonly string[] | null,
    given: readonly string[],
    { passages }: Storage,
  ): Promise<void> {
    if (this.#parts.tools.some(({ name }) => name !== 'pdf_retrieval')) return
    const count = documents ? documents.length : (await passages.documents()).length
    if (count > 0) return
    throw new NoDocuments(
      documents
        ? `Nothing to search could be read from ${given.join(', ') || 'the documents given'}. PDF, Markdown, HTML, text and DOCX files are read; "quaero add <path>" says what is wrong with each.`
        : 'There is nothing to search: the library is empty and no web search is configured. Add documents with "quaero add <path>" or -d <path>, or set TAVILY_API_KEY or SEARXNG_URL.',
    )
  }

  /** Runs work, and yields what it tells its subscriber; leaving the loop early stops the run at a resumable point. */
  async *#follow(
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal, subscriber: Subscriber) => Promise<unknown>,
  ): AsyncGenerator<StreamEvent> {
    const queue = new EventQueue<StreamEvent>()
    const left = new AbortController()
    const signal = outer ? AbortSignal.any([outer, left.signal]) : left.signal
    const done = work(signal, (event) => queue.push(event)).then(
      () => queue.close(),
      (error: unknown) => queue.close(error),
    )
    try {
      yield* queue
    } finally {
      left.abort()
      await done
    }
  }

  #refuseWhileClosing(): void {
    if (this.#closing !== null) throw new NotReady('This Quaero is closed, or closing, and takes no more questions.')
  }

  async #close(): Promise<void> {
    const { runner, storage } = this.#parts
    for (const run of runner.inProgress) run.stop('shutdown')
    await Promise.allSettled(runner.inProgress.map(({ ended }) => ended))
    await storage.close()
  }
}

function databasePath(dataDir: string): string {
  return dataDir === ':memory:' ? dataDir : join(dataDir, 'quaero.db')
}

function addOptions({ onAddProgress }: QuaeroOptions) {
  return onAddProgress ? { onProgress: onAddProgress } : {}
}

function idsOf({ documents }: AddReport): readonly string[] {
  return [...new Set(documents.flatMap(({ documentId }) => (documentId ? [documentId] : [])))]
}

function checkQuestion(question: string): string {
  const asked = question.trim()
  if (asked === '')
    throw new UsageError('The question is empty. Ask something, for instance: quaero ask "What was measured?"')
  if (asked.length <= longestQuestion) return asked
  throw new UsageError(
    `The question has ${asked.length.toLocaleString('en')} characters; at most ${longestQuestion.toLocaleString('en')} are read. Add long text as a document instead.`,
  )
}

function needsApproval(name: string, tools: readonly Tool[], trust: Config['settings']['tools']['trust']): boolean {
  if (trust === 'open') return false
  return trust === 'strict' || tools.find((tool) => tool.name === name)?.sensitive === true
}

function attemptOptions(
  { limits = {}, approve = 'ask', signal }: AttemptChoices,
  { settings }: Config,
): AttemptOptions {
  return { limits: limitsFrom(limits, settings), approve, ...(signal && { signal }) }
}

function limitsFrom(own: Limits, { limits: { wallClockSeconds, ...rest } }: Config['settings']): RunLimits {
  const defaults: RunLimits = { ...rest, wallClockMs: wallClockSeconds && 1000 * wallClockSeconds }
  const given = Object.entries(own).filter(([, value]) => value !== undefined && value !== null)
  return { ...defaults, ...Object.fromEntries(given) }
}
