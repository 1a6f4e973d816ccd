import { once } from 'node:events'
import { Argument, InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../../errors.ts'
import type { Quaero, RunResult } from '../../index.ts'
import { type CommandModule, given } from '../command/command.ts'
import { expandHome, jsonOption, packageVersion, wholeNumber } from '../command/options.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { print, tell } from '../output/terminal.ts'
import { addDocuments } from '../shared/add-documents.ts'
import { runIdFrom } from '../shared/ids.ts'
import { isWatched, keepCurrent, type WatchFlags, watchOptions } from './add.ts'

interface ServeFlags extends WatchFlags {
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
    ...watchOptions(),
    new Option('--open', 'open the address in a browser'),
    jsonOption(),
  ],
  examples: ['serve ./papers --watch', 'serve --port 0 --json', 'serve --host 0.0.0.0 --tokens users.txt'],
  async run({ open, config: configOf, input, output }, flags) {
    const { openBrowser, serveUntilStopped, startServer } = await import('../shared/page-server.ts')
    const config = configOf()
    const { dataDir, port, host, tokens, model, workers } = flags
    if (flags.paths.length > 0 && tokens !== undefined && config.settings.server.library === 'own')
      throw new UsageError(
        'Each user has a library of their own (server.library), so no paths can be added here. Add them for one user: quaero add … --data-dir <data folder>/users/<name>',
      )
    const quaero = await open(model, { queued: true })
    if (workers !== undefined && !quaero.queue)
      throw new UsageError('--workers needs a PostgreSQL storage: only there, questions wait in a queue.')
    if (flags.paths.length > 0 && !isWatched(flags))
      await addDocuments(quaero, flags.paths, output, { quiet: flags.quiet, signal: input.signal })
    const server = await startServer({ quaero, config, ...given({ model }), dataDir, port, host, tokens, output })
    if (workers !== 0) await quaero.queue?.work({ concurrency: workers ?? usualWorkers })
    // As it is: the token is what this is printed for, and other output hides tokens.
    if (flags.json)
      output.stdoutAsIs.write(`${JSON.stringify({ url: server.origin, token: server.token, pid: process.pid })}\n`)
    else print(output, `Quaero at ${server.url}`)
    if (flags.open) openBrowser(server.url, output)
    // What cannot be watched ends the server too.
    const failed = new AbortController()
    const watching = isWatched(flags) && keepCurrent(quaero, flags, { input, output }).finally(() => failed.abort())
    const served = serveUntilStopped(server, quaero, { signal: AbortSignal.any([input.signal, failed.signal]) })
    await Promise.all([served, watching]).finally(() => served)
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

interface OpenFlags {
  /** "2", or "3f2a9c01:2". */
  readonly footnote: string
  readonly dataDir?: string | undefined
}

export const open: CommandModule<OpenFlags> = {
  name: 'open',
  description:
    'open a footnote in the page, at its quote\n' +
    'use the server that runs on the data folder, or serve until stopped',
  arguments: [new Argument('<footnote>', 'its marker in the last answer, or <runId>:<marker>')],
  examples: ['open 1', 'open 3f2a9c01:2'],
  async run(place, { footnote, dataDir }) {
    const { openFootnote, serveUntilStopped } = await import('../shared/page-server.ts')
    const quaero = await place.open()
    const server = await openFootnote(quaero, await footnoteOf(quaero, footnote), place, dataDir)
    if (server) {
      tell(place.output, 'Serving the page until Ctrl-C. With "quaero serve" running, this command returns at once.')
      await serveUntilStopped(server, quaero, place.input)
    }
    return exitCodes.ok
  },
}

/** The run and the marker that are meant. Throws `UsageError` for a footnote that the answer does not have. */
async function footnoteOf(quaero: Quaero, footnote: string) {
  const [, runId, digits] = /^(?:(.+):)?\[?(\d{1,4})\]?$/.exec(footnote) ?? []
  if (digits === undefined) {
    throw new UsageError(`"${footnote}" is no footnote. Name its marker, such as 1, or a run and it: <runId>:1`)
  }
  const result = await (runId === undefined ? lastAnswer(quaero) : quaero.runs.show(await runIdFrom(quaero, runId)))
  const marker = Number(digits)
  if (result.citations.some((each) => each.marker === marker)) return { runId: result.runId, marker }
  const markers = result.citations.map((each) => each.marker)
  const there =
    markers.length === 0 ? 'The answer has no footnotes' : `The answer has the footnotes ${markers.join(', ')}`
  throw new UsageError(`${there}; there is no ${marker} with a quote.`)
}

async function lastAnswer(quaero: Quaero): Promise<RunResult> {
  const [latest] = await quaero.threads.list()
  const runs = latest ? await quaero.runs.list({ threadId: latest.threadId }) : []
  const last = runs.findLast(({ status }) => status === 'completed' || status === 'limit_reached')
  if (last) return quaero.runs.show(last.runId)
  throw new UsageError('There is no answer yet. Ask first, or name a run: quaero open <runId>:1')
}

export const mcp: CommandModule = {
  name: 'mcp',
  description:
    'serve the Model Context Protocol on stdin and stdout\n' +
    'for desktop clients and editors, which start it themselves',
  examples: ['mcp', 'mcp --data-dir ~/library'],
  async run({ open, input }) {
    const { serveMcp } = await import('../../server/index.ts')
    const quaero = await open()
    const server = serveMcp({ quaero, version: packageVersion() })
    if (!input.signal.aborted) await Promise.race([once(input.signal, 'abort'), once(input.stdin, 'end')])
    await server.close()
    return exitCodes.ok
  },
}
