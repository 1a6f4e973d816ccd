import { createRequire } from 'node:module'
import { Marked } from 'marked'
import pc from 'picocolors'
import { plainText } from '../plain-text.ts'
import { visibleLink } from './visible-links.ts'

const longestMarkdown = 100_000

/** Markdown as a terminal with colours shows it: no images, no hidden addresses, wrapped at `width` columns. */
export function renderMarkdown(markdown: string, width: number): string {
  // Parsers of Markdown can be made slow; no answer is that long.
  if (markdown.length > longestMarkdown) return markdown
  const rendered = renderer(width).parse(markdown, { async: false })
  return onlyStyles(rendered).trim()
}

// The terminal renderer takes a quarter of a second to load, so it is loaded only for a terminal.
const require = createRequire(import.meta.url)

function renderer(width: number): Marked {
  // Its types are declared in a file next to this one.
  const { markedTerminal }: typeof import('marked-terminal') = require('marked-terminal')
  const style = pc.createColors(true)
  const renderer = new Marked()
  renderer.use(
    markedTerminal({
      code: style.yellow,
      codespan: style.yellow,
      blockquote: style.italic,
      html: (text: string) => text,
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
      // The terminal renderer ignores the inline tokens of a list item's text.
      text(token) {
        return 'tokens' in token && token.tokens ? this.parser.parseInline(token.tokens) : false
      },
    },
  })
  return renderer
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches the escape character.
const styles = /(\u001b\[[\d;]*m)/

/** Keeps the colours; all other control sequences came from the text. */
function onlyStyles(rendered: string): string {
  return rendered
    .split(styles)
    .map((piece) => (styles.test(piece) ? piece : plainText(piece)))
    .join('')
}
