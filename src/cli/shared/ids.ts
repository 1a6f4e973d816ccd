import { UsageError } from '../../errors.ts'
import type { Quaero } from '../../index.ts'

type Kind = 'run' | 'thread' | 'approval'

/** How the ids of runs and threads are shown to a person: generated ones by the shortest unique beginning, of 8 characters or more. */
export interface ShortIds {
  readonly run: (id: string) => string
  readonly thread: (id: string) => string
}

/** An id that the program made; those of several users on one server begin with the user's name. */
const generated = /^(?:[a-z0-9-]{1,32}_)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const shortest = 8

/** Throws nothing: an id that is not stored is shortened too. */
export async function shortIdsOf(quaero: Quaero): Promise<ShortIds> {
  const [runs, threads] = await Promise.all([quaero.runs.ids(), quaero.threads.ids()])
  return { run: (id) => shortId(id, runs), thread: (id) => shortId(id, threads) }
}

/** The shortest beginning of a generated id that no other id shares; an id that a person chose is whole. */
export function shortId(id: string, ids: readonly string[]): string {
  if (!generated.test(id)) return id
  const others = ids.filter((each) => each !== id)
  let length = id.indexOf('_') + 1 + shortest
  while (others.some((each) => each.startsWith(id.slice(0, length)))) length += 1
  return id.slice(0, length)
}

/** The id of the run that this is, or begins. Throws `UsageError` if it begins several; an unknown one is returned as it is. */
export async function runIdFrom(quaero: Quaero, given: string): Promise<string> {
  return idFrom('run', given, await quaero.runs.ids())
}

/** The same for a thread. */
export async function threadIdFrom(quaero: Quaero, given: string): Promise<string> {
  return idFrom('thread', given, await quaero.threads.ids())
}

/**
 * The thread to continue, or the id of a new one. A new id may begin like another, so only 8 characters or more of a
 * generated one name its thread.
 */
export async function threadIdToUse(quaero: Quaero, given: string): Promise<string> {
  const ids = await quaero.threads.ids()
  if (given.length < shortest || ids.includes(given)) return given
  return idFrom(
    'thread',
    given,
    ids.filter((id) => generated.test(id)),
  )
}

/** The id that is, or begins with, the given one. */
export function idFrom(kind: Kind, given: string, ids: readonly string[]): string {
  if (given === '' || ids.includes(given)) return given
  const meant = ids.filter((id) => id.startsWith(given))
  const [only = given] = meant
  if (meant.length <= 1) return only
  const listed = meant.slice(0, mostListed).join(', ')
  const rest = meant.length > mostListed ? ` and ${meant.length - mostListed} more` : ''
  throw new UsageError(`"${given}" may be ${meant.length} ${kind}s: ${listed}${rest}. Give more of the id.`)
}

const mostListed = 5
