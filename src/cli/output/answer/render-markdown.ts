import { Marked, type Token, type Tokens } from 'marked'
import pc from 'picocolors'
import { columnsOf, padded, plainText, wrapped } from '../plain-text.ts'

/** How Markdown is shown. */
export interface MarkdownStyle {
  /** Whether emphasis is shown by styles of the terminal; without them it is left out. */
  readonly color: boolean
  /** Columns; infinite in a pipe, where no line is broken. */
  readonly width: number
}

/**
 * Markdown as people read it, without its marks: no images, no hidden addresses, tables aligned, lists with their numbers.
 * What stands between `highlight.start` and `highlight.end` is bold. No control sequence of the text is left.
 */
export function renderMarkdown(markdown: string, { color, width }: MarkdownStyle): string {
  // Parsers of Markdown can be made slow; no answer is that long.
  if (markdown.length > longestMarkdown) return withoutHighlights(markdown).trim()
  const style = pc.createColors(color)
  const shown = blocksOf(reader.lexer(markdown), { style, width }).trimEnd()
  const [on = '', off = ''] = style.bold('|').split('|')
  const isOpen = shown.lastIndexOf(highlight.start) > shown.lastIndexOf(highlight.end)
  return `${shown}${isOpen ? highlight.end : ''}`.replaceAll(highlight.start, on).replaceAll(highlight.end, off)
}

/** Characters for private use, which no font shows: they mark what answers most shortly, where `**` might not be read as bold. */
export const highlight = { start: '\ue0f0', end: '\ue0f1' } as const

/** A text whose marks of highlights, which only its renderer sets, are gone. */
export function withoutHighlights(text: string): string {
  return text.replaceAll(highlight.start, '').replaceAll(highlight.end, '')
}

const longestMarkdown = 100_000
const reader = new Marked()

interface Page {
  readonly style: ReturnType<typeof pc.createColors>
  readonly width: number
}

function blocksOf(tokens: readonly Token[], page: Page, between = '\n\n'): string {
  return tokens
    .map((token) => blockOf(token as Tokens.Generic, page))
    .filter((block) => block !== '')
    .join(between)
}

/** marked types each kind of token, and the union of all by an open one: a kind is known by its name alone. */
function blockOf(token: Tokens.Generic, page: Page): string {
  const { style, width } = page
  switch (token.type) {
    case 'space':
    case 'def':
      return ''
    case 'heading':
      return lineOf(style.bold(inlineOf(token.tokens, page)), width)
    case 'hr':
      return '─'.repeat(Math.min(width, 40))
    case 'code':
      return indented(style.yellow(plainText(token.text)), '    ')
    case 'blockquote':
      return indented(style.italic(blocksOf(token.tokens ?? [], narrower(page, 2))), '  ')
    case 'list':
      return listOf(token as Tokens.List, page)
    case 'table':
      return tableOf(token as Tokens.Table, page)
    default:
      return lineOf(token.tokens ? inlineOf(token.tokens, page) : plainOf(token.text ?? '', page), width)
  }
}

/** At a width, lines of one paragraph are filled anew; a hard break, which is a line break here, stays. */
function lineOf(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => wrapped(line.trim(), width))
    .join('\n')
}

function listOf({ ordered, start, items, loose }: Tokens.List, page: Page): string {
  const first = Number(start) || 0
  const marks = items.map((_, index) => (ordered ? `${first + index}. ` : '- '))
  const indent = Math.max(...marks.map((mark) => mark.length))
  const texts = items.map((item, index) => {
    const text = blocksOf(item.tokens, narrower(page, indent), item.loose ? '\n\n' : '\n')
    return `${marks[index]?.padStart(indent)}${indented(text, ' '.repeat(indent)).trimStart()}`
  })
  return texts.join(loose ? '\n\n' : '\n')
}

function tableOf({ header, rows, align }: Tokens.Table, page: Page): string {
  const cells = [header, ...rows].map((row) => row.map((each) => inlineOf(each.tokens, page).replaceAll('\n', ' ')))
  const [names = [], ...values] = cells
  return tableLines(names, values, { align, width: page.width, bold: page.style.bold })
}

function inlineOf(tokens: readonly Token[] = [], page: Page): string {
  return tokens.map((token) => pieceOf(token as Tokens.Generic, page)).join('')
}

function pieceOf(token: Tokens.Generic, page: Page): string {
  const { style } = page
  const inner = () => inlineOf(token.tokens, page)
  switch (token.type) {
    case 'strong':
      return style.bold(inner())
    case 'em':
      return style.italic(inner())
    case 'del':
      return style.strikethrough(inner())
    case 'codespan':
      return style.yellow(plainText(token.text))
    case 'br':
      return '\n'
    case 'checkbox':
      return token.checked ? '[x] ' : '[ ] '
    case 'image':
      return `${plainText(token.text) || 'image'} (image${behind(hostOf(token.href), ' on ')})`
    case 'link':
      return linkOf(token as Tokens.Link, inner())
    case 'escape':
      return plainText(token.text)
    default:
      return token.tokens ? inner() : plainOf(token.text ?? '', page)
  }
}

/** `[text](address)` becomes `text (host)`; a footnote's marker such as `[1]`, and an address written out, stay as they are. */
function linkOf({ raw, href, text }: Tokens.Link, shown: string): string {
  if (/^(?:\[\d+\])+$/.test(raw)) return raw
  const host = text === href ? '' : hostOf(href)
  return host ? `${shown} (${host})` : shown
}

function hostOf(href: string): string {
  return URL.canParse(href) ? new URL(href).host : ''
}

function behind(text: string, before: string): string {
  return text && before + text
}

/** Text, in which marks of emphasis are left that the rules of Markdown do not read: beside brackets, or without their pair. */
function plainOf(text: string, { style, width }: Page): string {
  return plainText(text)
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: keyof typeof entities) => entities[name])
    .replace(/\*\*(?=\S)([^*\n]{1,500})(?<=\S)\*\*/g, (_, inner: string) => style.bold(inner))
    .replace(/\*\*(?=[^\s*])(?<![\p{L}\p{N})\]]\*\*)|(?<=[^\s*])\*\*(?![\p{L}\p{N}([])/gu, '')
    .replace(/\n/g, Number.isFinite(width) ? ' ' : '\n')
}

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" } as const

function indented(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent)
}

function narrower(page: Page, columns: number): Page {
  return { ...page, width: Math.max(10, page.width - columns) }
}

interface TableShape {
  readonly align: readonly ('left' | 'right' | 'center' | null)[]
  /** Columns of the terminal. */
  readonly width: number
  readonly bold: (text: string) => string
}

const gap = '  '
/** A column is not wrapped to less than this. */
const narrowest = 16

/**
 * A table in aligned columns. Where it is too wide its widest column is wrapped; where that is not enough, each row is a
 * block, with the name of the column before each cell.
 */
function tableLines(names: readonly string[], rows: readonly (readonly string[])[], shape: TableShape): string {
  const widths = names.map((name, column) =>
    Math.max(...[name, ...rows.map((row) => row[column] ?? '')].map(columnsOf)),
  )
  const whole = widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1))
  const widest = widths.indexOf(Math.max(...widths))
  const left = (widths[widest] ?? 0) - Math.max(0, whole - shape.width)
  if (left < Math.min(narrowest, widths[widest] ?? 0)) return rows.map((row) => record(names, row, shape)).join('\n\n')
  const fitting = widths.with(widest, left)
  const rule = fitting.map((width) => '─'.repeat(width)).join(gap)
  const lines = (row: readonly string[]) => rowLines(row, fitting, shape)
  return [...lines(names.map(shape.bold)), rule, ...rows.flatMap(lines)].join('\n')
}

/** A row, over several lines where one of its cells is wrapped. */
function rowLines(row: readonly string[], widths: readonly number[], { align }: TableShape): readonly string[] {
  const cells = widths.map((width, column) => wrapped(row[column] ?? '', width).split('\n'))
  const height = Math.max(...cells.map(({ length }) => length))
  return Array.from({ length: height }, (_, at) => {
    const pieces = cells.map((lines, column) => padded(lines[at] ?? '', widths[column] ?? 0, align[column] ?? 'left'))
    return pieces.join(gap).trimEnd()
  })
}

function record(names: readonly string[], row: readonly string[], { width, bold }: TableShape): string {
  return row
    .flatMap((cell, column) => (cell === '' ? [] : [`${names[column] ? `${bold(names[column])}: ` : ''}${cell}`]))
    .map((line) => wrapped(line, width, '  '))
    .join('\n')
}
