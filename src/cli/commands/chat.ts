import { createInterface, type Interface } from 'node:readline'
import { QuaeroError } from '../../errors.ts'
import type { ApprovalAnswer, AskOptions, Quaero, StartingQuaero } from '../../index.ts'
import type { CommandModule } from '../command/command.ts'
import { conversationOptions, limitOptions, quietOption } from '../command/options.ts'
import { exitCodeOfError, exitCodeOfRun, exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { type FileProgress, lateFileProgress } from '../output/progress.ts'
import { type Approval, type Input, type Output, tell } from '../output/terminal.ts'
import { askOptions, type ConversationFlags, offerUnfinished } from '../shared/ask-options.ts'
import { describeCall, type RunFlags, runToEnd } from '../shared/run-to-end.ts'
import { workStops } from '../shared/stop-signals.ts'

export interface ChatFlags extends RunFlags, ConversationFlags {}

export const chat: CommandModule<ChatFlags> = {
  name: 'chat',
  summary: 'hold a conversation',
  description: 'Hold a conversation on one thread, one line a turn. /help lists what else can be typed.',
  options: [...conversationOptions(), ...limitOptions(), quietOption()],
  examples: ['chat -d ./papers', 'chat -t my-thread', 'chat < questions.txt'],
  run: ({ start, input, output }, flags) => runChat(start(), input, output, flags),
}

/**
 * `quaero chat`: a conversation on one thread, one line a turn. The prompt is there at once; the first question waits
 * until the engine has started and the documents are read. Returns the exit code of the last turn.
 */
export async function runChat(
  starting: Pick<StartingQuaero, 'ready'>,
  input: Input,
  output: Output,
  flags: ChatFlags,
): Promise<number> {
  const progress = lateFileProgress(output, flags.quiet)
  const preparing = prepare(starting, input, output, flags, progress)
  const lines = openLines(input, output)
  let isPrepared = false
  input.onStop(() => (isPrepared && lines.areAwaited() ? null : workStops))
  const chat: Chat = {
    output,
    flags,
    input: withAnswers(input, output, lines),
    failure: preparing.then(() => {
      isPrepared = true
      return new Promise<never>(() => {})
    }),
    prepared: async () => {
      await progress.show()
      return preparing
    },
  }
  // Whoever waits for it is told.
  chat.failure.catch(() => {})
  if (input.isTerminal) tell(output, 'Ask away; /help shows what else there is.')
  try {
    await offer(chat)
    return await converse(chat, lines)
  } finally {
    lines.close()
  }
}

interface Chat {
  readonly input: Input
  readonly output: Output
  readonly flags: ChatFlags
  /** Rejects if there is nothing to converse with; never resolves. */
  readonly failure: Promise<never>
  readonly prepared: () => Promise<Prepared>
}

/** What a question needs: the engine, and with what to ask it. */
interface Prepared {
  readonly quaero: Quaero
  readonly options: AskOptions
}

async function prepare(
  starting: Pick<StartingQuaero, 'ready'>,
  input: Input,
  output: Output,
  flags: ChatFlags,
  progress: FileProgress,
): Promise<Prepared> {
  const quaero = await starting.ready()
  return { quaero, options: await askOptions(quaero, input, output, flags, progress) }
}

/** A thread that is gone on with may have a run that was left unfinished; one that begins has none. */
async function offer({ prepared, input, output, flags }: Chat): Promise<void> {
  if (flags.thread === undefined && !flags.continue) return
  const { quaero, options } = await prepared()
  await offerUnfinished(quaero, options.threadId, input, output, flags)
}

interface Turn {
  readonly exitCode: number
  readonly options: AskOptions
}

async function converse(chat: Chat, lines: Lines): Promise<number> {
  let turn: Turn | null = null
  while (true) {
    const line = await nextLine(chat, lines)
    if (chat.input.signal.aborted) return stop(chat, turn)
    const { quaero, options } = await chat.prepared()
    turn ??= { exitCode: exitCodes.ok, options }
    if (line === null || line === '/exit') return leave(chat, turn)
    if (line.startsWith('/')) tell(chat.output, replyTo(line, turn.options.threadId))
    else turn = await takeTurn(quaero, chat, line, turn.options)
    if (chat.input.signal.aborted) return stop(chat, turn)
  }
}

/** The next line that is not empty; help is given at once, whatever else is still under way. */
async function nextLine({ failure, output }: Chat, lines: Lines): Promise<string | null> {
  while (true) {
    const line = await Promise.race([lines.next('> '), failure])
    if (line === '/help') tell(output, help)
    else if (line !== '') return line
  }
}

async function takeTurn(
  quaero: Quaero,
  { input, output, flags }: Chat,
  line: string,
  options: AskOptions,
): Promise<Turn> {
  try {
    const started = { stream: quaero.stream(line, options), approve: flags.approve }
    const result = await runToEnd(quaero, started, input, output, flags)
    output.stdout.write('\n')
    // The thread remembers which documents it is limited to.
    const { documents: _, ...following } = options
    return { exitCode: exitCodeOfRun(result), options: { ...following, threadId: result.threadId } }
  } catch (error) {
    if (!(error instanceof QuaeroError)) throw error
    tell(output, plainLine(error.message))
    return { exitCode: exitCodeOfError(error.code), options }
  }
}

function leave({ output, flags }: Chat, { exitCode, options }: Turn): number {
  if (options.threadId !== undefined && !flags.quiet) tell(output, `Go on with: quaero chat -t ${options.threadId}`)
  return exitCode
}

/** After Ctrl-C the thread is named as it is on leaving. */
function stop(chat: Chat, turn: Turn | null): number {
  if (turn) leave(chat, turn)
  return exitCodes.interrupted
}

function replyTo(command: string, threadId: string | undefined): string {
  if (command === '/thread') return threadId ?? 'The thread gets its id with the first question.'
  return `There is no ${command}. ${help}`
}

const help = '/thread shows the id of this conversation, /exit leaves it; every other line is a question or a reply.'

/** Lines from stdin, one at a time; null when there are no more. */
interface Lines {
  readonly next: (prompt: string) => Promise<string | null>
  /** Whether somebody may type one now, and nothing else is done. */
  readonly areAwaited: () => boolean
  /** Makes this the next line, without a prompt. */
  readonly putBack: (line: string) => void
  readonly close: () => void
}

function openLines(input: Input, output: Output): Lines {
  const reader = createInterface({
    input: input.stdin,
    ...(input.isTerminal && { output: output.stderr }),
    terminal: input.isTerminal,
    signal: input.signal,
  })
  let isAwaited = false
  let kept: string | null = null
  // On a terminal the reader gets the keys, Ctrl-C too.
  reader.on('SIGINT', () => {
    if (isAwaited) output.stderr.write('\n')
    input.interrupt()
  })
  const iterator = reader[Symbol.asyncIterator]()
  return {
    next: async (prompt) => {
      const line = kept
      kept = null
      if (line !== null) return line
      if (input.isTerminal) showPrompt(reader, prompt)
      isAwaited = true
      const { value, done } = await iterator.next()
      isAwaited = false
      return done ? null : String(value).trim()
    },
    areAwaited: () => isAwaited,
    putBack: (line) => {
      kept = line
    },
    close: () => reader.close(),
  }
}

function showPrompt(reader: Interface, prompt: string): void {
  reader.setPrompt(prompt)
  reader.prompt()
}

/** On a terminal, the next line answers an approval, or whether to go on with something: one that does not is a question. */
function withAnswers(input: Input, output: Output, lines: Lines): Input {
  if (!input.isTerminal) return { ...input, askApproval: undefined, confirm: undefined }
  const askApproval = async (approval: Approval): Promise<ApprovalAnswer | null> => {
    tell(output, describeCall(approval))
    const line = await lines.next('Allow it? [y/N, or why not] ')
    return line === null ? null : readApproval(line)
  }
  const confirm = async (question: string) => {
    const line = await lines.next(`${question} [Y/n] `)
    if (line !== null && !/^(y(es)?|no?)?$/i.test(line)) lines.putBack(line)
    return line !== null && /^(y(es)?)?$/i.test(line)
  }
  return { ...input, askApproval, confirm }
}

function readApproval(line: string): ApprovalAnswer {
  if (/^y(es)?$/i.test(line)) return { approved: true }
  return /^(no?)?$/i.test(line) ? { approved: false } : { approved: false, reason: line }
}
