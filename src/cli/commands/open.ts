import { Argument } from 'commander'
import { UsageError } from '../../errors.ts'
import type { Quaero, RunResult } from '../../index.ts'
import type { CommandModule, Workplace } from '../command/command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { type Output, tell } from '../output/terminal.ts'
import { dataDirOf } from '../shared/data-dir.ts'
import { runIdFrom } from '../shared/ids.ts'
import { openBrowser, serveUntilStopped, startServer } from '../shared/page-server.ts'

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
    const quaero = await place.open()
    const { result, marker } = await footnoteOf(quaero, footnote)
    const show = await pageOf(quaero, place, dataDir)
    await show(result.runId, marker)
    return exitCodes.ok
  },
}

type Show = (runId: string, marker: number) => Promise<void>

/** Opens footnotes in the running server, or in one that is started here and serves until the command is stopped. */
async function pageOf(quaero: Quaero, { config: configOf, input, output }: Workplace, flag?: string): Promise<Show> {
  const { findServer, sourceUrl } = await import('../../server/access/running.ts')
  const config = configOf()
  const running = await findServer(dataDirOf(config, flag))
  if (running) return async (runId, marker) => openPage(sourceUrl(running.origin, runId, marker, running.token), output)
  return async (runId, marker) => {
    const server = await startServer({ quaero, config, dataDir: flag, port: 0, host: '127.0.0.1' })
    openPage(sourceUrl(server.origin, runId, marker, server.token ?? undefined), output)
    tell(output, 'Serving the page until Ctrl-C. With "quaero serve" running, this command returns at once.')
    await serveUntilStopped(server, quaero, input)
  }
}

/** Prints the address, with its token as "quaero serve" does, and opens it. */
function openPage(url: string, output: Output): void {
  output.stdoutAsIs.write(`${url}\n`)
  openBrowser(url, output)
}

/** The run and the marker that are meant. Throws `UsageError` for a footnote that the answer does not have. */
async function footnoteOf(quaero: Quaero, footnote: string) {
  const [, runId, digits] = /^(?:(.+):)?\[?(\d{1,4})\]?$/.exec(footnote) ?? []
  if (digits === undefined) {
    throw new UsageError(`"${footnote}" is no footnote. Name its marker, such as 1, or a run and it: <runId>:1`)
  }
  const result = await (runId === undefined ? lastAnswer(quaero) : quaero.runs.show(await runIdFrom(quaero, runId)))
  const marker = Number(digits)
  if (result.citations.some((each) => each.marker === marker)) return { result, marker }
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
