import { Marked, type Token, type Tokens } from 'marked'
import { plainText } from '../plain-text.ts'

const longestMarkdown = 100_000
const reader = new Marked()

/** Markdown whose links show their target: `[text](address)` becomes `text (host)`, and an image `text (image on host)`. */
export function withVisibleLinks(markdown: string): string {
  let shown = ''
  let at = 0
  for (const link of linksOf(markdown)) {
    const start = markdown.indexOf(link.raw, at)
    if (start === -1) continue
    shown += markdown.slice(at, start) + visibleLink(link)
    at = start + link.raw.length
  }
  return shown + markdown.slice(at)
}

/** A link or image as words; a footnote's marker such as `[1]`, and an address written out, stay as they are. */
export function visibleLink({ type, raw, href, text }: Tokens.Link | Tokens.Image): string {
  const host = hostOf(href)
  if (type === 'image') return `${text || 'image'} (image${host && ` on ${host}`})`
  if (/^\[\d+\]$/.test(raw) || text === href) return plainText(raw)
  return host ? `${text} (${host})` : text
}

function linksOf(markdown: string): (Tokens.Link | Tokens.Image)[] {
  // Parsers of Markdown can be made slow; no answer is that long.
  if (markdown.length > longestMarkdown) return []
  const links: (Tokens.Link | Tokens.Image)[] = []
  const inner = new Set<Token>()
  void reader.walkTokens(reader.lexer(markdown), (token) => {
    if (!isLink(token) || inner.has(token)) return
    for (const child of token.tokens) inner.add(child)
    links.push(token)
  })
  return links
}

function isLink(token: Token): token is Tokens.Link | Tokens.Image {
  return token.type === 'link' || token.type === 'image'
}

function hostOf(href: string): string {
  return URL.canParse(href) ? new URL(href).host : ''
}
