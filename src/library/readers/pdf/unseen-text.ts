/** The drawing operations of a page, as pdf.js lists them, and the numbers of those that matter here. */
export interface Drawing {
  readonly fnArray: readonly number[]
  readonly argsArray: readonly unknown[]
}
export interface Operations {
  readonly save: number
  readonly restore: number
  readonly setTextRenderingMode: number
  readonly setGState: number
  readonly showText: number
}

/** Neither filled nor stroked (ISO 32000, 9.3.6). */
const invisible = [3, 7]

/**
 * Whether a text of a page is drawn only invisibly. Where nothing else is drawn on the page, it is the text layer of a
 * scan, which says what the picture shows.
 */
export function unseenText({ fnArray, argsArray }: Drawing, operations: Operations): (text: string) => boolean {
  let state = { mode: 0, opacity: 1 }
  const saved: (typeof state)[] = []
  const drawn = { seen: '', unseen: '' }
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one line for each operation.
  fnArray.forEach((operation, at) => {
    const args = listOf(argsArray[at])
    if (operation === operations.save) saved.push(state)
    else if (operation === operations.restore) state = saved.pop() ?? state
    else if (operation === operations.setTextRenderingMode) state = { ...state, mode: Number(args[0]) }
    else if (operation === operations.setGState) state = { ...state, opacity: opacityIn(args[0]) ?? state.opacity }
    else if (operation === operations.showText) drawn[isInvisible(state) ? 'unseen' : 'seen'] += `${shown(args[0])}\n`
  })
  if (drawn.unseen === '' || drawn.seen.trim() === '') return () => false
  const [unseen, seen] = [compact(drawn.unseen), compact(drawn.seen)]
  return (text) => unseen.includes(compact(text)) && !seen.includes(compact(text))
}

function isInvisible({ mode, opacity }: { readonly mode: number; readonly opacity: number }): boolean {
  return invisible.includes(mode) || opacity === 0
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Of `[["ca", 0], …]`; null if nothing is set. */
function opacityIn(settings: unknown): number | null {
  const found = listOf(settings)
    .map(listOf)
    .find(([name]) => name === 'ca')
  return found ? Number(found[1]) : null
}

/** The characters of glyphs; numbers between them move the pen. */
function shown(glyphs: unknown): string {
  return listOf(glyphs)
    .map((glyph) => (typeof glyph === 'object' && glyph !== null && 'unicode' in glyph ? String(glyph.unicode) : ''))
    .join('')
}

function compact(text: string): string {
  return text.normalize('NFKC').replace(/\s+/gu, '')
}
