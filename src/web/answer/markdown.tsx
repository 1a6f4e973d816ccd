import { type DrawMarker, inline } from './inline.tsx'

interface Item {
  /** Spaces before its sign. */
  readonly indent: number
  /** Null in a list without numbers. */
  readonly number: number | null
  readonly text: string
}

interface Text {
  readonly kind: 'paragraph' | 'heading' | 'quote'
  readonly text: string
  readonly isIndented?: boolean
}

type Block =
  | Text
  | { readonly kind: 'list'; readonly items: readonly Item[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[]; readonly isHeaded: boolean }

export interface MarkdownProps {
  readonly text: string
  readonly marker: DrawMarker
  /** Leaves out lists, where what they name is shown otherwise. */
  readonly withoutLists?: boolean
}

/**
 * The Markdown that answers use, as elements: paragraphs, lists, tables, headings, emphasis, code, links. Never as HTML. What
 * follows the last statement with a footnote is said about the answer, and drawn as a remark.
 */
export function Markdown({ text, marker, withoutLists = false }: MarkdownProps) {
  const blocks = withoutLists ? blocksOf(text).flatMap(unlessList) : blocksOf(text)
  const last = blocks.findLastIndex((block) => /\[\d{1,3}\]/.test(JSON.stringify(block)))
  return (
    <>
      {blocks.map((block, index) =>
        block.kind === 'paragraph' && last !== -1 && index > last ? (
          <p class="remark">{inline(block.text, marker)}</p>
        ) : (
          drawBlock(block, marker)
        ),
      )}
    </>
  )
}

/** A list is left out, and with it the words that announce it. */
function unlessList(block: Block): readonly Block[] {
  if (block.kind === 'list') return []
  return block.kind === 'paragraph' ? [{ ...block, text: block.text.replace(/[^.!?]*:$/, '') }] : [block]
}

function drawBlock(block: Block, marker: DrawMarker) {
  if (block.kind === 'table') {
    const { rows, isHeaded } = block
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll a wide table that has the focus
      <div class="table" tabIndex={0}>
        <table>
          {isHeaded && (
            <thead>
              <tr>
                {rows[0]?.map((cell) => (
                  <th scope="col">{inline(cell, marker)}</th>
                ))}
              </tr>
            </thead>
          )}
          <tbody>
            {rows.slice(isHeaded ? 1 : 0).map((row) => (
              <tr>
                {row.map((cell) => (
                  <td>{inline(cell, marker)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )
  }
  if (block.kind === 'list') return <List items={block.items} marker={marker} />
  if (block.kind === 'heading') return <h3>{inline(block.text, marker)}</h3>
  return block.kind === 'quote' ? (
    <blockquote>{inline(block.text, marker)}</blockquote>
  ) : (
    <p>{inline(block.text, marker)}</p>
  )
}

interface ListProps {
  readonly items: readonly Item[]
  readonly marker: DrawMarker
}

/** Items of one kind as a list, with what is indented below them; every number stays, unless it is not above the one before it. */
function List({ items, marker }: ListProps) {
  const [first] = items
  if (!first) return null
  const isOwn = ({ indent }: Item) => indent < first.indent + 2
  const isOther = (item: Item) => isOwn(item) && (item.number === null) !== (first.number === null)
  const end = items.findIndex(isOther)
  const here = end === -1 ? items : items.slice(0, end)
  let last = (first.number ?? 1) - 1
  const entries = here.map((item, index) => {
    if (!isOwn(item)) return null
    const behind = here.slice(index + 1)
    const next = behind.findIndex(isOwn)
    last = Math.max(last + 1, item.number ?? 0)
    return (
      <li value={item.number === null ? undefined : last}>
        {inline(item.text, marker)}
        <List items={next === -1 ? behind : behind.slice(0, next)} marker={marker} />
      </li>
    )
  })
  return (
    <>
      {first.number === null ? <ul>{entries}</ul> : <ol start={first.number}>{entries}</ol>}
      {end !== -1 && <List items={items.slice(end)} marker={marker} />}
    </>
  )
}

type Line = Block | { readonly kind: 'blank' | 'rule' }

/** What a line is by itself; the lines of one block are joined afterwards. */
function lineOf(line: string): Line {
  if (line.trim() === '') return { kind: 'blank' }
  if (/^\s*\|.*\|\s*$/.test(line)) {
    if (/^[\s|:-]+$/.test(line)) return { kind: 'rule' }
    const cells = line
      .trim()
      .slice(1, -1)
      .split(/(?<!\\)\|/)
    return { kind: 'table', rows: [cells.map((cell) => cell.trim())], isHeaded: false }
  }
  const [, space = '', bullet, number, words = ''] = /^(\s{0,12})(?:([-*+•])|(\d{1,9})[.)])\s+(.*)/.exec(line) ?? []
  if (bullet ?? number) {
    return { kind: 'list', items: [{ indent: space.length, number: bullet ? null : Number(number), text: words }] }
  }
  const [, heading] = /^#{1,6}\s+(.*)/.exec(line) ?? []
  if (heading !== undefined) return { kind: 'heading', text: heading }
  if (line.startsWith('> ')) return { kind: 'quote', text: line.slice(2) }
  return { kind: 'paragraph', text: line.trim(), isIndented: /^\s\s/.test(line) }
}

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  let last: Line = { kind: 'blank' }
  for (const line of text.split('\n').map(lineOf)) {
    // Empty lines may stand between the items of a list.
    const before: Line = last.kind === 'blank' && line.kind === 'list' ? (blocks.at(-1) ?? last) : last
    const joined = joinedWith(before, line)
    if (joined) blocks.pop()
    last = joined ?? line
    if (isBlock(last)) blocks.push(last)
  }
  return blocks
}

function isBlock(line: Line): line is Block {
  return line.kind !== 'blank' && line.kind !== 'rule'
}

/** The block that a line continues, with the line; null if the line begins another. */
function joinedWith(block: Line, line: Line): Block | null {
  if (block.kind === 'table' && line.kind === 'table') return { ...block, rows: [...block.rows, ...line.rows] }
  if (block.kind === 'table' && line.kind === 'rule') return { ...block, isHeaded: true }
  if (block.kind === 'list' && line.kind === 'list') return { ...block, items: [...block.items, ...line.items] }
  return 'text' in line ? withText(block, line) : null
}

function withText(block: Line, { kind, text, isIndented }: Text): Block | null {
  if (block.kind === 'list' && isIndented) {
    return { ...block, items: block.items.map((item) => (item === block.items.at(-1) ? joinedTo(item, text) : item)) }
  }
  return 'text' in block && block.kind === kind && kind !== 'heading' ? joinedTo(block, text) : null
}

function joinedTo<T extends { readonly text: string }>(one: T, text: string): T {
  return { ...one, text: `${one.text} ${text}` }
}
