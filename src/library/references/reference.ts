import { plainText } from '../../plain-text.ts'
import { lettersOf, yearIn } from '../language/characters.ts'
import type { DocumentReference, MetadataChange, StatedMetadata } from '../port/document.ts'
import { cleanLine } from '../readers/common/clean-text.ts'

/** An entry of a person's references: what it states of its document, and the absolute paths of the files attached to it. */
export interface Reference {
  readonly stated: StatedMetadata & { readonly reference: DocumentReference }
  readonly files: readonly string[]
}

/** An item of CSL JSON, of which nothing is known yet. */
export type Item = Readonly<Record<string, unknown>>

const names =
  'type container-title collection-title publisher publisher-place volume issue number edition page DOI URL ISBN ISSN'
// "DBLP:conf/nips/Vaswani17" is one; an address, which Zotero writes into CSL where there is no key, is none.
const usableKey = /^(?!\w+:\/\/)[\p{L}\p{N}_](?:[\p{L}\p{N}_:.+/-]{0,98}[\p{L}\p{N}_])?$/u

/** Keeps what a bibliography names. An item without a key that can be used gets one. */
export function referenceFrom(item: Item, files: readonly string[]): Reference {
  const title = lineOf(item.title)
  const authors = [item.author].flat().map(nameOf).filter(Boolean)
  const year = yearIn(JSON.stringify(item.issued ?? ''))
  const stated = { ...(title && { title }), ...(authors[0] && { authors }), ...(year && { year }) }
  const noted = /^ *citation key *: *(\S+)/im.exec(String(item.note ?? ''))?.[1]
  const key = [item['citation-key'], noted, item.id].map(lineOf).find((each) => usableKey.test(each))
  const fields = names.split(' ').map((name) => [name, lineOf(item[name])] as const)
  const known = fields.filter(([name, value]) =>
    name === 'URL' ? URL.canParse(value) && /^https?:/i.test(value) : value,
  )
  return { stated: { ...stated, reference: { ...Object.fromEntries(known), id: key ?? madeKey(stated) } }, files }
}

/** "Family, Given", or the name of an organisation. */
function nameOf(author: unknown): string {
  const { family, given, literal, 'non-dropping-particle': particle } = (author ?? {}) as Item
  const surname = [particle, family].map(lineOf).filter(Boolean).join(' ')
  return [surname, lineOf(given)].filter(Boolean).join(', ') || lineOf(literal)
}

/** One line of text without the markup of CSL. */
function lineOf(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 1000) : ''
  return cleanLine(text.replace(/<\/?(?:i|b|sup|sub|span)\b[^<>]{0,100}>/gi, ''))
}

/** A key of the first author's surname, the year and the first long word of the title. */
export function madeKey({ title, authors, year }: MetadataChange): string {
  const [author = '', given] = (authors?.[0] ?? '').split(/, */)
  const surname = given === undefined ? author.split(' ').at(-1) : author
  const word = title?.split(/\s+/).find((each) => simple(each).length > 3)
  return [simple(surname), year ?? '', simple(word)].join('') || 'document'
}

function simple(text = ''): string {
  return lettersOf(plainText(text).normalize('NFKD')).replace(/[^a-z0-9]/g, '')
}
