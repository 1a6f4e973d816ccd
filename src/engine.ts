import { randomUUID } from 'node:crypto'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { AskOptions, AttemptChoices, Quaero, StreamOptions } from './api.ts'
import {
  type AuditRequest,
  auditText,
  type CellAskerFrom,
  callModel,
  claimsOf,
  fillTable,
  type ModelCallOptions,
  type ReportAskerFrom,
  type ReportRequest,
  type TableRequest,
  withoutDocument,
  writeReport,
} from './claims/index.ts'
import type { Config } from './config.ts'
import type { Credentials } from './credentials/index.ts'
import { SearchedDocuments } from './engine-documents.ts'
import type { EngineLife } from './engine-life.ts'
import { type ToolRunOptions, toolsIn } from './engine-tools.ts'
import { AlreadyExists, NotReady, ThreadBusy } from './errors.ts'
import {
  cleanEvent,
  type EngineStatus,
  type Event,
  type Hooks,
  type RunStatus,
  type Subscribers,
} from './events/index.ts'
import { type Graph, graphVersion } from './graph/index.ts'
import type { Library } from './library/index.ts'
import { loadPrompt } from './prompts.ts'
import {
  type Answers,
  type ApprovalRules,
  checkAnswers,
  checkAskOptions,
  checkQuestion,
  checkResume,
  checkStreamOptions,
  checkToolOptions,
  Follower,
  type FollowOptions,
  type GroupRuns,
  givenLimits,
  isRepeated,
  limitsFrom,
  type Plugin,
  type QueuedAgain,
  type QueuedRuns,
  type Runner,
  type RunReader,
  type RunResult,
  type RunScores,
  requirePrice,
  resultOf,
  resumeIfInterrupted,
  runGroups,
  runIdOf,
  runReader,
  runsIn,
  type TransferParts,
  tellShutdown,
  threadIdFrom,
  threadsIn,
  traceUrlOf,
  unlessOverdue,
  verifyAll,
} from './runs/index.ts'
import { checkIdentifier, type Storage } from './storage/index.ts'
import { delegateTool, librarySearch, type Toolbox } from './tools/index.ts'

export interface EngineParts {
  readonly config: Config
  readonly storage: Storage
  /** The storage and the graph, for whatever reads, copies and checks stored runs. */
  readonly kept: TransferParts
  readonly library: Library
  readonly runner: Runner
  /** null where the storage has no queue. */
  readonly queue: QueuedRuns | null
  /** Questions are submitted there; null: they are worked on here. */
  readonly submitsTo: QueuedRuns | null
  readonly graph: Graph
  readonly toolbox: Toolbox
  /** A person's hooks, in the order given. */
  readonly hooks: readonly Hooks[]
  readonly approvals: ApprovalRules
  /** Ids of the documents that questions search by default. */
  readonly documents: readonly string[] | null
  readonly models: readonly { readonly name: string; readonly price: unknown }[]
  readonly plugins: readonly Plugin[]
  readonly life: EngineLife
  readonly audience: Subscribers
  readonly scores: RunScores
  readonly credentials: Credentials
}

/** What `createQuaero` returns. */
export class Engine implements Quaero {
  readonly library: Library
  readonly claims: Quaero['claims']
  readonly threads: Quaero['threads']
  readonly runs: Quaero['runs']
  readonly tools: Quaero['tools']
  readonly queue: Quaero['queue']
  readonly graph: Quaero['graph']
  readonly #parts: EngineParts
  readonly #closed = new AbortController()
  readonly #follower: Follower
  readonly #documents: SearchedDocuments
  readonly #group: GroupRuns
  #closing: Promise<void> | null = null
  /** Resolves when all results are read that were asked for. */
  #reading = Promise.resolve()

  constructor(parts: EngineParts) {
    this.#parts = parts
    this.library = parts.library
    // Without a config LangGraph refuses to run unsaved.
    this.graph = parts.graph.withConfig({ configurable: graphVersion })
    this.claims = claimsOf(parts.storage, parts.library)
    this.threads = threadsIn(parts.kept)
    this.runs = runsIn({ ...parts.kept, scores: parts.scores })
    this.tools = toolsIn({
      ...parts,
      timeoutMs: 1000 * parts.config.settings.tools.timeoutSeconds,
      prepare: (name, options) => this.#prepareTool(name, options),
    })
    this.queue = parts.queue
    this.#follower = new Follower(parts)
    this.#documents = new SearchedDocuments(parts)
    this.#group = runGroups(() => ({ ...parts.life.context(), emit: async (event) => this.#tell(event) }))
  }

  async ask(question: string, options: AskOptions = {}) {
    const { runId, ended } = await this.#start(question, options)
    if (ended) return this.#resultFrom(ended)
    // Another process may still work on the run that this request repeats.
    if (options.idempotencyKey !== undefined || this.#parts.submitsTo) await this.#untilOver({ runId }, options)
    return this.#result(runId)
  }

  stream(question: string, options: StreamOptions = {}) {
    return this.#follower.stream(async (reader) => {
      checkStreamOptions(options)
      const { onLeave: _, ...chosen } = options
      const { runId } = await this.#start(question, chosen, reader)
      return { runId, ...(options.signal && { signal: options.signal }) }
    }, options?.onLeave)
  }

  follow(runId: string, options: FollowOptions = {}) {
    return this.#follower.follow(runId, options)
  }

  watchThread(threadId: string, onNews: () => void, signal: AbortSignal) {
    return this.#follower.watchThread(threadId, onNews, signal)
  }

  async resume(runId: string, answers: Answers = {}, options: AttemptChoices = {}) {
    const again = await this.#resume(runId, answers, options)
    if (again) await this.#untilOver(again, options)
    return this.#result(runId)
  }

  resumeStream(runId: string, answers: Answers = {}, options: Parameters<Quaero['resumeStream']>[2] = {}) {
    return this.#follower.stream(async (reader) => {
      const again = await this.#resume(runId, answers, options, reader)
      return again && { ...again, ...(options.signal && { signal: options.signal }) }
    }, options?.onLeave)
  }

  table(request: TableRequest, asker: CellAskerFrom = (read) => ({ read, ask: (...asked) => this.ask(...asked) })) {
    const { storage, library, models } = this.#parts
    const modelNames = models.map(({ name }) => name)
    return fillTable(request, { library, modelNames, group: this.#group, ...asker(runReader(storage)) })
  }

  writeReport(request: ReportRequest, asker?: ReportAskerFrom) {
    const { runner, storage, library, models, config } = this.#parts
    const { promptsDir, limits } = config.settings
    const modelNames = models.map(({ name }) => name)
    const call = (question: string, options: ModelCallOptions) =>
      callModel(question, options, { runner, storage, limits: limitsFrom({}, limits) })
    return writeReport(request, {
      storage,
      library,
      modelNames,
      group: this.#group,
      writes: !modelNames.includes('extractive'),
      prompts: (name) => loadPrompt(name, promptsDir),
      ...(asker?.(runReader(storage), call) ?? {
        read: runReader(storage),
        ask: (...asked) => this.ask(...asked),
        call,
      }),
    })
  }

  audit(request: AuditRequest) {
    const { runner, storage, library, models, config } = this.#parts
    const { promptsDir, limits, agents } = config.settings
    const modelNames = models.map(({ name }) => name)
    return auditText(request, {
      storage,
      library,
      modelNames,
      group: this.#group,
      search: librarySearch(storage.library),
      prompt: modelNames.includes('extractive') ? null : loadPrompt(agents.secondReading.prompt, promptsDir),
      call: (question, options) => {
        const { model } = agents.secondReading
        const asked = { ...options, ...(model !== null && { model }) }
        return callModel(question, asked, { runner, storage, limits: limitsFrom({}, limits) })
      },
    })
  }

  async cancel(runId: string) {
    await this.runs.status(runId)
    await this.#parts.runner.cancel(runId, 'user')
  }

  status(): EngineStatus
  status(runId: string): Promise<RunStatus>
  status(runId?: string) {
    return runId === undefined ? this.#parts.life.status() : this.runs.status(runId)
  }

  async replay(runId: string, to?: number) {
    return (await this.runs.replay(runId, to)).result
  }

  replayWithout(runId: string, documentId: string, options: AttemptChoices = {}) {
    const { storage, library, models } = this.#parts
    const modelNames = models.map(({ name }) => name)
    const ask = (question: string, how: AskOptions) => this.ask(question, how)
    return withoutDocument(runId, documentId, { storage, library, modelNames, ask }, options)
  }

  verify() {
    return verifyAll(this.#parts.kept)
  }

  report() {
    return this.#parts.storage.report()
  }

  checkWrites() {
    return this.#parts.storage.checkWrites()
  }

  close() {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** To all subscribers, the traces among them, which get nothing else of the engine's own life. */
  #tell(event: Event): void {
    const { audience, credentials, life } = this.#parts
    audience.notify({ ...cleanEvent(event, credentials), runId: life.id, threadId: null })
  }

  /** Answers the question, or resumes the interrupted run of the same idempotency key. */
  async #start(question: string, options: AskOptions, reader?: RunReader): Promise<StartedRun> {
    this.#parts.life.requireReady()
    const asked = this.#parts.credentials.mask(checkQuestion(question))
    checkAskOptions(options)
    const threadId = threadIdFrom(options)
    const begin = (runId?: string) => this.#begin(asked, threadId ?? randomUUID(), options, { runId, reader })
    if (options.idempotencyKey === undefined) return begin()
    const runId = runIdOf(options.idempotencyKey)
    const { storage } = this.#parts
    const isKnown = () => isRepeated(runId, { question: asked, threadId }, storage.events)
    if (await isKnown()) {
      const { signal, limits, approve } = options
      const choices = { ...(signal && { signal }), ...(limits && { limits }), ...(approve && { approve }) }
      await resumeIfInterrupted(runId, () => this.#resume(runId, {}, choices, reader), storage)
      return { runId, ended: null }
    }
    return begin(runId).catch(async (error: unknown) => {
      // Another process was quicker with the same request.
      const isBeaten = error instanceof AlreadyExists || error instanceof ThreadBusy
      if (isBeaten && (await isKnown())) return { runId, ended: null }
      throw error
    })
  }

  async #begin(
    question: string,
    threadId: string,
    options: AskOptions,
    { runId, reader }: { readonly runId: string | undefined; readonly reader: RunReader | undefined },
  ): Promise<StartedRun> {
    const { runner, submitsTo, credentials } = this.#parts
    const { limits: own = {}, approve = 'ask', signal, userId, messageId, form, passages, plan } = options
    const { traceAttributes, traceParent } = options
    const limits = limitsFrom(own, this.#parts.config.settings.limits)
    requirePrice(limits, this.#parts.models)
    const scope = await this.#documents.of(threadId, options)
    await this.#documents.requireSome(scope.documents, options.documents ?? options.documentIds ?? [])
    const user = userId === undefined ? {} : { userId: credentials.mask(userId) }
    const named = messageId === undefined ? {} : { messageId: credentials.mask(messageId) }
    const formed = {
      ...(form !== undefined && { form: credentials.mask(form) }),
      ...(passages && { passages }),
      ...(plan && { plan }),
    }
    const traced = { ...(traceAttributes && { traceAttributes }), ...(traceParent && { traceParent }) }
    const request = { runId, question, threadId, ...scope, limits, approve, ...user, ...named, ...formed, ...traced }
    if (submitsTo) return { runId: await submitsTo.submit(request), ended: null }
    const run = await runner.submit(request)
    return { runId: run.runId, ended: await runner.work(run, { signal, reader }) }
  }

  /** Works on the run here, or puts it into the queue and tells where it goes on. */
  async #resume(
    runId: string,
    answers: Answers,
    options: AttemptChoices,
    reader?: RunReader,
  ): Promise<QueuedAgain | null> {
    this.#parts.life.requireReady()
    checkResume(answers, options)
    const { runner, submitsTo, storage, toolbox } = this.#parts
    const { threadId, status } = await storage.events.run(checkIdentifier('run', runId))
    const { limits = {}, approve, signal } = options
    requirePrice({ costUsd: limits.costUsd ?? null }, this.#parts.models)
    const choices = { limits: givenLimits(limits), ...(approve && { approve }) }
    if (submitsTo) return submitsTo.resubmit(runId, answers, choices)
    checkAnswers(runId, status, answers, (name, args) => toolbox.checkArgs(name, args))
    await runner.work({ runId, threadId }, { ...choices, answers, signal, reader })
    return null
  }

  /** The result that a reader of the log gets: a caller may change what it is given. */
  #resultFrom(log: readonly Event[]): RunResult {
    return structuredClone({ ...resultOf(log), traceUrl: traceUrlOf(log, this.#parts.kept) })
  }

  #result(runId: string) {
    const result = this.runs.show(runId)
    this.#reading = Promise.allSettled([this.#reading, result]).then(() => {})
    return result
  }

  async #untilOver({ runId, after = 0 }: { runId: string; after?: number }, { signal }: AttemptChoices) {
    for await (const _ of this.follow(runId, { after, ...(signal && { signal }) }));
  }

  async #prepareTool(name: string, options: ToolRunOptions) {
    this.#parts.life.requireReady()
    checkToolOptions(options)
    const threadId = threadIdFrom(options)
    const { documents: given, signal } = options
    const { documents } = threadId
      ? await this.#documents.of(threadId, options)
      : { documents: await this.#documents.named(given) }
    if (name !== delegateTool) await this.#documents.requireSome(documents, given ?? [], [name])
    return { documents, signal: AbortSignal.any([this.#closed.signal, ...(signal ? [signal] : [])]) }
  }

  #close(): Promise<void> {
    const { runner, queue, storage, plugins, audience, config, life } = this.#parts
    this.#closed.abort(new NotReady('This Quaero was closed while the tool was at work.'))
    const overdue = new AbortController()
    const timer = setTimeout(() => overdue.abort(), 1000 * config.settings.shutdown.deadlineSeconds)
    const stopped = life.stop('closed', async () => {
      try {
        await runner.ended()
        // Who waited for a run that has ended reads its result now.
        await turnOfTheLoop()
        await this.#reading
        // A worker that cannot leave the queue is seen to be gone by the others.
        await queue?.close().catch(() => {})
        await tellShutdown(plugins, overdue.signal)
      } finally {
        await unlessOverdue(audience.flush(), overdue.signal)
        clearTimeout(timer)
        await storage.close()
      }
    })
    queue?.stop()
    // All at once, before any of them can continue.
    runner.stop()
    return stopped
  }
}

/** A run that was started, and its log where that is known without reading it. */
interface StartedRun {
  readonly runId: string
  readonly ended: readonly Event[] | null
}
