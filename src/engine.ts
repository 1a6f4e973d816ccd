import { randomUUID } from 'node:crypto'
import type { AskOptions, AttemptChoices, Limits, Quaero } from './api.ts'
import type { Config } from './config.ts'
import { NoDocuments, NotReady } from './errors.ts'
import { fingerprintKey, fingerprintOf } from './graph/fingerprint.ts'
import type { buildGraph } from './graph/graph.ts'
import type { AddReport, Library } from './library/library.ts'
import { checkAskOptions, checkQuestion, checkResume } from './runs/check-options.ts'
import { EventQueue } from './runs/event-queue.ts'
import type { Plugin } from './runs/hooks/lifecycle.ts'
import type { RunLimits } from './runs/hooks/limits.ts'
import { requirePrice } from './runs/hooks/limits.ts'
import { tellShutdown } from './runs/hooks/plugins.ts'
import { runsIn } from './runs/log/run-log.ts'
import { threadIdFrom, threadsIn } from './runs/log/threads.ts'
import type { TransferParts } from './runs/log/transfer.ts'
import { verifyAll } from './runs/log/verify.ts'
import type { AttemptOptions, Runner } from './runs/runner.ts'
import type { StreamEvent, Subscriber } from './runs/stream-event.ts'
import type { Storage } from './storage/storage.ts'
import type { Tool } from './tools/tool.ts'

export interface EngineParts {
  readonly config: Config
  readonly storage: Storage
  readonly library: Library
  readonly runner: Runner
  readonly graph: ReturnType<typeof buildGraph>
  readonly tools: readonly Tool[]
  /** What questions are limited to unless they say otherwise. */
  readonly documents: readonly string[] | null
  readonly models: readonly { readonly name: string; readonly price: unknown }[]
  readonly plugins: readonly Plugin[]
}

/** The workflow over its parts: what `createQuaero` hands back. */
export class Engine implements Quaero {
  readonly library: Library
  readonly threads: Quaero['threads']
  readonly runs: Quaero['runs']
  readonly graph: Quaero['graph']
  readonly #parts: EngineParts
  readonly #keeping: TransferParts
  #closing: Promise<void> | null = null

  constructor(parts: EngineParts) {
    this.#parts = parts
    this.library = parts.library
    // A config without a thread id must still be one: without it LangGraph refuses to run unsaved.
    const configurable = { [fingerprintKey]: fingerprintOf(parts.graph) }
    this.graph = parts.graph.withConfig({ configurable }) as typeof parts.graph
    this.#keeping = {
      storage: parts.storage,
      graph: () => parts.graph,
      messageWindow: parts.config.settings.thread.messageWindow,
    }
    this.threads = threadsIn(this.#keeping)
    this.runs = runsIn(this.#keeping)
  }

  async ask(question: string, options: AskOptions = {}) {
    return this.runs.show(await this.#start(question, options))
  }

  stream(question: string, options: AskOptions = {}) {
    return this.#follow(options, (chosen, subscriber) => this.#start(question, chosen, subscriber))
  }

  async resume(runId: string, answers: Parameters<Quaero['resume']>[1] = {}, options: AttemptChoices = {}) {
    await this.#resume(runId, answers, options)
    return this.runs.show(runId)
  }

  resumeStream(runId: string, answers: Parameters<Quaero['resume']>[1] = {}, options: AttemptChoices = {}) {
    return this.#follow(options, (chosen, subscriber) => this.#resume(runId, answers, chosen, subscriber))
  }

  async cancel(runId: string) {
    await this.runs.status(runId)
    await this.#parts.runner.cancel(runId, 'user')
  }

  status(runId: string) {
    return this.runs.status(runId)
  }

  async replay(runId: string, to?: number) {
    return (await this.runs.replay(runId, to)).result
  }

  verify() {
    return verifyAll(this.#keeping)
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
    checkAskOptions(options)
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
    checkResume(answers, options)
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
    if (this.#parts.tools.some(({ name }) => !documentTools.has(name))) return
    const count = documents ? documents.length : (await passages.documents()).length
    if (count > 0) return
    throw new NoDocuments(
      documents
        ? `Nothing to search could be read from ${given.join(', ') || 'the documents given'}. PDF, Markdown, HTML, text and DOCX files are read; "quaero add <path>" says what is wrong with each.`
        : 'There is nothing to search: the library is empty and no web search is configured. Add documents with "quaero add <path>" or -d <path>, or set TAVILY_API_KEY or SEARXNG_URL.',
    )
  }

  /** Runs work, and yields what it tells its subscriber; leaving the loop early stops the run at a resumable point. */
  async *#follow<Options extends AttemptChoices>(
    options: Options,
    work: (options: Options, subscriber: Subscriber) => Promise<unknown>,
  ): AsyncGenerator<StreamEvent> {
    const queue = new EventQueue<StreamEvent>()
    const left = new AbortController()
    const done = work(stoppedBy(options, left.signal), (event) => queue.push(event)).then(
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
    const { runner, storage, plugins, config } = this.#parts
    try {
      await tellShutdown(plugins, 1000 * config.settings.shutdown.deadlineSeconds)
    } finally {
      for (const run of runner.inProgress) run.stop('shutdown')
      await Promise.allSettled(runner.inProgress.map(({ ended }) => ended))
      await storage.close()
    }
  }
}

/** Tools that find nothing where there are no documents. */
const documentTools: ReadonlySet<string> = new Set(['pdf_retrieval', 'read_passages', 'document_overview'])

/** The same options with one signal more; those that cannot be used are left as they are, to be refused as such. */
function stoppedBy<Options extends AttemptChoices>(options: Options, left: AbortSignal): Options {
  const outer: unknown = options?.signal
  if (options === null || (outer !== undefined && !(outer instanceof AbortSignal))) return options
  return { ...options, signal: outer ? AbortSignal.any([outer, left]) : left }
}

/** Ids of the documents that could be read, each once. */
export function idsOf({ documents }: AddReport): readonly string[] {
  return [...new Set(documents.flatMap(({ documentId }) => (documentId ? [documentId] : [])))]
}

/** What an attempt may do: the caller's choices, else the settings. */
export function attemptOptions(
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
