import { createInterface } from 'node:readline'
import { QuaeroError } from '../../errors.ts'
import type { ApprovalAnswer } from '../../index.ts'
import type { CommandModule } from '../command/command.ts'
import { conversationOptions, limitOptions, quietOption } from '../command/options.ts'
import { exitCodeOfError, exitCodeOfRun, exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { type Approval, type Input, type Output, tell } from '../output/terminal.ts'
import { askOptions, type ConversationFlags, offerUnfinished } from '../shared/ask-options.ts'
import { shortIdsOf } from '../shared/ids.ts'
import { describeCall, type RunFlags, runToEnd } from '../shared/run-to-end.ts'
import { type QuestionStop, questionStop, stopNotice } from '../shared/stop-signals.ts'
import { type ChatPlace, type Conversation, obey } from './chat-commands.ts'

interface ChatFlags extends RunFlags, ConversationFlags {
  readonly model?: string | undefined
}

export const chat: CommandModule<ChatFlags> = {
  name: 'chat',
  description:
    'hold a conversation, one line per turn\n' +
    'stop a question with Ctrl-C, and type /help to see what else can be typed',
  options: [...conversationOptions(), ...limitOptions(), quietOption()],
  examples: ['chat -d ./papers', 'chat -t my-thread', 'chat < questions.txt'],
  async run({ open, reopen, config, input, output }, flags) {
    const quaero = await open()
    const options = await askOptions(quaero, input, output, flags)
    const stop = questionStop({
      signal: input.signal,
      onStop: () => tell(output, 'Stopping this question where it can be resumed.'),
      onWarn: () => tell(output, 'Ctrl-C once more, or /exit, leaves the chat.'),
      leave: input.interrupt,
    })
    const lines = openLines(input, output, stop.interrupt)
    input.onStop(() => (lines.areAwaited() ? null : stopNotice))
    const place = { reopen, config, input: withAnswers(input, output, lines), output, dataDir: flags.dataDir }
    if (input.isTerminal) tell(output, 'Type a question, or /help')
    try {
      await offerUnfinished(quaero, options.threadId, place.input, output, flags)
      const { threadId: _, ...anew } = options
      const start = { quaero, options, anew, last: null, model: flags.model ?? null, server: null }
      return await converse({ ...start, exitCode: exitCodes.ok }, place, lines, stop, flags)
    } finally {
      lines.close()
    }
  },
}

/** Returns the exit code of the last turn. */
async function converse(
  start: Conversation,
  place: ChatPlace,
  lines: Lines,
  stop: QuestionStop,
  flags: ChatFlags,
): Promise<number> {
  const { input, output } = place
  let now = start
  while (!input.signal.aborted) {
    const line = await lines.next('> ')
    if (line === null || line === '/exit') break
    if (line.startsWith('/')) now = await obey(line, now, place)
    else if (line !== '') {
      now = await takeTurn(now, line, { ...input, signal: stop.begin() }, output, flags)
      stop.end()
    }
  }
  await now.server?.close(async () => {})
  const { threadId } = now.options
  if (threadId !== undefined && !flags.quiet) {
    const { thread } = await shortIdsOf(now.quaero)
    tell(output, `Continue with: quaero chat -t ${thread(threadId)}`)
  }
  return input.signal.aborted ? exitCodes.interrupted : now.exitCode
}

async function takeTurn(
  now: Conversation,
  line: string,
  input: Input,
  output: Output,
  flags: ChatFlags,
): Promise<Conversation> {
  const { quaero, options } = now
  try {
    const started = { stream: quaero.stream(line, { ...options, signal: input.signal }), approve: flags.approve }
    const last = await runToEnd(quaero, started, input, output, flags)
    output.stdout.write('\n')
    // The thread remembers its documents.
    const { documents: _, where: _where, tags: _tags, ...following } = options
    return { ...now, last, exitCode: exitCodeOfRun(last), options: { ...following, threadId: last.threadId } }
  } catch (error) {
    if (!(error instanceof QuaeroError)) throw error
    tell(output, plainLine(error.message))
    return { ...now, exitCode: exitCodeOfError(error.code) }
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

/** Lines from stdin, one at a time. */
export interface Lines {
  /** null if there are no more. */
  readonly next: (prompt: string) => Promise<string | null>
  /** True while a person can type a line. */
  readonly areAwaited: () => boolean
  /** Makes this the next line, without a prompt. */
  readonly putBack: (line: string) => void
  readonly close: () => void
}

/**
 * `onInterrupt` receives Ctrl-C on a terminal, and says whether it stopped the question: a reply that this question waits
 * for is then null. A line that was being typed is cleared.
 */
export function openLines(input: Input, output: Output, onInterrupt: () => boolean): Lines {
  const reader = createInterface({
    input: input.stdin,
    ...(input.isTerminal && { output: output.stderr }),
    terminal: input.isTerminal,
    signal: input.signal,
  })
  let isAwaited = false
  let giveUp = () => {}
  let coming: Promise<IteratorResult<string>> | null = null
  let kept: string | null = null
  // On a terminal the reader gets the keys, Ctrl-C too.
  reader.on('SIGINT', () => {
    if (isAwaited) {
      reader.write(null, { ctrl: true, name: 'u' })
      output.stderr.write('\n')
    }
    const isStopped = onInterrupt()
    if (isStopped) giveUp()
    else if (isAwaited && !input.signal.aborted) reader.prompt()
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
      // A line that was not waited for to its end is the next one.
      coming ??= iterator.next()
      const givenUp = new Promise<null>((resolve) => {
        giveUp = () => resolve(null)
      })
      const next = await Promise.race([coming, givenUp])
      isAwaited = false
      if (next === null) return null
      coming = null
      return next.done ? null : next.value.trim()
    },
    areAwaited: () => isAwaited,
    putBack: (line) => {
      kept = line
    },
    close: () => reader.close(),
  }
}
