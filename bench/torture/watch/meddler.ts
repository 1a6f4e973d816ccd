import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

interface File {
  path: string
  /** Somebody writes it. */
  isBusy: boolean
}

const folders = 40
/** Between two pieces of a file that is written slowly: less than the two seconds for which a file must be still. */
const longestPauseMs = 1200

/** Whoever works in a folder: writes at once and in pieces, renames files and folders, copies and removes. */
export class Meddler {
  /** The ids of all documents that were ever whole. */
  readonly versions = new Set<string>()
  /** Of these, those that were ever in two files. */
  readonly copied = new Set<string>()
  readonly #root: string
  readonly #random: () => number
  #files: File[] = []
  #folders: string[] = []
  #written = 0

  constructor(root: string, random: () => number) {
    this.#root = root
    this.#random = random
  }

  async begin(files: number): Promise<void> {
    for (let at = 0; at < folders; at += 1) {
      const folder = join(this.#root, at % 3 === 0 ? `part ${at}` : join('deep', `${at}`))
      this.#folders.push(folder)
      await mkdir(folder, { recursive: true })
    }
    for (let at = 0; at < files; at += 1) {
      const file = this.#newFile()
      await writeFile(file.path, this.#text())
    }
  }

  /** Does so many things, some of them side by side; what they were. */
  async meddle(times: number): Promise<string> {
    const done = new Map<string, number>()
    const slow: Promise<void>[] = []
    for (let at = 0; at < times; at += 1) {
      const [name, act] = this.#choose()
      done.set(name, (done.get(name) ?? 0) + 1)
      const acting = act()
      if (name === 'written in pieces') slow.push(acting)
      else await acting
      if (this.#random() < 0.5) await wait(this.#random() * 300)
    }
    await Promise.all(slow)
    return [...done].map(([name, count]) => `${count} ${name}`).join(', ')
  }

  #choose(): readonly [string, () => Promise<void>] {
    const dice = this.#random()
    if (dice < 0.3) return ['changed', () => this.#idle((file) => writeFile(file.path, this.#text()))]
    if (dice < 0.5) return ['written in pieces', () => this.#slowly()]
    if (dice < 0.7) return ['renamed', () => this.#rename()]
    if (dice < 0.74) return ['folders renamed', () => this.#renameFolder()]
    if (dice < 0.86) return ['removed', () => this.#remove()]
    if (dice < 0.9) return ['copied', () => this.#copy()]
    return ['new', () => writeFile(this.#newFile().path, this.#text())]
  }

  async #idle(act: (file: File) => Promise<void>): Promise<void> {
    await act(this.#one(this.#files.filter(({ isBusy }) => !isBusy)))
  }

  async #copy(): Promise<void> {
    await this.#idle(async ({ path }) => {
      const bytes = await readFile(path)
      this.copied.add(idOf(bytes))
      await writeFile(this.#newFile(extname(path)).path, bytes)
    })
  }

  /** A new file or another one, in pieces: appended, or over bytes that hold its place. */
  async #slowly(): Promise<void> {
    const idle = this.#files.filter(({ isBusy }) => !isBusy)
    const file = this.#random() < 0.5 ? this.#newFile() : this.#one(idle)
    file.isBusy = true
    const bytes = Buffer.from(this.#text())
    const handle = await open(file.path, 'w')
    if (this.#random() < 0.4) await handle.write(Buffer.alloc(bytes.length, ' '), 0, bytes.length, 0)
    for (let at = 0; at < bytes.length; ) {
      const end = Math.min(bytes.length, at + 1 + Math.floor(this.#random() * bytes.length * 0.6))
      await handle.write(bytes, at, end - at, at)
      at = end
      await wait(this.#random() * longestPauseMs)
    }
    await handle.close()
    file.isBusy = false
  }

  /** Also one that is written at the time, and sometimes over another one. */
  async #rename(): Promise<void> {
    const file = this.#one(this.#files)
    const target = join(this.#one(this.#folders), `named ${++this.#written}${extname(file.path)}`)
    await rename(file.path, target)
    file.path = target
  }

  async #renameFolder(): Promise<void> {
    const before = this.#one(this.#folders)
    const after = join(dirname(before), `${basename(before).split(' as ')[0]} as ${++this.#written}`)
    await rename(before, after)
    this.#folders = this.#folders.map((each) => (each === before ? after : each))
    for (const file of this.#files) if (dirname(file.path) === before) file.path = join(after, basename(file.path))
  }

  async #remove(): Promise<void> {
    const file = this.#one(this.#files)
    this.#files = this.#files.filter((each) => each !== file)
    await rm(file.path)
  }

  /** A renamed file, and a copy, keep their kind: bytes are read as the kind under which they first came. */
  #newFile(kind = this.#one(['.md', '.txt', '.md', '.csv'])): File {
    const file = { path: join(this.#one(this.#folders), `file ${++this.#written}${kind}`), isBusy: false }
    this.#files.push(file)
    return file
  }

  /** A text that nobody has written before. */
  #text(): string {
    const at = ++this.#written
    const lines = Array.from(
      { length: 3 + Math.floor(this.#random() * 30) },
      (_, line) => `Lake ${at} was ${line} m deep.`,
    )
    const text = `# Report ${at}\n\n${lines.join(' ')}\n\nThe end of report ${at}.\n`
    this.versions.add(idOf(text))
    return text
  }

  #one<T>(all: readonly T[]): T {
    const chosen = all[Math.floor(this.#random() * all.length)]
    if (chosen === undefined) throw new Error('There is none.')
    return chosen
  }
}

/** The id of a document with these bytes. */
export function idOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}
