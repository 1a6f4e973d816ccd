import { existsSync } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { Argument, Option } from 'commander'
import { NoDocuments, UsageError } from '../../errors.ts'
import type { Quaero } from '../../index.ts'
import { type CommandModule, withEngine } from '../command/command.ts'
import { conversationOptions, limitOptions, runOutputOptions } from '../command/options.ts'
import { exitCodeOfRun } from '../output/exit-codes.ts'
import type { Input, Output } from '../output/terminal.ts'
import { askOptions, type ConversationFlags, offerUnfinished } from '../shared/ask-options.ts'
import { type RunFlags, runToEnd, tellPlace } from '../shared/run-to-end.ts'

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

export const ask: CommandModule<AskFlags> = {
  name: 'ask',
  summary: 'answer a question from documents',
  description: 'Answer a question from your documents, with footnotes that were checked against the pages they name.',
  arguments: [new Argument('[question]', 'the question, in quotes; "-" or nothing reads it from stdin')],
  isQuotedText: true,
  options: [
    ...conversationOptions(),
    new Option(
      '--idempotency-key <key>',
      'names this request: repeating it with the same key starts no second run, and resumes one that was interrupted',
    ),
    ...limitOptions(),
    ...runOutputOptions(),
  ],
  examples: [
    'ask "What accuracy does the model reach?" -d ./papers',
    'ask -c "And on the second data set?"',
    'ask "Which drugs were tried?" -d trial.pdf --json',
    'ask --max-steps 5 --timeout 60 < question.txt',
  ],
  run: withEngine(runAsk),
}
