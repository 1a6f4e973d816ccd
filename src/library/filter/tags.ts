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
  const parts = pattern.split(/(\*\*\/?|[*?])/)
  const source = parts.map((part) => wildcards[part] ?? part.replace(/[.+^${}()|[\]\\]/g, '\\$&')).join('')
  return new RegExp(`${/^(?:\/|[a-z]:)/i.test(pattern) ? '^' : '(?:^|/)'}${source}$`, 'u').test(path)
}

const wildcards: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' }
