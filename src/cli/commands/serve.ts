import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Argument, InvalidArgumentError, Option } from 'commander'
import { createQuaero, UsageError } from '../../index.ts'
import { type CommandModule, given } from '../command/command.ts'
import { expandHome, jsonOption } from '../command/options.ts'
import { packageVersion } from '../command/version.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { plainLine } from '../output/plain-text.ts'
import { print, tell } from '../output/terminal.ts'
import { addDocuments } from '../shared/add-documents.ts'
import { dataDirOf } from './config-show.ts'

interface ServeFlags {
  readonly paths: readonly string[]
  readonly port: number
  readonly host: string
  readonly open?: boolean | undefined
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
    new Option('--open', 'open the address in a browser'),
    jsonOption(),
  ],
  examples: ['serve ./papers', 'serve --port 0 --json', 'serve --host 0.0.0.0 --tokens users.txt'],
  async run({ open, config: configOf, input, output }, flags) {
    const { serve: start, userFolders } = await import('../../server/index.ts')
    const { settings, environment } = configOf()
    const dataDir = dataDirOf(configOf(), flags.dataDir)
    if (flags.paths.length > 0 && flags.tokens !== undefined && settings.server.library === 'own')
      throw new UsageError(
        `Each user has a library of their own, so no paths can be added here: quaero add … --data-dir ${dataDir}/${userFolders}/<name>`,
      )
    const quaero = await open()
    if (flags.paths.length > 0)
      await addDocuments(quaero, flags.paths, output, { quiet: flags.quiet, signal: input.signal })
    const { port, host, tokens } = flags
    const { config: configFile, model } = flags
    const onNotice = (message: string) => tell(output, plainLine(message))
    const token = environment.serverToken ?? undefined
    const server = await start({
      quaero,
      openAt: (folder) => createQuaero({ ...given({ configFile, model }), dataDir: folder, onNotice }),
      version: packageVersion(),
      settings,
      dataDir,
      port,
      host,
      tokens,
      token,
    })
    // As it is: the token is what this is printed for, and other output hides tokens.
    if (flags.json)
      output.stdoutAsIs.write(`${JSON.stringify({ url: server.url, token: server.token, pid: process.pid })}\n`)
    else print(output, `Quaero at ${server.url}`)
    if (flags.open) openBrowser(server.url, (message) => tell(output, message))
    if (!input.signal.aborted) await once(input.signal, 'abort')
    await server.close(() => quaero.close())
    return exitCodes.ok
  },
}

function portFrom(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('Use a whole number from 0 to 65535.')
}

const openers: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' }

function openBrowser(url: string, onFailure: (message: string) => void): void {
  const opener = spawn(openers[process.platform] ?? 'xdg-open', [url], { detached: true, stdio: 'ignore' })
  opener.once('error', () => onFailure('No browser could be opened. Open the address yourself.'))
  opener.unref()
}
