import type { Quaero } from '../../index.ts'
import { TooManyRequests } from '../access/refusals.ts'
import type { User } from '../access/users.ts'

/** The engine that a user's requests go to. */
export interface Library {
  readonly quaero: Quaero
  /** The folder that its data and uploads lie in; null where nothing is kept. */
  readonly dataDir: string | null
  /** Keeps the engine open; the function that is returned gives it back. */
  readonly hold: () => () => void
}

/** Which library belongs to whom. */
export interface Libraries {
  /** The one of all users, which is open from the beginning; null where each has one. */
  readonly shared: Library | null
  /** The library of a user, held for the caller, who calls `release`. Throws `TooManyRequests`. */
  of(user: User): Promise<{ readonly library: Library; readonly release: () => void }>
  /** Closes what was opened here. */
  close(): Promise<void>
}

/** One library for all, which the caller has opened and closes. */
export function sharedLibrary(quaero: Quaero, dataDir: string | null): Libraries {
  const hold = () => () => {}
  const library = { quaero, dataDir, hold }
  return { shared: library, of: async () => ({ library, release: hold() }), close: async () => {} }
}

export interface OwnLibrariesOptions {
  /** Opens the library of a user. */
  readonly open: (name: string) => Promise<{ readonly quaero: Quaero; readonly dataDir: string }>
  /** Libraries that are open at the same time. */
  readonly most: number
  /** An engine that nobody has used for so long is closed. Milliseconds. */
  readonly idleMs?: number
}

interface Opened {
  readonly library: Promise<Library>
  holders: number
  /** Order of the last use. */
  used: number
  closing: NodeJS.Timeout | undefined
}

/**
 * A library for each user, in a data folder of its own: opened when it is first used, closed when it is used no more or when
 * another needs its place.
 */
export class OwnLibraries implements Libraries {
  readonly shared = null
  readonly #options: OwnLibrariesOptions
  readonly #opened = new Map<string, Opened>()
  /** Libraries that are being closed; one is opened again only afterwards. */
  readonly #closing = new Map<string, Promise<void>>()
  #uses = 0

  constructor(options: OwnLibrariesOptions) {
    this.#options = options
  }

  async of({ name }: User) {
    const user = name ?? ''
    const opened = this.#opened.get(user) ?? this.#begin(user)
    const release = this.#hold(user, opened)
    try {
      return { library: await opened.library, release }
    } catch (error) {
      // The next request tries again.
      if (this.#opened.get(user) === opened) this.#opened.delete(user)
      release()
      throw error
    }
  }

  async close() {
    await Promise.all([...this.#opened.keys()].map((user) => this.#close(user)))
    await Promise.all(this.#closing.values())
  }

  #begin(user: string): Opened {
    this.#makeRoom()
    const opened: Opened = {
      library: this.#open(user, () => this.#hold(user, opened)),
      holders: 0,
      used: 0,
      closing: undefined,
    }
    this.#opened.set(user, opened)
    return opened
  }

  async #open(user: string, hold: Library['hold']): Promise<Library> {
    await this.#closing.get(user)
    const { quaero, dataDir } = await this.#options.open(user)
    return { quaero, dataDir, hold }
  }

  /** Closes the library that was used least recently, unless there is room. */
  #makeRoom(): void {
    if (this.#opened.size < this.#options.most) return
    const idle = [...this.#opened].filter(([, { holders }]) => holders === 0)
    const [oldest] = idle.toSorted(([, one], [, other]) => one.used - other.used)
    if (!oldest) throw new TooManyRequests('As many libraries are in use as the server opens at once. Try again later.')
    void this.#close(oldest[0])
  }

  #hold(user: string, opened: Opened): () => void {
    clearTimeout(opened.closing)
    opened.holders += 1
    opened.used = ++this.#uses
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      opened.holders -= 1
      if (opened.holders > 0 || this.#opened.get(user) !== opened) return
      opened.closing = setTimeout(() => void this.#close(user), this.#options.idleMs ?? usualIdleMs)
      opened.closing.unref()
    }
  }

  #close(user: string): Promise<void> {
    const opened = this.#opened.get(user)
    if (!opened) return Promise.resolve()
    clearTimeout(opened.closing)
    this.#opened.delete(user)
    const closed = opened.library
      .then(({ quaero }) => quaero.close())
      // A library that did not open needs no closing, and the engine has told what else went wrong.
      .catch(() => {})
      .finally(() => this.#closing.delete(user))
    this.#closing.set(user, closed)
    return closed
  }
}

const usualIdleMs = 300_000
