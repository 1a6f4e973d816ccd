/** Starts `quaero serve` over a paper, for the examples of clients, in a data folder that is removed afterwards. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const command = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts') // in your own program: npx quaero
const paper = join(import.meta.dirname, 'papers', 'event-log.pdf')

export interface RunningServer {
  readonly origin: string
  readonly token: string
  readonly close: () => Promise<void>
}

/** Throws if the server ends before it has said where it listens. */
export async function startServer(): Promise<RunningServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'quaero-example-'))
  const words = ['serve', paper, '--port', '0', '--json', '--data-dir', dataDir]
  const env = { PATH: process.env.PATH, QUAERO_MODEL: 'extractive' }
  const server = spawn(process.execPath, ['--import', 'tsx', command, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'exit')
  const line = await Promise.race([once(server.stdout, 'data'), ended])
  if (server.exitCode !== null) throw new Error(`quaero serve ended with code ${server.exitCode}`)
  const { url, token }: { url: string; token: string } = JSON.parse(String(line[0]))
  return {
    origin: new URL(url).origin,
    token,
    async close() {
      server.kill()
      await ended
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
