import type { ReadDocument } from '../../port/document.ts'
import { withoutReleases } from './dates.ts'
import { isNobody, isPlaceholder } from './placeholders.ts'

const mostOfText = 4000
const mostWords = 0.75

/** What a file's properties state counts if its beginning says so too: most words of a title, every word of a name. */
export function agreesWith(text: string, stated: string, share = mostWords): boolean {
  if (isPlaceholder(stated)) return false
  const words = wordsOf(stated)
  const beginning = new Set(wordsOf(text.slice(0, mostOfText)))
  const found = words.filter((word) => beginning.has(word)).length
  return share === 0 || (found > 0 && found >= words.length * share)
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{L}{2,}/gu) ?? []
}

/** Title and authors without names that say nothing. */
export function named(document: ReadDocument): ReadDocument {
  const { title, authors } = document
  const names = authors?.value.filter((name) => !isNobody(name)) ?? []
  return {
    ...document,
    title: title && isPlaceholder(title.value) ? null : title,
    authors: authors && names.length > 0 ? { ...authors, value: names } : null,
  }
}

/** Authors and year, and the title of `properties`, without what the text does not bear out. */
export function borneOut(document: ReadDocument): ReadDocument {
  const text = document.pages.find((page) => page.text !== '')?.text ?? ''
  const { title, authors, year } = document
  const names = authors?.value.filter((name) => agreesWith(text, name, 1)) ?? []
  return {
    ...document,
    title: title && agreesWith(text, title.value, document.format === 'html' ? 0 : mostWords) ? title : null,
    authors: authors && names.length > 0 ? { ...authors, value: names } : null,
    year: year && withoutReleases(text.slice(0, mostOfText)).includes(String(year.value)) ? year : null,
  }
}

/**
 * A stated title without the name of a publisher or a site before or behind it: "Care of ponds | The Pond Group"; empty if it
 * is that name alone.
 */
export function withoutPublisher(title: string, publishers: readonly string[]): string {
  return publishers
    .filter((name) => name !== '')
    .reduce((left, name) => {
      if (sameWords(left, name)) return ''
      const [before, after] = [left.slice(0, name.length), left.slice(-name.length)]
      const rest = sameWords(after, name)
        ? /^(.*\S)\s*[|–—·:-]\s*$/u.exec(left.slice(0, -name.length))
        : sameWords(before, name)
          ? /^\s*[|–—·:-]\s*(\S.*)$/u.exec(left.slice(name.length))
          : null
      return rest?.[1] ?? left
    }, title)
}

function sameWords(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase()
}
