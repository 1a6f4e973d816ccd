import { createInterface } from 'node:readline'
import { QuaeroError } from '../../errors.ts'
import type { ApprovalAnswer, AskOptions, Quaero } from '../../index.ts'
import type { CommandModule, Workplace } from '../command/command.ts'
import { conversationOptions, limitOptions, quietOption } from '../command/options.ts'
import { exitCodeOfError, exitCodeOfRun, exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { type Approval, type Input, type Output, tell } from '../output/terminal.ts'
import { askOptions, type ConversationFlags, offerUnfinished } from '../shared/ask-options.ts'
import { describeCall, type RunFlags, runToEnd } from '../shared/run-to-end.ts'
import { stopNotice } from '../shared/stop-signals.ts'

type ChatFlags = RunFlags & ConversationFlags

export const chat: CommandModule<ChatFlags> = {
  name: 'chat',
  description: 'hold a conversation, one line per turn\n' + 'type /help to see what else can be typed',
  options: [...conversationOptions(), ...limitOptions(), quietOption()],
  examples: ['chat -d ./papers', 'chat -t my-thread', 'chat < questions.txt'],
  async run({ open, input, output }, flags) {
    const quaero = await open()
    const options = await askOptions(quaero, input, output, flags)
    const lines = openLines(input, output)
    input.onStop(() => (lines.areAwaited() ? null : stopNotice))
    const place = { input: withAnswers(input, output, lines), output }
    if (input.isTerminal) tell(output, 'Type a question, or /help')
    try {
      await offerUnfinished(quaero, options.threadId, place.input, output, flags)
      return await converse(quaero, place, lines, flags, options)
    } finally {
      lines.close()
    }
  },
}

type Place = Pick<Workplace, 'input' | 'output'>

interface Turn {
  readonly exitCode: number
  /** Of the next question. */
  readonly options: AskOptions
}

/** Returns the exit code of the last turn. */
async function converse(
  quaero: Quaero,
  place: Place,
  lines: Lines,
  flags: ChatFlags,
  options: AskOptions,
): Promise<number> {
  const { input, output } = place
  let turn: Turn = { exitCode: exitCodes.ok, options }
  while (!input.signal.aborted) {
    const line = await lines.next('> ')
    if (line === null || line === '/exit') break
    if (line.startsWith('/')) tell(output, replyTo(line, turn.options.threadId))
    else if (line !== '') turn = await takeTurn(quaero, place, line, turn.options, flags)
  }
  const { threadId } = turn.options
  if (threadId !== undefined && !flags.quiet) tell(output, `Continue with: quaero chat -t ${threadId}`)
  return input.signal.aborted ? exitCodes.interrupted : turn.exitCode
}

async function takeTurn(
  quaero: Quaero,
  { input, output }: Place,
  line: string,
  options: AskOptions,
  flags: ChatFlags,
): Promise<Turn> {
  try {
    const started = { stream: quaero.stream(line, options), approve: flags.approve }
    const result = await runToEnd(quaero, started, input, output, flags)
    output.stdout.write('\n')
    // The thread remembers its documents.
    const { documents: _, ...following } = options
    return { exitCode: exitCodeOfRun(result), options: { ...following, threadId: result.threadId } }
  } catch (error) {
    if (!(error instanceof QuaeroError)) throw error
    tell(output, plainLine(error.message))
    return { exitCode: exitCodeOfError(error.code), options }
  }
}

function replyTo(command: string, threadId: string | undefined): string {
  if (command === '/help') return help
  if (command === '/thread') return threadId ?? 'Ask a question first: it gives the thread its id'
  return `Unknown command ${command}. ${help}`
}

const help = 'Type /thread to print the id of this conversation, /exit to leave, or a question'

/** Lines from stdin, one at a time. */
interface Lines {
  /** null if there are no more. */
  readonly next: (prompt: string) => Promise<string | null>
  /** True while a person can type a line. */
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
      if (input.isTerminal) {
        reader.setPrompt(prompt)
        reader.prompt()
      }
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

/** On a terminal, the next line answers an approval or a yes-or-no question; to the latter, other text is a question. */
function withAnswers(input: Input, output: Output, lines: Lines): Input {
  if (!input.isTerminal) return { ...input, askApproval: undefined, confirm: undefined }
  const askApproval = async (approval: Approval): Promise<ApprovalAnswer | null> => {
    tell(output, describeCall(approval))
    const line = await lines.next('Allow it? [y/N, or type why not] ')
    if (line === null) return null
    if (/^y(es)?$/i.test(line)) return { approved: true }
    return /^(no?)?$/i.test(line) ? { approved: false } : { approved: false, reason: line }
  }
  const confirm = async (question: string) => {
    const line = await lines.next(`${question} [Y/n] `)
    if (line !== null && !/^(y(es)?|no?)?$/i.test(line)) lines.putBack(line)
    return line !== null && /^(y(es)?)?$/i.test(line)
  }
  return { ...input, askApproval, confirm }
}
