/** Runs in a process of its own, started by `readable-text.ts`: turns one HTML page into text and ends. */
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import TurndownService from 'turndown'
import { webText } from '../../library/ingestion/web-page.ts'
import type { PageToRead } from './readable-text.ts'

// Only `readableText` starts this file, and it sends nothing but its page.
process.once('message', (page) => {
  const { html, url } = page as PageToRead
  process.send?.(htmlToText(html, url), () => process.disconnect())
})

/** What there is to read on a web page, without its frame of menus and advertisements. */
export interface ReadableText {
  readonly title: string | null
  /** Headings begin with `#`, rows of a table have ` | ` between cells; no images, links as text with their host. */
  readonly text: string
}

/**
 * The readable part of an HTML page; `url` is where links of the page start from. Hostile pages make it slow or
 * overflow the stack, which is why `readableText` runs it in a thread of its own.
 */
export function htmlToText(html: string, url: string): ReadableText {
  const { document } = parseHTML(inDocument(html))
  const title = webText(document.title ?? '')
  const article = new Readability<unknown>(document.cloneNode(true), {
    serializer: (node) => node,
    disableJSONLD: true,
  }).parse()
  const text = article?.content ? converted(article.content, url) : ''
  return { title: title || null, text: text || converted(document.body, url) }
}

/** The parser takes the first element for the root, whatever it is. */
function inDocument(html: string): string {
  return /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`
}

function converted(node: unknown, url: string): string {
  return webText(converter(url).turndown(node))
}

function converter(url: string): TurndownService {
  const service = new TurndownService({ headingStyle: 'atx', bulletListMarker: '-' })
  // Page text is quoted letter by letter, so nothing is marked up or escaped in it.
  service.escape = (text) => text
  service.remove(['script', 'style', 'noscript', 'template', 'iframe', 'form', 'button', 'head', 'title'])
  service.addRule('images', { filter: ['img', 'picture', 'svg', 'video', 'audio', 'canvas'], replacement: () => '' })
  service.addRule('emphasis', { filter: ['strong', 'b', 'em', 'i', 'code'], replacement: (content) => content })
  service.addRule('links', {
    filter: 'a',
    replacement: (content, node) => linkText(content, node.getAttribute('href'), url),
  })
  service.addRule('cells', { filter: ['td', 'th'], replacement: (content) => `${content.trim()} | ` })
  service.addRule('rows', { filter: 'tr', replacement: (content) => `\n${content.replace(/ \| $/, '')}\n` })
  return service
}

/** A link within the site is its text; one that leaves it says where it leads. */
function linkText(content: string, href: string | null, url: string): string {
  if (!href || !content.trim() || !URL.canParse(href, url)) return content
  const target = new URL(href, url)
  return target.host && target.host !== new URL(url).host ? `${content} (${target.host})` : content
}
