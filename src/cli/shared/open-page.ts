import type { Quaero } from '../../index.ts'
import type { Workplace } from '../command/command.ts'
import type { Output } from '../output/terminal.ts'
import { dataDirOf } from './data-dir.ts'
import { openBrowser, type PageServer, startServer } from './page-server.ts'

/** Opens a footnote in the page: in the server that runs on the data folder, else in one that is started here and returned. */
export async function openFootnote(
  quaero: Quaero,
  footnote: { readonly runId: string; readonly marker: number },
  { config: configOf, output }: Pick<Workplace, 'config' | 'output'>,
  dataDir: string | undefined,
): Promise<PageServer | null> {
  const { findServer, sourceUrl } = await import('../../server/access/running.ts')
  const config = configOf()
  const { runId, marker } = footnote
  const running = await findServer(dataDirOf(config, dataDir))
  if (running) {
    openPage(sourceUrl(running.origin, runId, marker, running.token), output)
    return null
  }
  const started = await startServer({ quaero, config, dataDir, port: 0, host: '127.0.0.1', output })
  openPage(sourceUrl(started.origin, runId, marker, started.token ?? undefined), output)
  return started
}

/** Prints the address, with its token as "quaero serve" does, and opens it. */
function openPage(url: string, output: Output): void {
  output.stdoutAsIs.write(`${url}\n`)
  openBrowser(url, output)
}
