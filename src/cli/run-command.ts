import {
  type ApprovalAnswer,
  type Config,
  loadConfig,
  QuaeroError,
  RunUnfinished,
  type StartingQuaero,
  startQuaero,
} from '../index.ts'
import { type CommandModule, type CommonFlags, given, type Workplace } from './command/command.ts'
import { dataDirOf, isStored } from './command/options.ts'
import { exitCodeOfError, exitCodes } from './output/exit-codes.ts'
import { configuredHide } from './output/hiding.ts'
import { plainLine, plainLines } from './output/plain-text.ts'
import {
  type Approval,
  type Choice,
  type Input,
  type Output,
  opensLinks,
  printJson,
  processOutput,
  tell,
} from './output/terminal.ts'
import { footnoteLinks } from './shared/page-server.ts'
import { describeCall, locationFlags } from './shared/run-to-end.ts'
import { listenForStop, type StopSignals, stopNotice } from './shared/stop-signals.ts'

/** Runs a command in this process and returns its exit code. Errors are printed, never thrown. */
export async function runCommand(command: CommandModule, flags: CommonFlags): Promise<number> {
  const config = () => loadConfig(flags.config ? { file: flags.config } : {})
  const plain = processOutput(process, configuredHide(flags.config))
  const links = () => footnoteLinks(dataDirOf(config(), flags.dataDir))
  const output = opensLinks(plain, process.stdout) ? { ...plain, links } : plain
  let noticeOnStop: () => string | null = () => stopNotice
  const stop = listenForStop({
    onFirst: () => {
      const notice = noticeOnStop()
      if (notice !== null) tell(output, notice)
    },
    onSecond: () => process.exit(exitCodes.interrupted),
  })
  const engine = lazyEngine(output, command.readsOnly ? withoutCreating(flags, config, output) : () => flags)
  try {
    const input = processInput(stop, output, (notice) => {
      noticeOnStop = notice
    })
    return await command.run({ open: engine.open, reopen: engine.reopen, config, input, output }, flags)
  } catch (error) {
    return reportError(error, output, { ...flags, stopped: stop.signal.aborted })
  } finally {
    // The result stands; an error on closing is only printed.
    await engine.close().catch((error: unknown) => reportError(error, output, { debug: flags.debug }))
    stop.dispose()
  }
}

/** Prints an error on stderr, with `--json` on stdout too; returns the exit code. */
export function reportError(
  error: unknown,
  output: Output,
  options: { readonly json?: boolean | undefined; readonly debug?: boolean | undefined; readonly stopped?: boolean },
): number {
  if (options.stopped) return exitCodes.interrupted
  const { code, message } = describe(error)
  if (options.json) printJson(output, { error: { code, message } })
  tell(output, `quaero: ${plainLines(message)}`)
  if (options.debug && error instanceof Error) tell(output, error.stack ?? '')
  // Of a command that needed a run: what the run failed of says what to do.
  return exitCodeOfError(error instanceof RunUnfinished ? (error.failure ?? code) : code)
}

function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof QuaeroError) return { code: error.code, message: error.message }
  const what = error instanceof Error ? error.message : String(error)
  return { code: 'unexpected', message: `Something unexpected happened: ${what}\nRun it with --debug to see where.` }
}

/**
 * The flags for a command that only reads: where nothing is stored it reads an empty library in memory, so that a
 * mistyped folder is not created, and a person is told how to begin.
 */
function withoutCreating(flags: CommonFlags, config: () => Config, output: Output): () => PlaceToOpen {
  return () => {
    const settings = config()
    const dataDir = dataDirOf(settings, flags.dataDir)
    if (isStored(settings, dataDir)) return flags
    const begin = `quaero add <path>${locationFlags(flags)}`
    const hint = () => tell(output, plainLine(`There is nothing in ${dataDir} yet. Begin with: ${begin}`))
    return { ...flags, dataDir: ':memory:', ...(!flags.quiet && { onReady: hint }) }
  }
}

interface PlaceToOpen extends CommonFlags {
  readonly onReady?: () => void
}

/** Opens the engine at most once with success, and closes it if it was opened. */
function lazyEngine(output: Output, placeToOpen: () => PlaceToOpen) {
  let started: StartingQuaero | undefined
  const open: Workplace['open'] = (otherModel, options = { queued: false }) => {
    // After a failed start, another model can be tried.
    if (!started || started.status().state === 'failed') {
      const { config: configFile, dataDir, onReady, ...flags } = placeToOpen()
      const model = otherModel ?? flags.model
      const onNotice = (message: string) => tell(output, plainLine(message))
      started = startQuaero({ ...given({ configFile, dataDir, model }), ...options, onNotice })
      if (onReady) started.ready().then(onReady, () => {})
    }
    return started.ready()
  }
  const close = async () => {
    const closing = started
    started = undefined
    await closing?.close()
  }
  const reopen = async (model?: string) => {
    await close()
    return open(model)
  }
  return { open, reopen, close }
}

function processInput(stop: StopSignals, output: Output, onStop: Input['onStop']): Input {
  const isTerminal = process.stdin.isTTY === true && output.stderrIsTerminal
  return {
    stdin: process.stdin,
    isTerminal,
    signal: stop.signal,
    interrupt: stop.interrupt,
    onStop,
    askApproval: isTerminal ? (approval) => askApproval(approval, output) : undefined,
    confirm: isTerminal ? (question) => askYesOrNo(question, output) : undefined,
    choose: isTerminal ? (question, choices) => askToChoose(question, choices, output) : undefined,
    type: isTerminal ? (question) => askToType(question, output) : undefined,
  }
}

async function askYesOrNo(message: string, { stderr }: Output): Promise<boolean> {
  const { confirm } = await import('@clack/prompts')
  return (await confirm({ message, output: stderr })) === true
}

async function askToChoose(message: string, choices: readonly Choice[], { stderr }: Output): Promise<string | null> {
  const { isCancel, select } = await import('@clack/prompts')
  const chosen = await select({ message, options: [...choices], maxItems: mostListed, output: stderr })
  return isCancel(chosen) ? null : chosen
}

async function askToType(message: string, { stderr }: Output): Promise<string | null> {
  const { isCancel, text } = await import('@clack/prompts')
  const typed = await text({ message, output: stderr })
  return isCancel(typed) ? null : typed.trim()
}

/** Choices that are on the screen at once. */
const mostListed = 12

/** Yes, or no with a reason. After Ctrl-C there is no answer, and the run keeps waiting. */
async function askApproval(approval: Approval, { stderr }: Output): Promise<ApprovalAnswer | null> {
  const { confirm, isCancel, text } = await import('@clack/prompts')
  const approved = await confirm({ message: `Allow ${describeCall(approval)}?`, output: stderr })
  if (isCancel(approved)) return null
  if (approved) return { approved }
  const reason = await text({ message: 'Type why not, for the model', defaultValue: '', output: stderr })
  return isCancel(reason) || !reason ? { approved } : { approved, reason }
}
