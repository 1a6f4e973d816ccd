import { wordSet } from '../../language/characters.ts'
import type { ReadDocument } from '../../port/document.ts'
import { decodeCharset } from '../common/decode-text.ts'
import type { ReadOptions } from '../common/read-options.ts'
import { escapeHtml, pageMark, readHtmlText } from '../html/html.ts'
import { statedProperties } from './archive.ts'

/** Reads Rich Text (RTF 1.9.1) by way of HTML, as a Word file. Throws `DocumentUnreadable` (`over_budget`). */
export async function readRtf(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  const { html, texts } = toHtml(Buffer.from(bytes).toString('latin1'))
  const properties = statedProperties(texts.get('title'), [texts.get('author') ?? ''])
  return { ...readHtmlText(html, options, pageMark), ...properties, format: 'rtf' }
}

/** What holds up to the closing brace: what the text belongs to, and control words with their values. */
interface Group {
  readonly part: string
  readonly values: Readonly<Record<string, number>>
}

/** A control word and its value, a byte, a control symbol, a brace, or a text. */
const tokens = /\\([a-z]{1,32})(-?\d{1,9})? ?|\\'([\da-f]{2})|\\([^a-z])|[{}]|[^\\{}]+/giu
/** Control words whose value is looked up where it matters. */
const stored = wordSet('ansicpg deff uc b v deleted super f s outlinelevel intbl pagebb')
const parts = wordSet('fonttbl info title author listtext pntext footnote')
/** Parts that hold text although readers may leave them out, and parts that hold none of the body. */
const kept = wordSet('footnote shpinst')
const skipped = wordSet(
  `stylesheet colortbl pict object header headerl headerr headerf footer footerl footerr footerf annotation nonshppict
   shprslt sp nonesttables xe tc fldinst mmath`,
)
/** What stands for a control word or symbol. */
const signs =
  pairs(`tab:\t line:<br> page:${pageMark} nestcell:<br> emdash:— endash:– lquote:‘ rquote:’ ldblquote:“ rdblquote:”
   bullet:• ~:\u00a0 _:‑ {:{ }:} \\:\\`)
/** By their numbers in fonts, and by those of code pages that are not "windows-" and their number. */
const charsets =
  pairs(`0:windows-1252 77:macintosh 128:shift_jis 129:euc-kr 134:gbk 136:big5 161:windows-1253 162:windows-1254
   163:windows-1258 177:windows-1255 178:windows-1256 186:windows-1257 204:windows-1251 222:windows-874 238:windows-1250
   932:shift_jis 936:gbk 949:euc-kr 950:big5 10000:macintosh 65001:utf-8`)

function pairs(list: string): ReadonlyMap<string, string> {
  return new Map(
    list.split(/[ \n]+/u).map((pair) => [pair.slice(0, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1)]),
  )
}

/** Notes come last, as a list. */
function toHtml(rtf: string): { html: string; texts: ReadonlyMap<string, string> } {
  const headings = headingStyles(rtf)
  const [body, notes, cells, line]: [string[], string[], string[], string[]] = [[], [], [], []]
  const [fonts, texts] = [new Map<number, number>(), new Map<string, string>()]
  const groups: Group[] = []
  const rows: Row[] = []
  const row = { ends: [] as number[], flags: new Set<string>() }
  let group: Group = { part: 'body', values: {} }
  let [bytes, unread, noteStart, isStarred] = ['', 0, 0, false]

  const clear = (words: string): void => {
    const cleared = wordSet(words)
    const values = Object.entries(group.values).filter(([word]) => !cleared.has(word))
    group = { ...group, values: Object.fromEntries(values) }
  }
  const write = (text: string, html = escapeHtml(text)): void => {
    const { v, deleted, b, super: raised } = group.values
    const shown = b ? `<b>${html}</b>` : html
    if (group.part !== 'body' && group.part !== 'footnote') texts.set(group.part, (texts.get(group.part) ?? '') + text)
    else if (text !== '' && !v && !deleted) line.push(raised ? `<sup>${shown}</sup>` : shown)
  }
  const endBytes = (): void => {
    const { f, deff = 0, ansicpg = 1252 } = group.values
    const page = fonts.get(f ?? deff) ?? ansicpg
    const isPlain = group.part === 'skipped' || /^[ -~]*$/u.test(bytes)
    write(isPlain ? bytes : decodeCharset(Buffer.from(bytes, 'latin1'), charsets.get(`${page}`) ?? `windows-${page}`))
    bytes = ''
  }
  const endParagraph = (): void => {
    const { intbl, outlinelevel = 9, s = 0, pagebb } = group.values
    if (intbl || group.part === 'footnote') {
      line.push('<br>')
      return
    }
    const level = outlinelevel < 9 ? outlinelevel + 1 : headings.get(s)
    const tag = level ? `h${Math.min(level, 6)}` : 'p'
    if (rows.length > 0) body.push(tableHtml(rows.splice(0)))
    body.push(pagebb && body.length > 0 ? pageMark : '', `<${tag}>${line.splice(0).join('')}</${tag}>`)
  }
  const actions: Readonly<Record<string, (value: number) => void>> = {
    par: endParagraph,
    '\n': endParagraph,
    '\r': endParagraph,
    plain: () => clear('b v deleted super f'),
    pard: () => clear('s outlinelevel intbl pagebb'),
    nosupersub: () => clear('super'),
    fcharset: (value) => charsets.has(`${value}`) && fonts.set(group.values.f ?? 0, value),
    u: (value) => {
      write(String.fromCharCode(value & 0xffff))
      unread = Math.max(0, group.values.uc ?? 1)
    },
    footnote: () => {
      noteStart = line.length
    },
    trowd: () => Object.assign(row, { ends: [], flags: new Set() }),
    trhdr: () => row.flags.add('header'),
    clvmrg: () => row.flags.add(`below ${row.ends.length}`),
    cellx: (value) => row.ends.push(value),
    cell: () => cells.push(line.splice(0).join('')),
    row: () => rows.push({ ...row, cells: cells.splice(0) }),
  }
  const control = (word: string, value: number): void => {
    const isLeftOut = isStarred ? !kept.has(word) : skipped.has(word)
    isStarred = word === '*'
    if (isLeftOut) group = { ...group, part: 'skipped' }
    if (group.part === 'skipped') return
    if (parts.has(word)) group = { ...group, part: word }
    if (stored.has(word)) group = { ...group, values: { ...group.values, [word]: value } }
    write(signs.get(word) ?? '', signs.get(word))
    actions[word]?.(value)
  }
  const leave = (): void => {
    const { part } = group
    group = groups.pop() ?? group
    if (part === group.part) return
    const mark = texts.get(part) ?? ''
    if (part === 'footnote') {
      notes.push(`<li>${line.splice(noteStart).join('')}</li>`)
      line.push(`<sup>[${notes.length}]</sup>`)
    } else if (part === 'listtext' || part === 'pntext') {
      write(mark, /[\d.)]/u.test(mark) ? mark : '<li>')
      texts.delete(part)
    }
  }
  const take = (text: string): void => {
    bytes += text.slice(unread)
    unread = Math.max(0, unread - text.length)
  }
  const follow = (found: string, word: string, value: number): void => {
    endBytes()
    if (found === '{') groups.push(group)
    else if (found === '}') leave()
    else control(word, value)
  }
  for (const [found, word, value = '1', hex, symbol = ''] of tokensOf(rtf)) {
    if (hex) take(String.fromCharCode(Number.parseInt(hex, 16)))
    else if (/^[^\\{}]/u.test(found)) take(found.replace(/[\r\n]/gu, ''))
    else follow(found, word ?? symbol, Number(value))
  }
  endBytes()
  group = { part: 'body', values: {} }
  if (cells.length > 0) actions.row?.(1)
  endParagraph()
  return { html: `${body.join('')}<ol>${notes.join('')}</ol>`, texts }
}

function* tokensOf(rtf: string): Generator<RegExpExecArray> {
  const scan = new RegExp(tokens)
  for (let token = scan.exec(rtf); token; token = scan.exec(rtf)) {
    yield token
    if (token[1] === 'bin') scan.lastIndex += Math.max(0, Number(token[2] ?? 0))
  }
}

/** The levels of styles for headings; other names of a style stand behind commas. */
function headingStyles(rtf: string): ReadonlyMap<number, number> {
  const found = rtf.matchAll(/\{\\s(\d{1,6})\\[^{};]*\b(?:heading ([1-9])|title)(?:,[^{};]{0,99})?;\}/giu)
  return new Map([...found].map(([, style, level = '1']) => [Number(style), Number(level)]))
}

interface Row {
  /** Where its cells end, from the left edge. */
  readonly ends: readonly number[]
  readonly flags: ReadonlySet<string>
  readonly cells: readonly string[]
}

/** What cells span is told by where those of all rows end. */
function tableHtml(rows: readonly Row[]): string {
  const ends = [...new Set(rows.flatMap((row) => row.ends))].sort((one, other) => one - other)
  const columns = new Map(ends.map((end, at) => [end, at + 1]))
  const below = new Map<number, number>()
  const lines = rows.toReversed().map(({ ends, flags, cells }) => {
    const tag = flags.has('header') ? 'th' : 'td'
    const html = cells.map((cell, at) => {
      const [from, to] = [at - 1, at].map((each) => columns.get(ends[each] ?? 0) ?? 0) as [number, number]
      const isBelow = flags.has(`below ${at}`)
      const down = (below.get(from) ?? 0) + 1
      below.set(from, isBelow ? down : 0)
      return isBelow ? '' : `<${tag} colspan="${to - from}" rowspan="${down}">${cell}</${tag}>`
    })
    return `<tr>${html.join('')}</tr>`
  })
  return `<table>${lines.reverse().join('')}</table>`
}
