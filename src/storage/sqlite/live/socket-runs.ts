import { once } from 'node:events'
import { chmod, lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Mailbox } from '../../mailbox.ts'
import {
  type Channel,
  FarChannel,
  type RunSignal,
  runSignal,
  type SignalSource,
  signalsToSend,
} from '../../run-signals.ts'
import type { LiveRuns } from '../../storage.ts'
import type { SqliteDatabase } from '../database/database.ts'
import { codeOf } from '../database/failure.ts'

/**
 * Offers runs to other processes of the machine on a Unix socket. A follower sends the id of a run and a line feed. It gets
 * the run's signals, each as JSON on a line of its own. The connection ends with the run's attempt. Where no socket can be
 * made or reached, or nothing comes from it, runs are followed in the log alone.
 */
export class SocketRuns implements LiveRuns {
  readonly #database: SqliteDatabase
  readonly #owner: string
  readonly #ownerOf: (runId: string) => Promise<string | undefined>
  readonly #offered = new Map<string, SignalSource>()
  readonly #sockets = new Set<Socket>()
  /** From the first run on; null if no socket can be made. */
  #server: Promise<Server | null> | undefined

  /** `owner` is that of this process's leases. */
  constructor(database: SqliteDatabase, owner: string) {
    this.#database = database
    this.#owner = owner
    const find = database.connection.prepare<[string], { owner: string }>('SELECT owner FROM leases WHERE run_id = ?')
    this.#ownerOf = (runId) => database.read(() => find.get(runId)?.owner)
  }

  offer(runId: string, source: SignalSource): () => void {
    this.#offered.set(runId, source)
    this.#server ??= this.#listen().catch(() => null)
    return () => void this.#offered.delete(runId)
  }

  join(runId: string, mailbox: Mailbox): Channel {
    const channel = new FarChannel(mailbox)
    // A process that breaks off, or says what is no signal: the log has the rest.
    const pass = this.#pass(runId, channel).catch(() => {})
    void pass.then(() => channel.close())
    return channel
  }

  async close(): Promise<void> {
    const server = await this.#server
    server?.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Until the connection ends. */
  async #pass(runId: string, channel: FarChannel): Promise<void> {
    const owner = await this.#ownerOf(runId)
    if (owner === undefined || owner === this.#owner) return
    const path = await this.#pathOf(owner)
    const socket = path === null ? null : await connectTo(path)
    if (!socket) return
    addAbortSignal(channel.ended, socket)
    socket.ref().write(`${runId}\n`)
    for await (const signals of signalsFrom(socket)) channel.hear(signals)
  }

  async #listen(): Promise<Server | null> {
    const path = await this.#pathOf(this.#owner)
    if (path === null) return null
    await prepareFolder(path)
    const server = createServer((socket) => this.#receive(socket)).unref()
    server.listen({ path, exclusive: true })
    await once(server, 'listening')
    server.on('error', () => {})
    if (process.platform !== 'win32') await chmod(path, 0o600)
    return server
  }

  async #pathOf(owner: string): Promise<string | null> {
    return socketPath(await realpath(dirname(this.#database.path)), owner)
  }

  #receive(socket: Socket): void {
    this.#sockets.add(socket.unref())
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
    socket.once('data', (data) => {
      const source = this.#offered.get(String(data).trim())
      if (!source) return socket.destroy()
      const mailbox = new Mailbox()
      socket.once('close', () => mailbox.end())
      // Followers that leave are no failure.
      return void pipeline(Readable.from(textOf(source, mailbox), { highWaterMark: 1 }), socket).catch(() => {})
    })
  }
}

/** A follower that does not take it makes the mailbox keep the rest, as far as it can. */
async function* textOf(source: SignalSource, mailbox: Mailbox): AsyncGenerator<string> {
  for await (const signals of signalsToSend(mailbox, source)) {
    yield signals.map((signal) => `${JSON.stringify(signal)}\n`).join('')
  }
}

/** The signals of whole lines, as they come. Throws at a line that is none. */
async function* signalsFrom(socket: Socket): AsyncGenerator<readonly RunSignal[]> {
  let rest = ''
  for await (const piece of socket.setEncoding('utf8')) {
    const lines = `${rest}${piece}`.split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines.map((line) => runSignal.parse(JSON.parse(line)))
  }
}

/** An address of a socket holds 104 bytes on macOS and 108 on Linux, the last of them zero. */
const longestPath = 103

/**
 * Where an owner of leases offers its runs: a file in the data folder, or in the user's folder for temporary files if that
 * path is too long; on Windows a named pipe. null where both are too long.
 */
export function socketPath(dataFolder: string, owner: string): string | null {
  if (process.platform === 'win32') return `\\\\.\\pipe\\quaero-${owner}`
  const name = owner.slice(-12)
  const paths = [join(dataFolder, 'live', name), join(tmpdir(), `quaero-${process.getuid?.() ?? ''}`, name)]
  return paths.find((path) => Buffer.byteLength(path) <= longestPath) ?? null
}

/** Makes the folder of a socket, with mode 700, and removes sockets there that dead processes have left. Throws. */
async function prepareFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (!(await isPrivate(folder))) throw new Error(`${folder} belongs to another user, or others may enter it.`)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isSocket()) void connectTo(join(folder, entry.name)).then((socket) => socket?.destroy())
  }
}

/** A connection that does not keep the process alive; null if nobody listens, in which case the file is removed. */
async function connectTo(path: string): Promise<Socket | null> {
  if (process.platform !== 'win32' && !(await isPrivate(dirname(path)))) return null
  const socket = connect(path).unref()
  try {
    await once(socket, 'connect')
    // The end of the connection says enough.
    return socket.on('error', () => {})
  } catch (error) {
    if (codeOf(error) === 'ECONNREFUSED') await rm(path, { force: true }).catch(() => {})
    return null
  }
}

/** True for a folder of this user that nobody else can enter; a link is none. */
async function isPrivate(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null)
  if (!found?.isDirectory()) return false
  return found.uid === process.getuid?.() && (found.mode & 0o077) === 0
}
