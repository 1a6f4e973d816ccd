import { inspect } from 'node:util'

/** Every error this package throws on purpose. `code` is stable; `message` says what happened and what to do. */
export abstract class QuaeroError extends Error {
  abstract readonly code: string
  /** The run cannot continue: repeating the step, or leaving it out, cannot help. */
  readonly endsRun: boolean = false

  override get name(): string {
    return this.constructor.name
  }
}

/** What was thrown, as an error: anything can be thrown, `null` too. */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown
  return new Error(typeof thrown === 'string' ? thrown : `${inspect(thrown)} was thrown`, { cause: thrown })
}

/** The run continues: the model gets the message as an observation. */
export abstract class RecoverableError extends QuaeroError {}

/** A failure that a model cannot repair, so it is not returned to the model as an observation. */
export abstract class TerminalError extends QuaeroError {}

/** Stated, since declarations would name all that Node.js adds to `Error`, for programs without its types too. */
type Coded<Base extends QuaeroError, Code extends string> = new (
  message?: string,
  options?: ErrorOptions,
) => Base & { readonly code: Code }

function terminal<const Code extends string>(code: Code): Coded<TerminalError, Code> {
  return class extends TerminalError {
    readonly code = code
  }
}

function endingRun<const Code extends string>(code: Code): Coded<TerminalError, Code> {
  return class extends TerminalError {
    readonly code = code
    override readonly endsRun = true
  }
}

function recoverable<const Code extends string>(code: Code): Coded<RecoverableError, Code> {
  return class extends RecoverableError {
    readonly code = code
  }
}

function usage<const Code extends string>(code: Code): Coded<UsageError, Code> {
  return class extends UsageError {
    override readonly code = code
  }
}

// What a person asked for that is not there, or not possible.

/** A command or call that cannot be understood: wrong option, empty question, no documents. CLI exit 2. */
export class UsageError extends TerminalError {
  readonly code: string = 'usage'
}

/** There is nothing to search: no documents in the library, and no web search configured. */
export class NoDocuments extends usage('no_documents') {}

/** A filter means none of the documents there are. */
export class NothingMatches extends usage('nothing_matches') {}

/** A filter of documents that cannot be read; `position` is the character at which it cannot, from 0. */
export class FilterInvalid extends UsageError {
  override readonly code = 'filter_invalid'
  readonly position: number

  constructor(problem: string, position: number) {
    super(`The filter cannot be read at character ${position + 1}: ${problem}.`)
    this.position = position
  }
}

/** A file or folder that does not exist or cannot be read. */
export class PathNotFound extends usage('path_not_found') {}

/** The named thread has no messages. */
export class ThreadNotFound extends terminal('thread_not_found') {}

/** The named run is not in the log. */
export class RunNotFound extends terminal('run_not_found') {}

/** The named document or page is not in the library. */
export class DocumentNotFound extends terminal('document_not_found') {}

/** What a document was named by fits several; their ids stand in `candidates`. */
export class DocumentAmbiguous extends UsageError {
  override readonly code = 'document_ambiguous'
  readonly candidates: readonly string[]

  constructor(message: string, candidates: readonly string[]) {
    super(message)
    this.candidates = candidates
  }
}

/** A score whose name or value cannot be used. */
export class ScoreInvalid extends usage('score_invalid') {}

/** A thread or run id outside `[A-Za-z0-9_-]{1,128}`. */
export class InvalidId extends usage('invalid_id') {}

/** Another run holds this thread; nothing of the refused question was stored. CLI exit 5. */
export class ThreadBusy extends terminal('thread_busy') {}

/** An answer to an approval that was already answered, or that the run does not wait for. */
export class StaleApproval extends terminal('stale_approval') {}

/** The run has already ended, so there is nothing to resume. */
export class RunEnded extends terminal('run_ended') {}

/** The run is still under way or waits, and what was asked for needs one that has ended. */
export class RunUnfinished extends terminal('run_unfinished') {
  /** The code of what the run failed of, if it did. */
  readonly failure: string | undefined

  constructor(message: string, failure?: string) {
    super(message)
    this.failure = failure
  }
}

/** A run or thread of this id is there already. */
export class AlreadyExists extends usage('already_exists') {}

/** An idempotency key that stands for another question already. Nothing was stored. */
export class IdempotencyKeyReused extends usage('idempotency_key_reused') {}

/** A file that is to be imported is not the log of a run. */
export class ImportInvalid extends usage('import_invalid') {}

/** As many questions of the user wait in the queue as `queue.waitingPerUser` allows; nothing was stored. Ask again later. */
export class TooManyWaiting extends terminal('too_many_waiting') {}

/** The engine is shutting down, or its start failed, and takes no more questions. */
export class NotReady extends terminal('not_ready') {}

// Configuration. CLI exit 78.

/** A setting that is unknown, missing or of the wrong kind. */
export class ConfigInvalid extends endingRun('config_invalid') {}

/** A prompt file that is missing, malformed, or asks for a variable that it is not given. */
export class PromptInvalid extends endingRun('prompt_invalid') {}

// Search by meaning.

/** Vectors that cannot be used: not one for each text, not of the dimension wanted, not finite, or all zeros. */
export class EmbeddingInvalid extends terminal('embedding_invalid') {}

/** A ranking that cannot be used: no list of scores, or one of other texts. */
export class RerankingInvalid extends terminal('reranking_invalid') {}

// Storage.

/** The database cannot be opened or written: missing folder, read-only, full disk, not a database. */
export class StorageUnavailable extends TerminalError {
  readonly code: string = 'storage_unavailable'
  override readonly endsRun = true
}

/** Another process has taken over the thread, so this one can store nothing more of its run. The run can be resumed. */
export class LeaseLost extends StorageUnavailable {
  override readonly code = 'lease_lost'
}

/** The database was written by a newer version of this package. */
export class SchemaUnsupported extends terminal('schema_unsupported') {}

/** A value that a checkpoint cannot keep, with the path at which it stands. */
export class UnsupportedValue extends endingRun('unsupported_value') {}

/** An event of an unknown type, or with a payload that its schema refuses. */
export class EventInvalid extends endingRun('event_invalid') {}

/** A route that the graph does not have. */
export class UnknownRoute extends terminal('unknown_route') {}

/** A hook that threw; its name stands in the message. */
export class HookFailed extends endingRun('hook_failed') {}

/** A hook asks a model, and there is none that could answer anything. */
export class NoModel extends endingRun('no_model') {}

/** Worker after worker ended while it worked on the run. */
export class WorkersLost extends endingRun('workers_lost') {}

// Tools.

/** The tool could not do its work. */
export class ToolFailed extends RecoverableError {
  readonly code: string = 'tool_failed'
}

/** The model's arguments do not fit the tool's schema. */
export class InvalidToolInput extends recoverable('invalid_tool_input') {}

/** The model asked for a tool that does not exist. */
export class UnknownTool extends recoverable('unknown_tool') {}

/** The tool took longer than it may. */
export class ToolTimeout extends recoverable('tool_timeout') {}

/** A person refused the tool call. */
export class ApprovalDenied extends recoverable('approval_denied') {}

/** A tool that is run by hand needs an approval, by the trust level, and was given none. CLI exit 4. */
export class ApprovalRequired extends terminal('approval_required') {}

/** A tool used its context after its call had ended. */
export class ToolEnded extends terminal('tool_ended') {}

/** No specialist of this name, or none may be asked here: too deep, too often, or outside a run. */
export class DelegationRefused extends recoverable('delegation_refused') {}

/** An address that no fetch may reach: private, local, or not found by a search of this run. */
export class AddressRefused extends ToolFailed {
  override readonly code = 'address_refused'
}

// Documents.

/**
 * Why a file could not be read. `over_budget`: it took more memory, time, size, pages or text than the settings allow;
 * `no_text_layer`: a scan; `encrypted_file`: encrypted in a way that no password opens here; `reader_crashed`: the process
 * that read it died; `unreadable`: the file system refused.
 */
export type DocumentProblem =
  | 'empty_file'
  | 'not_a_pdf'
  | 'unknown_format'
  | 'password_needed'
  | 'encrypted_file'
  | 'no_text_layer'
  | 'malformed_file'
  | 'over_budget'
  | 'reader_crashed'
  | 'unreadable'

/** One document that cannot be read; the others are still read. The message says why and what to do about it. */
export class DocumentUnreadable extends RecoverableError {
  readonly code: DocumentProblem

  constructor(code: DocumentProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

// Limits.

export const limitNames = [
  'modelCalls',
  'rounds',
  'toolCalls',
  'tokens',
  'costUsd',
  'wallClockMs',
  'noProgress',
] as const
export type LimitName = (typeof limitNames)[number]

const reached = (amount: string) => `The limit of ${amount} is reached.`
const counted = (noun: string) => (value: number) => reached(`${value} ${noun}${value === 1 ? '' : 's'}`)

/** What a person reads when a limit of this value is reached. */
const limitMessages: Readonly<Record<LimitName, (value: number) => string>> = {
  modelCalls: counted('model call'),
  rounds: counted('round'),
  toolCalls: counted('tool call'),
  tokens: counted('token'),
  costUsd: (value) => reached(`$${value}`),
  wallClockMs: (value) => reached(`${value / 1000} s for the whole run`),
  noProgress: (value) => `The same tool call was made ${value} times in a row.`,
}

/** A limit of the run was met before the next call; the run ends with the best answer so far. */
export class LimitReached extends TerminalError {
  readonly code = 'limit_reached'
  readonly limit: LimitName
  readonly value: number

  constructor(limit: LimitName, value: number, message?: string) {
    super(message ?? limitMessages[limit](value))
    this.limit = limit
    this.value = value
  }
}
