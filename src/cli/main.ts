#!/usr/bin/env node
import { CommanderError } from 'commander'
import { exitCodes } from './exit-codes.ts'
import { buildProgram } from './program.ts'

for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe)
const exitCode = await run(process.argv)
await written(process.stdout)
await written(process.stderr)
// The answer is out; no idle connection shall keep the process alive.
process.exit(exitCode)

async function run(argv: readonly string[]): Promise<number> {
  let code: number = exitCodes.ok
  const program = buildProgram(async (name, flags) => {
    const { runCommand } = await import('./run-command.ts')
    code = await runCommand(name, flags)
  })
  try {
    await program.parseAsync(argv)
    return code
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeOfParsing(error, argv)
    process.stderr.write(`quaero: ${error instanceof Error ? error.message : error}\n`)
    return exitCodes.failed
  }
}

/** Help and version are no errors; whatever else stops the parser is a wrong use. */
function exitCodeOfParsing({ exitCode, message, code }: CommanderError, argv: readonly string[]): number {
  if (exitCode === 0) return exitCodes.ok
  if (argv.includes('--json') && code !== 'commander.help') {
    process.stdout.write(
      `${JSON.stringify({ error: { code: 'usage', message: message.replace(/^error: /, '') } }, null, 2)}\n`,
    )
  }
  return exitCodes.usage
}

/** A reader that goes away (`quaero runs list | head`) is no error. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve()
    else stream.write('', () => resolve())
  })
}
