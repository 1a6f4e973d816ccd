import { Argument, InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../../errors.ts'
import { type CommandModule, given } from '../command/command.ts'
import { expandHome, jsonOption, wholeNumber } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { print } from '../output/terminal.ts'
import { addDocuments } from '../shared/add-documents.ts'
import { openBrowser, serveUntilStopped, startServer } from '../shared/page-server.ts'

interface ServeFlags {
  readonly paths: readonly string[]
  readonly port: number
  readonly host: string
  readonly open?: boolean | undefined
  readonly workers?: number | undefined
  readonly tokens?: string | undefined
}

export const serve: CommandModule<ServeFlags> = {
  name: 'serve',
  description: 'answer over HTTP\n' + 'print the address with its token, and serve until stopped',
  arguments: [new Argument('[paths...]', 'files and folders to add first')],
  options: [
    new Option('--port <number>', 'the port; 0 takes a free one').default(7710).argParser(portFrom),
    new Option('--host <address>', 'the address to listen on; another than loopback needs --tokens').default(
      '127.0.0.1',
    ),
    new Option('--tokens <file>', 'a file with a user and a token on each line').argParser(expandHome),
    new Option(
      '--workers <n>',
      'questions from the queue of a PostgreSQL storage that this process answers at the same time (default: 4); 0 leaves all to quaero worker',
    ).argParser(countFrom),
    new Option('--open', 'open the address in a browser'),
    jsonOption(),
  ],
  examples: ['serve ./papers', 'serve --port 0 --json', 'serve --host 0.0.0.0 --tokens users.txt', 'serve --workers 0'],
  async run({ open, config: configOf, input, output }, flags) {
    const config = configOf()
    const { dataDir, port, host, tokens, model, workers } = flags
    if (flags.paths.length > 0 && tokens !== undefined && config.settings.server.library === 'own')
      throw new UsageError(
        'Each user has a library of their own (server.library), so no paths can be added here. Add them for one user: quaero add … --data-dir <data folder>/users/<name>',
      )
    const quaero = await open(model, { queued: true })
    if (workers !== undefined && !quaero.queue)
      throw new UsageError('--workers needs a PostgreSQL storage: only there, questions wait in a queue.')
    if (flags.paths.length > 0)
      await addDocuments(quaero, flags.paths, output, { quiet: flags.quiet, signal: input.signal })
    const server = await startServer({ quaero, config, ...given({ model }), dataDir, port, host, tokens, output })
    if (workers !== 0) await quaero.queue?.work({ concurrency: workers ?? usualWorkers })
    // As it is: the token is what this is printed for, and other output hides tokens.
    if (flags.json)
      output.stdoutAsIs.write(`${JSON.stringify({ url: server.origin, token: server.token, pid: process.pid })}\n`)
    else print(output, `Quaero at ${server.url}`)
    if (flags.open) openBrowser(server.url, output)
    await serveUntilStopped(server, quaero, input)
    return exitCodes.ok
  },
}

/** Runs that a server works on itself unless it is told. */
const usualWorkers = 4

function countFrom(text: string): number {
  return text === '0' ? 0 : wholeNumber(text)
}

function portFrom(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('Use a whole number from 0 to 65535.')
}
