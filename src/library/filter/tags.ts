import { tagText } from '../../config.ts'
import { UsageError } from '../../errors.ts'
import type { TagChange } from '../port/passage-index.ts'

/** A tag as it is kept: in small letters, so that it is one tag however it is typed. Throws `UsageError` for what is none. */
export function tagFrom(text: string): string {
  const { data, error } = tagText.safeParse(text.normalize('NFC').toLowerCase())
  if (data !== undefined) return data
  throw new UsageError(`${JSON.stringify(text)} cannot be used: ${error?.issues[0]?.message}.`)
}

/** What kind of document a tag says it is: "10-k" of "kind:10-k"; null for other tags. */
export function kindIn(tag: string): string | null {
  return tag.startsWith('kind:') ? tag.slice('kind:'.length).trim() : null
}

/** The tags of a document after a change, each once, in the order of their letters. */
export function changedTags(tags: readonly string[], { add = [], remove = [] }: TagChange): readonly string[] {
  const gone = new Set(remove.map(tagFrom))
  return [...new Set([...tags.filter((tag) => !gone.has(tag)), ...add.map(tagFrom)])].sort()
}

/** The tags that rules give a file, by its path: `**` in a pattern stands for any folders, `*` for a part of a name. */
export function tagsByRule(path: string, rules: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const names = path.replaceAll('\\', '/')
  return Object.entries(rules).flatMap(([pattern, tags]) => (fits(names, pattern) ? tags.map(tagFrom) : []))
}

/** Follows all ways to read the pattern at once, so that the time is in proportion to both lengths. */
function fits(path: string, pattern: string): boolean {
  const parts = pattern.split(/(\*\*\/?|[*?])/).flatMap((part) => (part in wildcards ? [part] : [...part]))
  const begins = /^(?:\/|[a-z]:)/i.test(pattern) ? [''] : ['', '/']
  const enter = (places: Set<number>, place: number): void => {
    places.add(place)
    if (wildcards[parts[place] ?? '']?.mayBeEmpty) enter(places, place + 1)
  }
  let places = new Set<number>()
  let before = ''
  for (const sign of path) {
    if (begins.includes(before)) enter(places, 0)
    const read = [...places].map((place) => ({ place, ...readerOf(parts[place]) }))
    places = new Set(read.flatMap(({ place, stays }) => (stays(sign) ? [place] : [])))
    for (const { place } of read.filter(({ goes }) => goes(sign))) enter(places, place + 1)
    before = sign
  }
  return places.has(parts.length)
}

interface Wildcard {
  readonly mayBeEmpty: boolean
  /** Whether it may hold this sign and more of them. */
  readonly stays: (sign: string) => boolean
  /** Whether this sign may be its last. */
  readonly goes: (sign: string) => boolean
}

function readerOf(part: string | undefined): Wildcard {
  return wildcards[part ?? ''] ?? { mayBeEmpty: false, stays: () => false, goes: (sign) => sign === part }
}

const isFolder = (sign: string) => sign === '/'
const isName = (sign: string) => sign !== '/'
const wildcards: Readonly<Record<string, Wildcard>> = {
  '**/': { mayBeEmpty: true, stays: () => true, goes: isFolder },
  '**': { mayBeEmpty: true, stays: () => true, goes: () => true },
  '*': { mayBeEmpty: true, stays: isName, goes: isName },
  '?': { mayBeEmpty: false, stays: () => false, goes: isName },
}
