import { Argument } from 'commander'
import { UsageError } from '../../errors.ts'
import type { Quaero, RunResult } from '../../index.ts'
import type { CommandModule } from '../command/command.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { tell } from '../output/terminal.ts'
import { runIdFrom } from '../shared/ids.ts'
import { openFootnote, serveUntilStopped } from '../shared/page-server.ts'

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
