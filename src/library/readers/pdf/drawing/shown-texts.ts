import {
  Background,
  type Box,
  type Colour,
  common,
  everywhere,
  identity,
  isEmpty,
  type Matrix,
  moved,
  multiply,
} from './background.ts'
import { type Font, type Glyph, type Reading, readGlyph } from './glyphs.ts'

/** The drawing operations of a page, as pdf.js lists them. */
export interface Drawing {
  readonly fnArray: readonly number[]
  readonly argsArray: readonly unknown[]
}

/** A text that one operation shows: its characters, and how the glyph of each is to be read. */
export interface ShownText {
  readonly characters: readonly string[]
  readonly readings: readonly Reading[]
  readonly font: Font
  /** Nobody can see it. */
  readonly isHidden: boolean
}

/** The graphics and text state (ISO 32000, 8.4 and 9.3). */
interface State {
  matrix: Matrix
  clip: Box
  colour: Colour
  opacity: number
  mode: number
  font: Font | null
  size: number
  spacing: number
  wordSpacing: number
  scale: number
  rise: number
  leading: number
  /** Whether the matrix has changed since the state was saved. */
  isMoved: boolean
}

interface Page {
  state: State
  readonly saved: { readonly state: State; readonly drawn: number }[]
  readonly fontOf: (name: string) => Font
  readonly operations: Operations
  readonly background: Background
  readonly shown: ShownText[]
  /** How much was drawn so far. */
  drawn: number
  isClipping: boolean
  textMatrix: Matrix
  /** Where the line of text begins, and where the next glyph stands, before the text matrix. */
  readonly line: { x: number; y: number }
  x: number
}

type Step = (page: Page, args: readonly unknown[]) => void
/** The numbers of operations, by their names. */
export type Operations = Readonly<Record<string, number>>

/** The texts of a page in the order in which they are drawn. */
export function shownTexts(
  { fnArray, argsArray }: Drawing,
  operations: Operations,
  fontOf: (name: string) => Font,
): readonly ShownText[] {
  const page = blankPage(operations, fontOf)
  const byNumber = new Map(Object.entries(steps).map(([name, step]): [number, Step] => [operations[name] ?? -1, step]))
  fnArray.forEach((operation, at) => {
    byNumber.get(operation)?.(page, listOf(argsArray[at]))
  })
  return page.shown
}

function blankPage(operations: Operations, fontOf: Page['fontOf']): Page {
  const text = { mode: 0, font: null, size: 0, spacing: 0, wordSpacing: 0, scale: 1, rise: 0, leading: 0 }
  return {
    state: { matrix: identity, clip: everywhere, colour: 0, opacity: 1, isMoved: false, ...text },
    saved: [],
    fontOf,
    operations,
    background: new Background(),
    shown: [],
    drawn: 0,
    isClipping: false,
    textMatrix: identity,
    line: { x: 0, y: 0 },
    x: 0,
  }
}

const steps: Readonly<Record<string, Step>> = {
  save,
  restore,
  transform: ({ state }, matrix) => transform(state, matrixOf(matrix)),
  paintFormXObjectBegin(page, [matrix, box]) {
    save(page)
    if (matrix) transform(page.state, matrixOf(matrix))
    if (box) page.state.clip = common(page.state.clip, moved(boxOf(box), page.state.matrix))
  },
  paintFormXObjectEnd: restore,
  clip: startClipping,
  eoClip: startClipping,
  constructPath,
  shadingFill(page) {
    page.drawn += 1
    page.background.paint(page.state.clip, null)
  },
  setFillRGBColor: ({ state }, [colour]) => {
    state.colour = Number.parseInt(String(colour).slice(1), 16)
  },
  setFillColorN: noColour,
  setFillTransparent: noColour,
  setGState({ state }, [settings]) {
    const found = listOf(settings).map(listOf)
    const opacity = found.find(([name]) => name === 'ca')
    if (opacity) state.opacity = Number(opacity[1])
  },
  beginText: (page) => startText(page, identity),
  setTextMatrix: (page, [matrix]) => startText(page, matrixOf(matrix)),
  moveText: (page, [x, y]) => startLine(page, Number(x), Number(y)),
  setLeadingMoveText(page, [x, y]) {
    page.state.leading = Number(y)
    startLine(page, Number(x), Number(y))
  },
  setLeading: ({ state }, [leading]) => {
    state.leading = -Number(leading)
  },
  nextLine: (page) => startLine(page, 0, page.state.leading),
  setFont({ state, fontOf }, [name, size]) {
    state.font = fontOf(String(name))
    state.size = Number(size)
  },
  setCharSpacing: setNumber('spacing'),
  setWordSpacing: setNumber('wordSpacing'),
  setHScale: ({ state }, [percent]) => {
    state.scale = Number(percent) / 100
  },
  setTextRise: setNumber('rise'),
  setTextRenderingMode: setNumber('mode'),
  showText,
}

function save({ saved, state, drawn }: Page): void {
  saved.push({ state: { ...state }, drawn })
  state.isMoved = false
}

/** pdf.js leaves out pictures: where it was moved and drew nothing, there is one. */
function restore(page: Page): void {
  const before = page.saved.pop()
  if (!before) return
  const { matrix, clip, isMoved } = page.state
  if (isMoved && before.drawn === page.drawn) page.background.paint(common(moved([0, 0, 1, 1], matrix), clip), null)
  page.state = before.state
}

function transform(state: State, matrix: Matrix): void {
  state.matrix = multiply(state.matrix, matrix)
  state.isMoved = true
}

function startClipping(page: Page): void {
  page.isClipping = true
}

function noColour({ state }: Page): void {
  state.colour = null
}

function setNumber(name: 'spacing' | 'wordSpacing' | 'rise' | 'mode'): Step {
  return ({ state }, [value]) => {
    state[name] = Number(value)
  }
}

const fills = new Set(['fill', 'eoFill', 'fillStroke', 'eoFillStroke', 'closeFillStroke', 'closeEOFillStroke'])

function constructPath(page: Page, [operation, data, around]: readonly unknown[]): void {
  const { state, operations, background } = page
  const box = around ? moved(boxOf(around), state.matrix) : ([0, 0, 0, 0] as const)
  if (operation !== operations.endPath) page.drawn += 1
  if ([...fills].some((name) => operations[name] === operation)) {
    const rectangles = rectanglesOf(listOf(data)[0])
    const colour = state.opacity < 1 ? null : state.colour
    for (const each of rectangles ?? []) background.paint(common(moved(each, state.matrix), state.clip), colour)
    if (!rectangles) background.paint(common(box, state.clip), null)
  }
  if (page.isClipping) state.clip = common(state.clip, box)
  page.isClipping = false
}

/** `moveTo`, three times `lineTo`, `closePath`, as pdf.js writes a rectangle: numbers of steps, and their places. */
const rectangleSteps = [0, 1, 1, 1]
const rectangleLength = 13

/** The rectangles that a path consists of; null for another path. */
function rectanglesOf(path: unknown): readonly Box[] | null {
  if (!(path instanceof Float32Array) || path.length % rectangleLength !== 0) return null
  const boxes: Box[] = []
  for (let at = 0; at < path.length; at += rectangleLength) {
    const part = path.subarray(at, at + rectangleLength)
    const [, x = 0, y = 0, , , , , right = 0, top = 0] = part
    const isRectangle = rectangleSteps.every((step, corner) => part[corner * 3] === step) && part[12] === 4
    const isUpright = part[4] === right && part[5] === y && part[10] === x && part[11] === top
    if (!isRectangle || !isUpright) return null
    boxes.push([Math.min(x, right), Math.min(y, top), Math.max(x, right), Math.max(y, top)])
  }
  return boxes
}

function startText(page: Page, matrix: Matrix): void {
  page.textMatrix = matrix
  page.line.x = 0
  page.line.y = 0
  page.x = 0
}

function startLine(page: Page, x: number, y: number): void {
  page.line.x += x
  page.line.y += y
  page.x = page.line.x
}

function showText(page: Page, [glyphs]: readonly unknown[]): void {
  const { font, size, spacing, wordSpacing, scale } = page.state
  if (!font) return
  page.drawn += 1
  const characters: string[] = []
  const readings: Reading[] = []
  const unit = size * (font.data.fontMatrix?.[0] ?? 0.001)
  const from = page.x
  for (const glyph of listOf(glyphs)) {
    if (typeof glyph === 'number') page.x -= (glyph / 1000) * size * scale
    else if (isGlyph(glyph)) {
      page.x += (glyph.width * unit + spacing + (glyph.isSpace ? wordSpacing : 0)) * scale
      characters.push(glyph.unicode)
      readings.push(readGlyph(font, glyph))
    }
  }
  page.shown.push({ characters, readings, font, isHidden: isHidden(page, from) })
}

/** Neither filled nor stroked (ISO 32000, 9.3.6). */
const invisibleModes = [3, 7]
const filledModes = [0, 4]
/** The height of small letters, in ems. */
const letterHeight = 0.5

function isHidden({ state, textMatrix, line, x, background }: Page, from: number): boolean {
  if (invisibleModes.includes(state.mode) || state.opacity === 0) return true
  const bottom = line.y + state.rise
  const within: Box = [Math.min(from, x), bottom, Math.max(from, x), bottom + state.size * letterHeight]
  const box = moved(within, multiply(state.matrix, textMatrix))
  if (isEmpty(box)) return false
  return isEmpty(common(box, state.clip)) || (filledModes.includes(state.mode) && background.hides(box, state.colour))
}

function isGlyph(value: unknown): value is Glyph {
  return typeof value === 'object' && value !== null && 'unicode' in value
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function matrixOf(value: unknown): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = numbersOf(value)
  return [a, b, c, d, e, f]
}

function boxOf(value: unknown): Box {
  const [left = 0, bottom = 0, right = 0, top = 0] = numbersOf(value)
  return [left, bottom, right, top]
}

function numbersOf(value: unknown): readonly number[] {
  return value instanceof Float32Array || Array.isArray(value) ? Array.from(value, Number) : []
}
