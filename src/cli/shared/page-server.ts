import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Citation, Config, Quaero } from '../../index.ts'
import { given, type Workplace } from '../command/command.ts'
import { dataDirOf, packageVersion } from '../command/options.ts'
import { plainLine } from '../output/plain-text.ts'
import { type FootnoteLink, type Input, type Output, tell } from '../output/terminal.ts'

export interface PageServerOptions {
  readonly quaero: Quaero
  readonly config: Config
  /** The flag. */
  readonly dataDir: string | undefined
  readonly port: number
  readonly host: string
  readonly tokens?: string | undefined
  /** The model of the command line. */
  readonly model?: string
  readonly output: Output
}

/** Starts the server of the page over an engine. */
export async function startServer({ config, dataDir, model, output, ...options }: PageServerOptions) {
  const [{ createQuaero }, { serve }] = await Promise.all([import('../../index.ts'), import('../../server/index.ts')])
  const { settings, environment } = config
  const onNotice = (message: string) => tell(output, plainLine(message))
  return serve({
    ...options,
    openAt: (folder) => createQuaero({ config, ...given({ model }), dataDir: folder, onNotice }),
    version: packageVersion(),
    settings,
    dataDir: dataDirOf(config, dataDir),
    token: environment.serverToken ?? undefined,
  })
}

/** A server of the page that this process started. */
export type PageServer = Awaited<ReturnType<typeof startServer>>

/** Serves until a person stops the command; then ends the server and the engine. */
export async function serveUntilStopped(server: PageServer, quaero: Quaero, { signal }: Pick<Input, 'signal'>) {
  if (!signal.aborted) await once(signal, 'abort')
  await quaero.queue?.drain()
  await server.close(() => quaero.close())
}

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

const openers: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' }

/** Opens an address in the browser; a person is told if there is none. */
export function openBrowser(url: string, output: Output): void {
  const opener = spawn(openers[process.platform] ?? 'xdg-open', [url], { detached: true, stdio: 'ignore' })
  opener.once('error', () => tell(output, 'No browser could be opened. Open the address yourself.'))
  opener.unref()
}

/** Where footnotes lead: into the page, if a server runs on this data folder, else to the document at its page. */
export async function footnoteLinks(dataDir: string): Promise<FootnoteLink> {
  const { findServer, sourceUrl } = await import('../../server/access/running.ts')
  const server = await findServer(dataDir)
  return (runId, citation) => (server ? sourceUrl(server.origin, runId, citation.marker) : documentUrl(citation))
}

/** The address of a web page or of a file, with its page in a PDF; null for a file that is not where it was. */
export function documentUrl({ source, page }: Citation): string | null {
  if (/^https?:/i.test(source)) return URL.canParse(source) ? new URL(source).href : null
  const path = resolve(source)
  if (!existsSync(path)) return null
  return `${pathToFileURL(path).href}${/\.pdf$/i.test(path) ? `#page=${page}` : ''}`
}
