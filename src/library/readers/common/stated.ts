import type { ReadDocument } from '../../port/document.ts'

const placeholder =
  /^(?:untitled|unbenannt|sans titre|microsoft word\b.*|.*\.(?:docx?|dvi|tex|pdf|indd|pptx?|xlsx?))$/iu
const mostOfText = 4000
const mostWords = 0.75

/** What a file's properties state counts if its beginning says so too: most words of a title, every word of a name. */
export function agreesWith(text: string, stated: string, share = mostWords): boolean {
  if (placeholder.test(stated.trim())) return false
  const words = wordsOf(stated)
  const beginning = new Set(wordsOf(text.slice(0, mostOfText)))
  const found = words.filter((word) => beginning.has(word)).length
  return share === 0 || (found > 0 && found >= words.length * share)
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{L}{2,}/gu) ?? []
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
    year: year && text.slice(0, mostOfText).includes(String(year.value)) ? year : null,
  }
}
