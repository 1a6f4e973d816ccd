import { harmless } from './harmless.ts'

/** What can be written down as YAML: plain data. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain }

/**
 * Plain data as lines of YAML 1.2, indented by so many spaces: mappings and lists in blocks, texts of several lines as
 * they are, everything else as JSON, which is YAML too. Texts lose what `harmless` takes out. The keys of mappings must
 * be names. A writer of YAML from a package would take longer to load than a whole session log to write.
 */
export function yamlOf(value: { readonly [key: string]: Plain }, indent = 0): string {
  const margin = ' '.repeat(indent)
  return Object.entries(value)
    .map(([key, each]) => `${margin}${key}:${valueAfterKey(each, indent)}`)
    .join('')
}

/** Plain data on one line: what a model or a tool has chosen the keys of. */
export function inOneLine(value: unknown): string {
  const clean = JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'string') return harmless(each)
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    // A key of YAML on one line may have 1024 characters.
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [harmless(key).slice(0, 200), inner]))
  })
  return escaped(clean ?? 'null')
}

/** What follows a key, from the colon to the end of its last line. */
function valueAfterKey(value: Plain, indent: number): string {
  if (typeof value === 'string') return ` ${textOf(harmless(value), indent + 2)}\n`
  if (Array.isArray(value)) return value.length === 0 ? ' []\n' : `\n${itemsOf(value, indent + 2)}`
  return ` ${inOneLine(value)}\n`
}

function itemsOf(items: readonly Plain[], indent: number): string {
  const margin = ' '.repeat(indent)
  return items
    .map((item) => {
      if (!isMapping(item)) return `${margin}-${valueAfterKey(item, indent)}`
      // The first key stands beside the dash.
      return `${margin}- ${yamlOf(item, indent + 2).slice(indent + 2)}`
    })
    .join('')
}

function textOf(text: string, indent: number): string {
  if (!isBlock(text)) return inOneLine(text)
  const margin = ' '.repeat(indent)
  return `|-\n${text.replace(/^(?=.)/gm, margin)}`
}

/** A text whose lines can stand as they are. */
function isBlock(text: string): boolean {
  return text.includes('\n') && /^\S/.test(text) && /\S$/.test(text) && !/[\r\u2028\u2029\ufeff]/.test(text)
}

function isMapping(value: Plain): value is { readonly [key: string]: Plain } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
}

/** Older readers take these for line breaks, or for the mark at the beginning of a file. */
function escaped(json: string): string {
  return json.replace(
    /[\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
