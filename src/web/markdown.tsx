import type { ComponentChildren } from 'preact'

/** Draws the marker `[1]` of a footnote. */
export type DrawMarker = (marker: number) => ComponentChildren

type Block =
  | { readonly kind: 'paragraph' | 'heading' | 'quote'; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }

/** The Markdown that answers use, as elements: paragraphs, lists, tables, headings, bold, code. Never as HTML. */
export function Markdown({ text, marker }: { readonly text: string; readonly marker: DrawMarker }) {
  return <>{blocksOf(text).map((block) => drawBlock(block, marker))}</>
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

const bullet = /^\s{0,6}[-*+•]\s+/
const number = /^\s{0,6}\d{1,3}[.)]\s+/
const heading = /^#{1,6}\s+/
const rule = /^\s*\|?[\s:|-]*-{3,}[\s:|-]*$/

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  for (const chunk of text.split(/\n\s*\n/)) {
    let lines: string[] = []
    const flush = () => {
      if (lines.length > 0) blocks.push({ kind: 'paragraph', text: lines.join(' ') })
      lines = []
    }
    for (const line of chunk.split('\n').filter((each) => each.trim() !== '')) {
      const last = blocks.at(-1)
      const isRow = /^\s*\|.*\|\s*$/.test(line)
      if (isRow || bullet.test(line) || number.test(line) || heading.test(line) || line.startsWith('> ')) flush()
      if (isRow) {
        if (rule.test(line)) continue
        const cells = line
          .trim()
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim())
        if (last?.kind === 'table') blocks[blocks.length - 1] = { ...last, rows: [...last.rows, cells] }
        else blocks.push({ kind: 'table', rows: [cells] })
      } else if (bullet.test(line) || number.test(line)) {
        const ordered = number.test(line)
        const item = line.replace(ordered ? number : bullet, '')
        if (last?.kind === 'list' && last.ordered === ordered)
          blocks[blocks.length - 1] = { ...last, items: [...last.items, item] }
        else blocks.push({ kind: 'list', ordered, items: [item] })
      } else if (heading.test(line)) blocks.push({ kind: 'heading', text: line.replace(heading, '') })
      else if (line.startsWith('> ')) blocks.push({ kind: 'quote', text: line.slice(2) })
      else lines.push(line.trim())
    }
    flush()
  }
  return blocks
}

const token = /\*\*([^*]+)\*\*|`([^`]+)`|\[(\d{1,3})\]/g

function inline(text: string, marker: DrawMarker): readonly ComponentChildren[] {
  const parts: ComponentChildren[] = []
  let from = 0
  for (const match of text.matchAll(token)) {
    const [whole, bold, code, note] = match
    // A marker stands close to its sentence, and stays on its line.
    const before = text.slice(from, match.index)
    parts.push(note === undefined ? before : before.replace(/\s+$/, ''))
    if (bold !== undefined) parts.push(<strong>{bold}</strong>)
    else if (code !== undefined) parts.push(<code>{code}</code>)
    else parts.push(marker(Number(note)))
    from = match.index + whole.length
  }
  return [...parts, text.slice(from)]
}
