import { existsSync } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { type AskOptions, NoDocuments, type Quaero, UsageError } from '../../index.ts'
import { exitCodeOfRun } from '../output/exit-codes.ts'
import type { FileProgress } from '../output/progress.ts'
import type { Input, Output } from '../output/terminal.ts'
import { limitsOf, type RunFlags, runToEnd, tellPlace } from '../run-to-end.ts'
import { type AddDocumentsOptions, addDocuments } from './documents/add-documents.ts'
import { offerUnfinished } from './runs/offer-unfinished.ts'

/** The flags that say which conversation and which documents a question belongs to. */
export interface ConversationFlags {
  readonly documents?: readonly string[] | undefined
  readonly thread?: string | undefined
  readonly continue?: boolean | undefined
  readonly approve?: AskOptions['approve'] | undefined
  /** Who asks, as traces name the person. */
  readonly user?: string | undefined
}

export interface AskFlags extends RunFlags, ConversationFlags {
  /** "-" or nothing: read from stdin. */
  readonly question?: string | undefined
  readonly idempotencyKey?: string | undefined
}

/** `quaero ask`: one question, one answer. Returns the exit code. */
export async function runAsk(quaero: Quaero, input: Input, output: Output, flags: AskFlags): Promise<number> {
  const { question, documents } = await understand(flags, input)
  const options = await askOptions(quaero, input, output, { ...flags, documents })
  // A repeated request goes on with its own run by itself.
  if (flags.idempotencyKey === undefined) await offerUnfinished(quaero, options.threadId, input, output, flags)
  const key = flags.idempotencyKey === undefined ? {} : { idempotencyKey: flags.idempotencyKey }
  const stream = quaero.stream(question, { ...options, ...key })
  const result = await runToEnd(quaero, { stream, approve: flags.approve }, input, output, flags).catch(
    saidOnce(documents),
  )
  tellPlace(result, output, flags)
  return exitCodeOfRun(result)
}

/** Of several paths, each was named with what is wrong with it when it was read; once more would only be long. */
function saidOnce(paths: readonly string[] = []): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof NoDocuments) || paths.length < 2) throw error
    throw new NoDocuments(
      `Nothing to search could be read from the ${paths.length} paths given. What is wrong was said for each file; "quaero add <path>" says it again.`,
      { cause: error },
    )
  }
}

/** Adds the documents that are named, finds the thread, and puts together what the engine is asked with. `progress` tells how far reading is, in place of the usual. */
export async function askOptions(
  quaero: Quaero,
  input: Input,
  output: Output,
  flags: RunFlags & ConversationFlags,
  progress?: FileProgress,
): Promise<AskOptions> {
  const threadId = await threadOf(quaero, flags)
  const { quiet } = flags
  const documents = flags.documents
    ? await readable(quaero, flags.documents, output, { quiet, signal: input.signal, ...(progress && { progress }) })
    : null
  return {
    signal: input.signal,
    limits: limitsOf(flags),
    ...(threadId !== null && { threadId }),
    ...(documents && { documents }),
    ...(flags.approve && { approve: flags.approve }),
    ...(flags.user !== undefined && { userId: flags.user }),
  }
}

/** The question and the documents. `-d` takes several paths and so may have taken the question after them. */
async function understand(
  { question, documents }: AskFlags,
  input: Input,
): Promise<{ readonly question: string; readonly documents: readonly string[] | undefined }> {
  if (question !== undefined && question !== '-') return { question, documents }
  const last = documents?.at(-1)
  if (question === undefined && documents && last && looksLikeQuestion(last)) {
    const rest = documents.slice(0, -1)
    return { question: last, documents: rest.length > 0 ? rest : undefined }
  }
  if (question === undefined && input.isTerminal) {
    throw new UsageError('There is no question. Put it first, in quotes: quaero ask "What is known of …?" -d ./papers')
  }
  return { question: await readQuestion(input), documents }
}

function looksLikeQuestion(text: string): boolean {
  return (/\s/.test(text) || text.endsWith('?')) && !existsSync(text)
}

async function readQuestion({ stdin, signal }: Input): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of addAbortSignal(signal, stdin)) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maxQuestionBytes)
      throw new UsageError('What stdin holds is too long for a question. Add long text as a document instead.')
    chunks.push(bytes)
  }
  const question = Buffer.concat(chunks).toString('utf8').trim()
  if (!question) throw new UsageError('There is no question: stdin is empty. Try quaero ask "What is known of …?"')
  return question
}

// Far above what the engine takes as a question, which it says itself; this only keeps memory bounded.
const maxQuestionBytes = 4 * 1024 * 1024

async function threadOf(quaero: Quaero, flags: ConversationFlags): Promise<string | null> {
  if (!flags.continue) return flags.thread ?? null
  if (flags.thread !== undefined) throw new UsageError('Use either --thread or --continue, not both')
  const [latest] = await quaero.threads.list()
  if (!latest) throw new UsageError('There is no thread to continue yet. Ask without --continue first.')
  return latest.threadId
}

/** The files that could be read, so that the run does not try the others again; all paths if none could. */
async function readable(
  quaero: Quaero,
  paths: readonly string[],
  output: Output,
  options: AddDocumentsOptions,
): Promise<readonly string[]> {
  const { documents } = await addDocuments(quaero, paths, output, options)
  options.signal.throwIfAborted()
  const read = documents.filter(({ status }) => status !== 'failed').map(({ path }) => path)
  return read.length > 0 ? read : paths
}
