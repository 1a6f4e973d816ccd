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

function fits(path: string, pattern: string): boolean {
  const isWhole = /^(?:\/|[a-z]:)/i.test(pattern)
  const signs = [...path]
  let places: ReadonlySet<number> = new Set([0])
  for (const part of (isWhole ? pattern : `**/${pattern}`).match(/\*\*\/?|./gsu) ?? [])
    places = new Set(endsOf(part, signs, places))
  return places.has(signs.length)
}

/** Where a part of a pattern may end that begins at one of these places. Each sign is looked at once, so the time is bounded. */
function* endsOf(part: string, signs: readonly string[], begins: ReadonlySet<number>): Generator<number> {
  const [holds, ends] = wildcards[part] ?? [() => false, (sign: string) => sign === part]
  let isWithin = false
  for (let place = 0; place <= signs.length; place += 1) {
    const sign = signs[place - 1] ?? ''
    if ((isWithin && ends(sign)) || (part.startsWith('*') && begins.has(place))) yield place
    isWithin = (isWithin && holds(sign)) || begins.has(place)
  }
}

const isName = (sign: string) => sign !== '/'
/** Which signs a wildcard may hold, and which may be its last. */
const wildcards: Readonly<Record<string, readonly [(sign: string) => boolean, (sign: string) => boolean]>> = {
  '**/': [() => true, (sign) => sign === '/'],
  '**': [() => true, () => true],
  '*': [isName, isName],
  '?': [() => false, isName],
}
