import { createRequire } from 'node:module'
import { Marked } from 'marked'
import pc from 'picocolors'
import { plainText } from '../plain-text.ts'
import { visibleLink } from './visible-links.ts'

const longestMarkdown = 100_000

/** Markdown as a terminal with colours shows it: no images, no hidden addresses, wrapped at `width` columns. */
export function renderMarkdown(markdown: string, width: number): string {
  // Parsers of Markdown can be made slow; an answer is never so long.
  if (markdown.length > longestMarkdown) return markdown
  const rendered = renderer(width).parse(markdown, { async: false })
  return onlyStyles(rendered).trim()
}

// The terminal renderer takes a quarter of a second to load, which a pipe need not wait for.
const require = createRequire(import.meta.url)

function renderer(width: number): Marked {
  // `require` knows no types; these are declared beside this file.
  const { markedTerminal } = require('marked-terminal') as typeof import('marked-terminal')
  const style = pc.createColors(true)
  const renderer = new Marked()
  renderer.use(
    markedTerminal({
      code: style.yellow,
      codespan: style.yellow,
      blockquote: style.italic,
      html: (text) => text,
      heading: style.bold,
      firstHeading: style.bold,
      strong: style.bold,
      em: style.italic,
      del: style.strikethrough,
      emoji: false,
      showSectionPrefix: false,
      reflowText: true,
      tab: 2,
      tableOptions: { style: { head: [] } },
      width,
    }),
  )
  renderer.use({
    renderer: {
      link: visibleLink,
      image: visibleLink,
      br: () => '\n',
      hr: () => `${'─'.repeat(Math.min(width, 40))}\n\n`,
      // The terminal renderer forgets what stands inside of a list item's text.
      text(token) {
        return 'tokens' in token && token.tokens ? this.parser.parseInline(token.tokens) : false
      },
    },
  })
  return renderer
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for.
const styles = /(\u001b\[[\d;]*m)/

/** Colours are ours; whatever else looks like a command came out of the text. */
function onlyStyles(rendered: string): string {
  return rendered
    .split(styles)
    .map((piece) => (styles.test(piece) ? piece : plainText(piece)))
    .join('')
}
