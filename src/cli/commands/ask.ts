import { existsSync } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { Argument, Option } from 'commander'
import { UsageError } from '../../errors.ts'
import type { Quaero } from '../../index.ts'
import { type CommandModule, given } from '../command/command.ts'
import { conversationOptions, limitOptions, runOutputOptions } from '../command/options.ts'
import { exitCodeOfRun } from '../output/exit-codes.ts'
import type { Input, Output } from '../output/terminal.ts'
import { askOptions, type ConversationFlags, offerUnfinished } from '../shared/ask-options.ts'
import { type RunFlags, runToEnd, tellIds } from '../shared/run-to-end.ts'

interface AskFlags extends RunFlags, ConversationFlags {
  /** "-" or nothing: read from stdin. */
  readonly question?: string | undefined
  readonly idempotencyKey?: string | undefined
}

export const ask: CommandModule<AskFlags> = {
  name: 'ask',
  description: 'answer a question from documents\n' + 'check each quote against its page before it becomes a footnote',
  arguments: [new Argument('[question]', 'the question, in quotes; "-" or nothing reads it from stdin')],
  isQuotedText: true,
  options: [
    ...conversationOptions(),
    new Option(
      '--idempotency-key <key>',
      'names this request: a repeat with the same key starts no second run, and resumes an interrupted one',
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
  run: async ({ open, input, output }, flags) => runAsk(await open(), input, output, flags),
}

async function runAsk(quaero: Quaero, input: Input, output: Output, flags: AskFlags): Promise<number> {
  const { question, documents } = await understand(flags, input)
  const options = await askOptions(quaero, input, output, { ...flags, documents })
  const { idempotencyKey } = flags
  // A repeated request continues its own run.
  if (idempotencyKey === undefined) await offerUnfinished(quaero, options.threadId, input, output, flags)
  const stream = quaero.stream(question, { ...options, ...given({ idempotencyKey }) })
  const result = await runToEnd(quaero, { stream, approve: flags.approve }, input, output, flags)
  await tellIds(quaero, result, output, flags)
  return exitCodeOfRun(result)
}

/** The question and the documents. `-d` takes several paths, so it may have taken the question too. */
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
  if (question === undefined && input.isTerminal) throw new UsageError(`There is no question. ${putFirst}`)
  return { question: await readQuestion(input), documents }
}

const putFirst =
  'Put it first and in quotes, since -d takes every word after it: quaero ask "What is known of …?" -d ./papers'

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
      throw new UsageError('The text on stdin is too long for a question. Add long text as a document instead.')
    chunks.push(bytes)
  }
  const question = Buffer.concat(chunks).toString('utf8').trim()
  if (!question) throw new UsageError(`There is no question, and stdin is empty. ${putFirst}`)
  return question
}

// The engine has a lower limit and its own message; this one bounds the memory.
const maxQuestionBytes = 4 * 1024 * 1024
