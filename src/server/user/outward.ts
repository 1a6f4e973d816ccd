import { basename, dirname } from 'node:path'
import type { Quaero } from '../../index.ts'

/** What leaves the server is changed by this: thread ids become the user's own, and folders of this machine are left out. */
export type Outward = <T>(value: T) => T

export interface OutwardOptions {
  /** What the ids of the user's threads begin with in the store. */
  readonly prefix: string
  /** Folders whose names may stand in texts, in messages above all; the longest first. */
  readonly folders: readonly string[]
}

const threadKeys = new Set(['threadId', 'thread_id', 'sessionId'])
const pathKeys = new Set(['source', 'path', 'renamedFrom', 'file'])

export function outward({ prefix, folders }: OutwardOptions): Outward {
  const shown = (text: string): string => {
    let shorter = text
    for (const folder of folders) shorter = shorter.replaceAll(`${folder}/`, '')
    return shorter
  }
  const ofString = (text: string, key: string): string => {
    if (threadKeys.has(key)) return text.startsWith(prefix) ? text.slice(prefix.length) : text
    if (pathKeys.has(key) && !/^https?:/.test(text)) return basename(text)
    return text.includes('/') ? shown(text) : text
  }
  // The copy has the shape of what it was made from: only texts differ.
  function of<T>(value: T, key?: string): T
  function of(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return ofString(value, key)
    if (Array.isArray(value)) return value.map((each) => of(each, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, of(each, name)]))
  }
  return (value) => of(value)
}

/** How long the folders of the library are remembered. Milliseconds. */
const rememberedMs = 2000

/** Folders of this machine that the library, the data or this process lie in, the longest first. */
export function knownFolders(
  quaero: Pick<Quaero, 'library'>,
  dataDir: string | null,
): () => Promise<readonly string[]> {
  let known: Promise<readonly string[]> | null = null
  let until = 0
  const learn = async () => {
    const sources = (await quaero.library.list()).map(({ source }) => dirname(source))
    const own = dataDir === null ? [] : [dataDir]
    const all = new Set([...sources.filter((each) => each.startsWith('/')), ...own, process.cwd()])
    return [...all].filter((each) => each !== '/').sort((one, other) => other.length - one.length)
  }
  return () => {
    if (known === null || performance.now() > until) {
      known = learn()
      until = performance.now() + rememberedMs
    }
    return known
  }
}
