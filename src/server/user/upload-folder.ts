import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { NotReady, UsageError } from '../../index.ts'
import { UploadRefused } from '../access/refusals.ts'

export interface UploadLimits {
  readonly filesPerUser: number
  readonly bytesPerFile: number
  readonly bytesPerUser: number
  /** An upload of which nothing comes for so long is given up: the next ones of its user wait for it. */
  readonly silenceMs: number
}

/** A file that has arrived, and is not among the others yet. */
interface Arrived {
  readonly part: string
  /** SHA-256, hexadecimal. */
  readonly digest: string
  readonly size: number
}

/**
 * The files of a user: each in a folder that is named after its content, as its document is. Beside these folders lie
 * the parts of files that are on their way.
 */
export class UploadFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  async files(): Promise<readonly string[]> {
    const names = await readdir(this.path).catch(() => [])
    return (await Promise.all(names.map((name) => filesIn(join(this.path, name))))).flat()
  }

  async parts(): Promise<readonly string[]> {
    const entries = await readdir(this.path, { withFileTypes: true }).catch(() => [])
    return entries.flatMap((entry) => (entry.isFile() ? [join(this.path, entry.name)] : []))
  }

  /** Where the copies of a document lie. */
  copiesOf(documentId: string): string {
    return join(this.path, documentId)
  }

  has(path: string): boolean {
    return path.startsWith(this.path + sep)
  }

  /** How many bytes the next file may have. Throws `UploadRefused` if there may be none. */
  async room({ filesPerUser, bytesPerUser, bytesPerFile }: UploadLimits): Promise<number> {
    await mkdir(this.path, { recursive: true, mode: 0o700 })
    const files = await this.files()
    if (files.length >= filesPerUser)
      throw new UploadRefused(`You have ${filesPerUser} files here, which is the most. Remove some first.`)
    const sizes = await Promise.all([...files, ...(await this.parts())].map(sizeOf))
    const room = bytesPerUser - sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
    if (room <= 0)
      throw new UploadRefused(`Your files have ${bytesPerUser} bytes, which is the most. Remove some first.`)
    return Math.min(room, bytesPerFile)
  }

  /** Writes the bytes to disk as they come, and hands the part on, which is gone afterwards. Throws `UploadRefused`. */
  async receive<T>(
    bytes: ReadableStream<Uint8Array>,
    {
      room,
      silenceMs,
      stopping,
    }: Pick<UploadLimits, 'silenceMs'> & { room: number; stopping?: AbortSignal | undefined },
    keep: (arrived: Arrived) => Promise<T>,
  ): Promise<T> {
    const part = join(this.path, randomUUID())
    const hash = createHash('sha256')
    let size = 0
    const stalled = new UploadRefused('The rest of the file did not come. Send it again.')
    const silence = setTimeout(() => counted.destroy(stalled), silenceMs)
    const counted = new Transform({
      transform(chunk: Buffer, _, done) {
        silence.refresh()
        size += chunk.length
        hash.update(chunk)
        if (size > room) done(new UploadRefused(`This file may have at most ${room} bytes.`))
        else done(null, chunk)
      },
    })
    const written = createWriteStream(part, { mode: 0o600 })
    try {
      await pipeline(Readable.fromWeb(bytes), counted, written, stopping ? { signal: stopping } : {})
      return await keep({ part, digest: hash.digest('hex'), size })
    } catch (error) {
      if (stopping?.aborted) throw new NotReady('The server is stopping. Send the file again later.')
      throw isCut(error) ? new UploadRefused('The file did not arrive as a whole. Send it again.') : error
    } finally {
      clearTimeout(silence)
      await rm(part, { force: true })
    }
  }
}

/** True where a connection ended too early. */
function isCut(error: unknown): boolean {
  const cut = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']
  return error instanceof Error && 'code' in error && cut.includes(String(error.code))
}

/** The files of a folder; none where it was removed meanwhile. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.map((name) => join(folder, name))
}

/** Bytes; null for a file that is gone. */
export async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  )
}

/** Removes a file, and its folder unless the same content lies there under another name. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true })
  await rmdir(dirname(path)).catch(() => {})
}

/**
 * Opens a file if the SHA-256 of its bytes begins with these hexadecimal digits; null if not, if it cannot be read, or if
 * `signal` is aborted meanwhile. Who removes the file later does not take it from who has it open.
 */
export async function openIfUnchanged(path: string, digest: string, signal: AbortSignal): Promise<FileHandle | null> {
  const file = await open(path).catch(() => null)
  if (file === null) return null
  const hash = createHash('sha256')
  try {
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) {
      hash.update(chunk)
      if (signal.aborted) break
    }
    if (hash.digest('hex').startsWith(digest)) return file
  } catch {
    // It cannot be read.
  }
  await file.close()
  return null
}

/** File systems take 255. */
const mostBytesOfName = 200

/** The last part of a name, without what a file system or a terminal might take for more than a name. Throws `UsageError`. */
export function fileNameOf(name: string): string {
  const plain = basename(name.replaceAll('\\', '/'))
    .replace(/[\p{Cc}\p{Cf}<>:"|?*]/gu, '')
    .trim()
  const characters = [...plain].slice(-120)
  while (Buffer.byteLength(characters.join('')) > mostBytesOfName) characters.shift()
  const safe = characters.join('').replace(/^\.{1,120}/, '')
  if (safe === '') throw new UsageError('The file needs a name: one with letters or digits, not only signs.')
  return safe
}
