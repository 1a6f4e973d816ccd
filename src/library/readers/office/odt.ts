import { DocumentUnreadable } from '../../../errors.ts'
import { wordSet } from '../../language/characters.ts'
import type { ReadDocument } from '../../port/document.ts'
import type { ReadOptions } from '../common/read-options.ts'
import { escapeHtml, pageMark, readHtmlText } from '../html/html.ts'
import { officeProperties, readArchive, textOf, walkXml } from './archive.ts'

/** Reads an OpenDocument text by way of HTML, as a Word file. Throws `DocumentUnreadable` (`encrypted_file` too). */
export async function readOdt(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  return readArchive(bytes, 'OpenDocument text', async (file) => {
    const [manifest = '', styles = ''] = await Promise.all(
      ['META-INF/manifest.xml', 'styles.xml'].map((path) => file.file(path)?.async('string')),
    )
    if (manifest.includes(':encryption-data'))
      throw new DocumentUnreadable('encrypted_file', 'It is encrypted. Save it without a password, and add it again')
    const content = await textOf(file, 'content.xml')
    const html = toHtml(content, stylesIn(styles + content))
    return { ...readHtmlText(html, options, pageMark), ...(await officeProperties(file)), format: 'odt' }
  })
}

type Attributes = Readonly<Record<string, string>>
/** What styles state, by their names; those of a list by its name and the level. */
type Styles = ReadonlyMap<string, Attributes>

function stylesIn(xml: string): Styles {
  const styles = new Map<string, Attributes>()
  let [name, list] = ['', '']
  walkXml(xml, {
    open: (tag, attributes) => {
      if (tag === 'text:list-style') list = attributes['style:name'] ?? ''
      if ('text:level' in attributes) name = `${list} ${attributes['text:level']}`
      else if ('style:family' in attributes) name = attributes['style:name'] ?? ''
      else if (!tag.endsWith('-properties')) return
      styles.set(name, { ...styles.get(attributes['style:parent-style-name'] ?? name), ...attributes })
    },
  })
  return styles
}

const dropped = wordSet(
  `office:automatic-styles office:annotation text:tracked-changes text:note-citation text:index-title-template
   text:index-entry-span text:ruby-text text:script table:covered-table-cell svg:title svg:desc`,
)

/** By what an element and its style state. White text in a table may stand on a dark cell. */
function isHidden(stated: Attributes, inTable: boolean): boolean {
  const [color = '', ground = ''] = [stated['fo:color'], stated['fo:background-color']]
  return (
    stated['text:is-hidden'] === 'true' ||
    stated['text:display'] === 'none' ||
    /^(?:0(?:\.\d+)?|1)pt$/u.test(stated['fo:font-size'] ?? '') ||
    (!inTable && /^#f{6}$/iu.test(color) && /^(?:#f{6}|transparent|)$/iu.test(ground))
  )
}

const blocks = wordSet('text:h text:p table:table')
const signs = new Map([
  ['text:s', ' '],
  ['text:tab', '\t'],
])
const tags = new Map([
  ['text:p', 'p'],
  ['text:list', 'ul'],
  ['text:line-break', 'br'],
  ['text:note-body', 'li'],
  ['table:table', 'table'],
  ['table:table-row', 'tr'],
])

/** The tag of an element, with attributes. */
function tagOf(name: string, stated: Attributes, isHeader: boolean): string {
  const [across, down] = [stated['table:number-columns-spanned'], stated['table:number-rows-spanned']]
  if (name === 'table:table-cell') return `${isHeader ? 'th' : 'td'} colspan="${across}" rowspan="${down}"`
  if (name === 'text:h') return `h${Math.min(Number(stated['text:outline-level']) || 1, 6)}`
  const isTitle = [stated['style:name'], stated['style:parent-style-name']].includes('Title')
  return name === 'text:p' && isTitle ? 'h1' : (tags.get(name) ?? '')
}

function marksOf(stated: Attributes): readonly string[] {
  const isRaised = /^(?:super|[1-9])/u.test(stated['style:text-position'] ?? '')
  return [stated['fo:font-weight'] === 'bold' ? 'b' : '', isRaised ? 'sup' : '']
}

/** Notes come last, as a list. */
function toHtml(xml: string, styles: Styles): string {
  const [body, notes, ends, lists]: [string[], string[], string[], string[]] = [[], [], [], []]
  const [depths, numbers] = [new Map<string, number>(), new Map<string, number>()]
  let [skipDepth, noteCount, begin, isItem, isVoid] = [0, 0, -1, false, false]
  const isIn = (name: string): boolean => (depths.get(name) ?? 0) > 0
  const write = (html: string): unknown => html !== '' && (isIn('text:note-body') ? notes : body).push(html)
  const itemTag = (list: string): string => {
    const { 'style:num-format': format, 'text:start-value': start } = styles.get(list) ?? {}
    const number = numbers.get(list) ?? (Number(start) || 1)
    numbers.set(list, number + 1)
    isItem = false
    return format ? `li value="${number}"` : 'li'
  }
  const openList = (own: Attributes): void => {
    lists.push(own['text:style-name'] ?? lists.at(-1) ?? '')
    const continues = own['text:continue-numbering'] ?? own['text:continue-list']
    if (!continues) numbers.delete(`${lists.at(-1)} ${lists.length}`)
  }
  const beginBlock = (stated: Attributes): void => {
    const breaks = stated['fo:break-before'] === 'page' || stated['style:master-page-name']
    if (breaks && begin >= 0) write(pageMark)
    begin = body.length
  }
  const openElement = (name: string, stated: Attributes): void => {
    depths.set(name, (depths.get(name) ?? 0) + 1)
    if (name === 'text:list-item') isItem = true
    if (name === 'text:note') write(`<sup>[${++noteCount}]</sup>`)
    const list = `${lists.at(-1)} ${lists.length}`
    const tag = isItem && name === 'text:p' ? itemTag(list) : tagOf(name, stated, isIn('table:table-header-rows'))
    if (blocks.has(name)) beginBlock(stated)
    const opened = [tag, ...marksOf(stated)].filter((each) => each !== '')
    write(opened.map((each) => `<${each}>`).join('') + (signs.get(name) ?? ''))
    ends.push(opened.reduce((end, each) => `</${each.split(' ', 1)}>${end}`, ''))
  }
  const closeElement = (name: string): void => {
    write(ends.pop() ?? '')
    depths.set(name, (depths.get(name) ?? 0) - 1)
    if (name !== 'text:p') return
    if (isVoid) body.length = begin
    isVoid = false
  }
  walkXml(xml, {
    open: (name, own) => {
      const stated = { ...styles.get(own['text:style-name'] ?? own['table:style-name'] ?? ''), ...own }
      if (name === 'text:list') openList(own)
      if (name === 'text:hidden-paragraph') isVoid ||= own['text:is-hidden'] === 'true'
      if (skipDepth > 0 || dropped.has(name) || isHidden(stated, isIn('table:table'))) skipDepth += 1
      else openElement(name, stated)
    },
    text: (text) => {
      if (skipDepth === 0) write(escapeHtml(text))
    },
    close: (name) => {
      if (name === 'text:list') lists.pop()
      if (name === 'text:list-item') isItem = false
      if (skipDepth > 0) skipDepth -= 1
      else closeElement(name)
    },
  })
  return `${body.join('')}<ol>${notes.join('')}</ol>`
}
