import { type ApprovalAnswer, loadConfig, QuaeroError, type StartingQuaero, startQuaero } from '../index.ts'
import type { CommandModule, CommonFlags, Workplace } from './command/command.ts'
import { exitCodeOfError, exitCodes } from './output/exit-codes.ts'
import { configuredHide } from './output/hiding.ts'
import { plainLine, plainLines } from './output/plain-text.ts'
import { type Approval, type Input, type Output, printJson, processOutput, tell } from './output/terminal.ts'
import { describeCall } from './shared/run-to-end.ts'
import { listenForStop, type StopSignals, workStops } from './shared/stop-signals.ts'

/** Does what a command says in this process, and returns its exit code. Errors are told to the person, never thrown. */
export async function runCommand(command: CommandModule, flags: CommonFlags): Promise<number> {
  const output = processOutput(process, configuredHide(flags.config))
  let stopNotice: () => string | null = () => workStops
  const stop = listenForStop({
    onFirst: () => tellIfAny(output, stopNotice()),
    onSecond: () => process.exit(exitCodes.interrupted),
  })
  const engine = lazyEngine(output, flags)
  try {
    const input = processInput(stop, output, (notice) => {
      stopNotice = notice
    })
    const config = () => loadConfig(flags.config ? { file: flags.config } : {})
    const workplace = { open: engine.open, start: engine.start, config, input, output }
    return await command.run(workplace, flags)
  } catch (error) {
    return reportError(error, output, { ...flags, stopped: stop.signal.aborted })
  } finally {
    // What was asked for is done; a fault on the way out is told, and changes nothing.
    await engine.close().catch((error: unknown) => reportError(error, output, { debug: flags.debug }))
    stop.dispose()
  }
}

/** Tells a person what went wrong, and a program with `--json` too; returns the exit code. */
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
  return exitCodeOfError(code)
}

function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof QuaeroError) return { code: error.code, message: error.message }
  const what = error instanceof Error ? error.message : String(error)
  return { code: 'unexpected', message: `Something unexpected happened: ${what}\nRun it with --debug to see where.` }
}

/** Starts the engine at most once with success, and closes it if it was started. */
function lazyEngine(
  output: Output,
  flags: CommonFlags,
): Pick<Workplace, 'open' | 'start'> & { readonly close: () => Promise<void> } {
  let started: StartingQuaero | undefined
  const start = (model = flags.model) =>
    startQuaero({
      ...(flags.config && { configFile: flags.config }),
      ...(flags.dataDir && { dataDir: flags.dataDir }),
      ...(model && { model }),
      onNotice: (message) => tell(output, plainLine(message)),
    })
  return {
    start: () => {
      started ??= start()
      return started
    },
    open: (model) => {
      // One that could not start is not kept: the next call may choose another model.
      if (!started || started.status().state === 'failed') started = start(model)
      return started.ready()
    },
    close: async () => started?.close(),
  }
}

function tellIfAny(output: Output, text: string | null): void {
  if (text !== null) tell(output, text)
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
    confirm: isTerminal ? (question) => confirmIt(question, output) : undefined,
  }
}

async function confirmIt(message: string, { stderr }: Output): Promise<boolean> {
  const { confirm } = await import('@clack/prompts')
  return (await confirm({ message, output: stderr })) === true
}

/** Yes or no, with a reason for no. Ctrl-C leaves the question unanswered, and the run waiting. */
async function askApproval(approval: Approval, { stderr }: Output): Promise<ApprovalAnswer | null> {
  const { confirm, isCancel, text } = await import('@clack/prompts')
  const approved = await confirm({ message: `Allow ${describeCall(approval)}?`, output: stderr })
  if (isCancel(approved)) return null
  if (approved) return { approved }
  const reason = await text({ message: 'Why not? The model is told.', defaultValue: '', output: stderr })
  return isCancel(reason) || !reason ? { approved } : { approved, reason }
}
