import { yearIn } from '../../language/characters.ts'
import type { Provenance, ReadDocument } from '../../port/document.ts'
import { authorNames } from '../common/author-names.ts'
import { cleanLine } from '../common/clean-text.ts'
import { withoutPublisher } from '../common/stated.ts'

/** What the head of a web page holds: its title, and its `meta` elements by name. */
export interface HtmlHead {
  title: string
  readonly meta: Map<string, string[]>
}

/** Notes a `meta` element. */
export function addMeta(head: HtmlHead, attributes: Readonly<Record<string, string>>): void {
  const name = (attributes.name ?? attributes.property)?.toLowerCase()
  const content = cleanLine(attributes.content ?? '')
  if (name && content !== '') head.meta.set(name, [...(head.meta.get(name) ?? []), content])
}

/** Title, authors and year, as the head of a page states them. */
export function htmlMetadata(head: HtmlHead): Pick<ReadDocument, 'title' | 'authors' | 'year'> {
  const stated = first(head, ['citation_title', 'og:title', 'dc.title'])
  const title = [stated, pageTitle(head)].flatMap((each) => withoutSite(each, head))[0] ?? null
  const names = ['citation_author', 'dc.creator', 'author', 'article:author']
  const authorKey = names.find((name) => head.meta.has(name))
  const makers = authorKey ? (head.meta.get(authorKey) ?? []) : []
  const authors = makers.filter((name) => !/^https?:/.test(name)).flatMap(authorNames)
  return { title, authors: authors.length > 0 ? { value: authors, from: `meta ${authorKey}` } : null, year: year(head) }
}

const sites = ['og:site_name', 'application-name', 'dc.publisher', 'citation_publisher', 'publisher']

function withoutSite(title: Provenance<string> | null, head: HtmlHead): readonly Provenance<string>[] {
  const publishers = sites.flatMap((name) => head.meta.get(name) ?? [])
  const value = title && withoutPublisher(title.value, publishers)
  return title && value ? [{ ...title, value }] : []
}

function pageTitle(head: HtmlHead): Provenance<string> | null {
  const title = cleanLine(head.title)
  return title === '' ? null : { value: title, from: 'title element' }
}

function first(head: HtmlHead, names: readonly string[]): Provenance<string> | null {
  const name = names.find((each) => head.meta.has(each))
  const value = name && head.meta.get(name)?.[0]
  return value ? { value, from: `meta ${name}` } : null
}

const dateNames = ['citation_publication_date', 'citation_date', 'article:published_time', 'dc.date', 'date']

function year(head: HtmlHead): Provenance<number> | null {
  const date = first(head, dateNames)
  const value = yearIn(date?.value ?? '')
  return date && value ? { value, from: date.from } : null
}
