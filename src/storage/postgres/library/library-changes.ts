import { first, type Work } from '../../sql/work.ts'

/** Two that store the same document take turns. Take it before the library's lock. */
export function lockDocument(documentId: string): Work<unknown> {
  return lock(`document ${documentId}`)
}

/**
 * Alone among those that change documents and sources. Who stores a document takes the lock at the end only, since its
 * contents may take long to arrive.
 */
export function lockLibrary(): Work<unknown> {
  return lock('library')
}

/** Until the end of the transaction. */
function lock(name: string): Work<unknown> {
  return first('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
}

/** Lets only so many works go on at once; the others wait in the order in which they came. */
export function inTurns(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = atOnce
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((begin) => waiting.push(begin))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
