import type { ComponentChildren } from 'preact'

/** Draws the marker `[1]` of a footnote. */
export type DrawMarker = (marker: number) => ComponentChildren

type Block =
  | { readonly kind: 'paragraph' | 'heading' | 'quote'; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }

export interface MarkdownProps {
  readonly text: string
  readonly marker: DrawMarker
  /** Leaves out lists, where what they name is shown otherwise. */
  readonly withoutLists?: boolean
}

/**
 * The Markdown that answers use, as elements: paragraphs, lists, tables, headings, bold, code. Never as HTML. What follows
 * the last statement with a footnote is said about the answer, and drawn as a remark.
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
    const [head = [], ...rows] = block.rows
    return (
      <div class="table">
        <table>
          <thead>
            <tr>
              {head.map((cell) => (
                <th scope="col">{inline(cell, marker)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
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
  if (block.kind === 'list') {
    const items = block.items.map((item) => <li>{inline(item, marker)}</li>)
    return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>
  }
  if (block.kind === 'heading') return <h3>{inline(block.text, marker)}</h3>
  return block.kind === 'quote' ? (
    <blockquote>{inline(block.text, marker)}</blockquote>
  ) : (
    <p>{inline(block.text, marker)}</p>
  )
}

type Line = Block | { readonly kind: 'blank' | 'rule' }

/** What a line is by itself; the lines of one block are joined afterwards. */
function lineOf(line: string): Line {
  if (line.trim() === '') return { kind: 'blank' }
  if (/^\s*\|.*\|\s*$/.test(line)) {
    if (/^[\s|:-]+$/.test(line)) return { kind: 'rule' }
    const cells = line.trim().slice(1, -1).split('|')
    return { kind: 'table', rows: [cells.map((cell) => cell.trim())] }
  }
  const [, bullet] = /^\s{0,6}[-*+•]\s+(.*)/.exec(line) ?? []
  if (bullet !== undefined) return { kind: 'list', ordered: false, items: [bullet] }
  const [, item] = /^\s{0,6}\d{1,3}[.)]\s+(.*)/.exec(line) ?? []
  if (item !== undefined) return { kind: 'list', ordered: true, items: [item] }
  const [, heading] = /^#{1,6}\s+(.*)/.exec(line) ?? []
  if (heading !== undefined) return { kind: 'heading', text: heading }
  return line.startsWith('> ') ? { kind: 'quote', text: line.slice(2) } : { kind: 'paragraph', text: line.trim() }
}

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  let last: Line = { kind: 'blank' }
  for (const line of text.split('\n').map(lineOf)) {
    const joined: Line | null = joinedWith(last, line)
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
function joinedWith(block: Line, line: Line): Line | null {
  if (block.kind === 'table' && line.kind === 'table') return { ...block, rows: [...block.rows, ...line.rows] }
  if (block.kind === 'table' && line.kind === 'rule') return block
  if (block.kind === 'list' && line.kind === 'list' && block.ordered === line.ordered) {
    return { ...block, items: [...block.items, ...line.items] }
  }
  if (block.kind === 'paragraph' && line.kind === 'paragraph') return { ...block, text: `${block.text} ${line.text}` }
  if (block.kind === 'quote' && line.kind === 'quote') return { ...block, text: `${block.text} ${line.text}` }
  return null
}

/** Characters; whole sentences in bold letters would be louder than their answer. */
const longestBold = 60

const token = /\*\*([^*]+)\*\*|`([^`]+)`|\[(\d{1,3})\]/g

function strong(words: string) {
  return words.length > longestBold ? <strong class="long">{words}</strong> : <strong>{words}</strong>
}

function inline(text: string, marker: DrawMarker): readonly ComponentChildren[] {
  const parts: ComponentChildren[] = []
  let from = 0
  for (const match of text.matchAll(token)) {
    const [whole, bold, code, note] = match
    // A marker stands close to its sentence, and stays on its line.
    const before = text.slice(from, match.index)
    const [word = ''] = note === undefined ? [] : (/\S*$/.exec(before.trimEnd()) ?? [])
    parts.push(note === undefined ? before : before.trimEnd().slice(0, -word.length || undefined))
    if (bold !== undefined) parts.push(strong(bold))
    else if (code !== undefined) parts.push(<code>{code}</code>)
    else
      parts.push(
        <span class="kept">
          {word}
          {marker(Number(note))}
        </span>,
      )
    from = match.index + whole.length
  }
  return [...parts, text.slice(from)]
}
