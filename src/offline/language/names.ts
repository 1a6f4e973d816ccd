/** A name in a question: "Megastore", "S2ORC", "New York". */
export interface Name {
  readonly text: string
  readonly start: number
  readonly end: number
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}@]*(?:[-‐–.'’][\p{L}\p{N}]+)*/gu
// Capitalised without being names.
const ORDINARY = new Set(
  `i what which who whom whose when where why how is are was were do does did can could will would should has have had
   the a an and or but in on of for to from with by at as it its this that these those they them their he she his her
   we our you your if tell compare explain describe list give show find name summarize summarise please about also
   according not no yes table figure section appendix pdf`.split(/\s+/),
)

/** The names in a text, in order: words with inner capitals or digits, and capitalised words that do not begin it. */
export function namesIn(text: string): readonly Name[] {
  const words = Array.from(text.matchAll(WORD), (match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }))
  const names: Name[] = []
  words.forEach((word, i) => {
    if (!isName(word.text, i === 0, words[i + 1]?.text)) return
    const last = names.at(-1)
    if (last && text.slice(last.end, word.start) === ' ') {
      names[names.length - 1] = { text: text.slice(last.start, word.end), start: last.start, end: word.end }
    } else names.push(word)
  })
  return names.map(withoutPossessive)
}

/** A longer word, in characters, is no name. */
const LONGEST_WORD = 200

function isName(word: string, first: boolean, next: string | undefined): boolean {
  if (word.length > LONGEST_WORD) return false
  if (ORDINARY.has(word.toLowerCase()) || !/\p{L}/u.test(word)) return false
  if (hasInnerSign(word)) return true
  if (!/^\p{Lu}/u.test(word)) return false
  return !first || (next !== undefined && /^\p{Lu}/u.test(next) && !ORDINARY.has(next.toLowerCase()))
}

/** A digit behind a letter, a capital behind a small letter, or two capitals in front. */
function hasInnerSign(word: string): boolean {
  const [letter, small] = [word.search(/\p{L}/u), word.search(/\p{Ll}/u)]
  return (
    (letter >= 0 && /\p{N}/u.test(word.slice(letter))) ||
    (small >= 0 && /\p{Lu}/u.test(word.slice(small))) ||
    /^\p{Lu}{2}/u.test(word)
  )
}

function withoutPossessive(name: Name): Name {
  const text = name.text.replace(/['’]s?$/, '')
  return { text, start: name.start, end: name.start + text.length }
}

/** What a document is known by. */
export interface NamedDocument {
  readonly title: string | null
  readonly source?: string
}

/** What a document is called: its title and the words of its file name. */
export function calledIn({ title, source }: NamedDocument): string {
  return `${title ?? ''} ${(source?.split(/[\\/]/).at(-1) ?? '').replace(/[_.-]+/g, ' ')}`
}
