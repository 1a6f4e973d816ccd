import { type Settings, UsageError } from '../../index.ts'
import { type FilterOptions, filterFrom, tagFrom, tagsByRule } from '../../library/index.ts'
import type { User } from './users.ts'

/** What a user may do with documents, by the collections that the settings name. A collection is the documents of a tag. */
export interface Rights {
  /** The tags that `library.tags` gives a file of this path. */
  readonly ruled: (path: string) => readonly string[]
  /** Collections whose documents are not there for the user. */
  readonly hidden: readonly string[]
  /** Whether the user may put documents into a collection and take them out; true for a tag that is none. */
  readonly mayTag: (tag: string) => boolean
  /** Whether the user may change documents of others that have these tags: in a collection, and writing in each that they are in. */
  readonly mayChange: (tags: readonly string[]) => boolean
}

/** Of a person whose machine this is, and where no collection has rights. */
export const allRights: Rights = { hidden: [], ruled: () => [], mayTag: () => true, mayChange: () => false }

/** The rights of each user. Throws `UsageError` for a collection that is no tag. */
export function rightsIn(
  { collections, groups }: Pick<Settings['server'], 'collections' | 'groups'>,
  rules: Settings['library']['tags'] = {},
) {
  const known = new Map(Object.entries(collections).map(([tag, rights]) => [tagFrom(tag), rights]))
  return ({ name }: User): Rights => {
    if (name === null) return allRights
    const isAmong = (names: readonly string[]) =>
      names.some((each) => each === '*' || each === name || groups[each]?.includes(name))
    const writable = new Set([...known].flatMap(([tag, { write }]) => (isAmong(write) ? [tag] : [])))
    const mayTag = (tag: string) => writable.has(tag) || !known.has(tag)
    return {
      hidden: [...known].flatMap(([tag, { read }]) => (writable.has(tag) || isAmong(read) ? [] : [tag])),
      ruled: (path) => tagsByRule(path, rules),
      mayTag,
      mayChange: (tags) => tags.some((tag) => writable.has(tag)) && tags.every(mayTag),
    }
  }
}

/** A filter that a user of the server may send: one that asked for folders would tell them. Throws `UsageError`. */
export function checkedFilter<T extends FilterOptions>(options: T): T {
  if (filterFrom(options)?.fields.includes('path'))
    throw new UsageError('A server knows no paths of its files: compare "file", the name, in place of "path".')
  return options
}
