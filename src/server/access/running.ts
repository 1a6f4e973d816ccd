import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** A server of one person, as it makes itself known in the data folder. */
const runningServer = z.object({ origin: z.url({ protocol: /^http$/ }), token: z.string(), pid: z.number().int() })
export type RunningServer = z.output<typeof runningServer>

/** Makes a server known to commands on the same data folder, and returns the function that takes that back. */
export function announce(dataDir: string, server: RunningServer): () => void {
  const file = fileIn(dataDir)
  const part = `${file}.${server.pid}`
  // With a database elsewhere, nothing has made it yet.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // A file that was left behind keeps its mode when it is written again.
  rmSync(part, { force: true })
  writeFileSync(part, `${JSON.stringify(server)}\n`, { mode: 0o600 })
  renameSync(part, file)
  return () => {
    // Another server may have started since.
    if (announced(dataDir)?.pid === server.pid) rmSync(file, { force: true })
  }
}

/** The server that answers for this data folder; null if there is none, or one that was killed left its file behind. */
export async function findServer(dataDir: string): Promise<RunningServer | null> {
  const server = announced(dataDir)
  if (server === null || !isAlive(server.pid)) return null
  const headers = { authorization: `Bearer ${server.token}` }
  const options = { headers, signal: AbortSignal.timeout(patienceMs), redirect: 'error' } as const
  // Only the server itself knows the token: another program at the same port refuses it.
  const isItself = await fetch(`${server.origin}/metrics`, options).then(
    async (response) => response.ok && (await response.text()).includes('quaero_'),
    () => false,
  )
  return isItself ? server : null
}

/** The address at which the page opens a footnote; with the token, it lets a new browser in. */
export function sourceUrl(origin: string, runId: string, marker: number, token?: string): string {
  return `${origin}/#/source/${runId}/${marker}${token === undefined ? '' : `&token=${token}`}`
}

const patienceMs = 1000

function fileIn(dataDir: string): string {
  return join(dataDir, 'server.json')
}

function announced(dataDir: string): RunningServer | null {
  try {
    return runningServer.parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8')))
  } catch {
    return null
  }
}

/** True also for a process of another user. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
