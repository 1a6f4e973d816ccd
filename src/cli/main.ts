#!/usr/bin/env node
import module from 'node:module'
import { CommanderError } from 'commander'
import { exitCodes } from './output/exit-codes.ts'
import { plainLines } from './output/plain-text.ts'
import { buildProgram } from './program.ts'

// Compiled code is kept from one command to the next where Node.js can do that (22.1 and later).
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function') module.enableCompileCache()

let outputError: NodeJS.ErrnoException | undefined
process.stdout.on('error', (error) => {
  outputError ??= error
})
// The work continues without stderr: its result matters more.
process.stderr.on('error', () => {})
const exitCode = await run(process.argv)
await written(process.stdout)
const isLost = outputError !== undefined && !isClosedPipe(outputError)
if (isLost) process.stderr.write(`quaero: ${describeLoss(outputError)}\n`)
await written(process.stderr)
// The answer is written; an idle connection must not keep the process alive.
process.exit(isLost ? exitCodes.failed : exitCode)

async function run(argv: readonly string[]): Promise<number> {
  let code: number = exitCodes.ok
  const wrong: string[] = []
  const program = buildProgram(
    async (command, flags) => {
      const { runCommand } = await import('./run-command.ts')
      code = await runCommand(command, flags)
    },
    (text) => void wrong.push(text),
  )
  try {
    await program.parseAsync(argv)
    return code
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok
    // Errors may quote arguments, so credentials are hidden; only this path loads the settings.
    const { processOutput, printJson } = await import('./output/terminal.ts')
    const { configFileIn, configuredHide } = await import('./output/hiding.ts')
    const output = processOutput(process, configuredHide(configFileIn(argv)))
    for (const text of wrong) output.stderr.write(text)
    if (error instanceof CommanderError) return exitCodeOfParsing(error, argv, (value) => printJson(output, value))
    output.stderr.write(`quaero: ${plainLines(error instanceof Error ? error.message : String(error))}\n`)
    return exitCodes.failed
  }
}

/** Except for help and version, an exit of the parser is an error of usage. */
function exitCodeOfParsing(
  { message, code }: CommanderError,
  argv: readonly string[],
  say: (value: unknown) => void,
): number {
  if (argv.includes('--json') && code !== 'commander.help') {
    say({ error: { code: 'usage', message: message.replace(/^error: /, '') } })
  }
  return exitCodes.usage
}

/** A reader that closes the pipe (`quaero runs list | head`) is no error. */
function isClosedPipe({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE'
}

function describeLoss(error: NodeJS.ErrnoException | undefined): string {
  const cause = error?.code === 'ENOSPC' ? 'the disk is full' : (error?.message ?? 'unknown')
  return `The output could not be written: ${cause}. "quaero runs list" names the runs, "quaero runs show" prints one again.`
}

async function written(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength > 0 && !stream.destroyed) await new Promise((resolve) => stream.write('', resolve))
  // The error of a write is reported after the write.
  await new Promise((resolve) => setImmediate(resolve))
}
