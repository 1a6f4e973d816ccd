import type JSZip from 'jszip'
import type { ReadDocument } from '../../port/document.ts'
import { type GridCell, plainCell, spansOf } from '../../tables/grid.ts'
import { cleanLine } from '../common/clean-text.ts'
import { documentWriter } from '../common/document-writer.ts'
import type { ReadOptions } from '../common/read-options.ts'
import { writeSheet } from '../common/write-table.ts'
import { officeProperties, readArchive, relationsOf, textOf, walkXml } from './archive.ts'

/** Reads the visible sheets of a workbook: each is a section, its stretches of filled rows are tables. One page. */
export async function readXlsx(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  return readArchive(bytes, 'Excel workbook', async (file) => {
    const writer = documentWriter(options.limits)
    writer.page(1)
    const book = { strings: await sharedStrings(file), formats: await cellFormats(file) }
    const relations = await relationsOf(file, 'xl/workbook.xml')
    const sheets: { readonly name: string; readonly path: string }[] = []
    walkXml(await textOf(file, 'xl/workbook.xml'), {
      open: (tag, { name = '', state = 'visible', 'r:id': id = '' }) => {
        const path = tag === 'sheet' && state === 'visible' ? relations.get(id) : undefined
        if (path) sheets.push({ name, path })
      },
    })
    for (const { name, path } of sheets) {
      writer.heading(1, cleanLine(name))
      const { rows, merged } = sheetIn(await textOf(file, path), book)
      writeSheet(writer, rows, { isExact: merged })
    }
    return { format: 'xlsx', ...(await officeProperties(file)), ...writer.finish() }
  })
}

type Format = 'date' | 'percent' | null

interface Book {
  readonly strings: readonly string[]
  /** How the cells of each style are shown. */
  readonly formats: readonly Format[]
}

/** Without the readings of Japanese words. */
async function sharedStrings(file: JSZip): Promise<readonly string[]> {
  const strings: string[] = []
  let isText = false
  let readings = 0
  walkXml((await file.file('xl/sharedStrings.xml')?.async('string')) ?? '', {
    open: (name) => {
      if (name === 'si') strings.push('')
      if (name === 'rPh') readings += 1
      isText = name === 't' && readings === 0
    },
    text: (text) => {
      if (isText) strings.push((strings.pop() ?? '') + text)
    },
    close: (name) => {
      if (name === 'rPh') readings -= 1
      isText = false
    },
  })
  return strings
}

async function cellFormats(file: JSZip): Promise<readonly Format[]> {
  const codes = new Map<string, string>()
  const formats: Format[] = []
  let isCell = false
  walkXml((await file.file('xl/styles.xml')?.async('string')) ?? '', {
    open: (name, { numFmtId = '', formatCode = '' }) => {
      if (name === 'numFmt') codes.set(numFmtId, formatCode)
      else if (name === 'cellXfs') isCell = true
      else if (name === 'xf' && isCell) formats.push(formatOf(Number(numFmtId), codes.get(numFmtId) ?? ''))
    },
    close: (name) => {
      if (name === 'cellXfs') isCell = false
    },
  })
  return formats
}

/** By the number of a built-in format (ECMA-376, 18.8.30), or by its code. */
function formatOf(id: number, code: string): Format {
  if (id === 9 || id === 10 || code.includes('%')) return 'percent'
  const shown = code.replace(/"[^"]*"|\[[^[\]]{0,40}\]/gu, '')
  return (id >= 14 && id <= 17) || id === 22 || /[yd]/iu.test(shown) ? 'date' : null
}

/** The rows of a sheet, and whether any of its cells are merged. */
function sheetIn(xml: string, book: Book): { readonly rows: GridCell[][]; readonly merged: boolean } {
  const rows: GridCell[][] = []
  const places = new Map<number, number>()
  let cell = { column: 0, type: '', style: -1 }
  let [text, isValue, isHiddenRow, last] = ['', false, false, 0]
  const openRow = (hidden: string | undefined, stated: string | undefined) => {
    isHiddenRow = hidden === '1'
    const number = Number(stated ?? last + 1)
    // Rows without cells are left out of the file: one stands for all of them.
    if (number > last + 1) rows.push([])
    rows.push([])
    places.set(number, rows.length - 1)
    last = number
  }
  walkXml(xml, {
    open: (name, { hidden, r: place, t: type = 'n', s: style = '-1' }) => {
      if (name === 'row') openRow(hidden, place)
      else if (name === 'c') {
        cell = { column: columnOf(place, rows.at(-1)?.length ?? 0), type, style: Number(style) }
        text = ''
      }
      isValue = name === 'v' || name === 't'
    },
    text: (part) => {
      if (isValue) text += part
    },
    close: (name) => {
      isValue = false
      if (name !== 'c' || isHiddenRow || cell.column >= mostColumns) return
      const row = rows.at(-1) ?? []
      while (row.length < cell.column) row.push(plainCell(''))
      row.push(plainCell(cleanLine(shownValue(text, cell, book))))
    },
  })
  const merges = mergesIn(xml, places)
  return { rows: withMerges(rows, merges), merged: merges.length > 0 }
}

interface Merge extends Pick<GridCell, 'columns' | 'rows'> {
  readonly top: number
  readonly left: number
}

/** More are not looked at. */
const mostMerges = 10_000

/** The merged cells of a sheet; `places` are those of its rows, by their numbers. */
function mergesIn(xml: string, places: ReadonlyMap<number, number>): readonly Merge[] {
  const found = xml.matchAll(/<mergeCell ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"/gu)
  return [...found].slice(0, mostMerges).flatMap(([, from, first, to, last]) => {
    const [top, left] = [places.get(Number(first)), columnOf(from, 0)]
    if (top === undefined) return []
    return [{ top, left, ...spansOf(String(columnOf(to, 0) - left + 1), String(Number(last) - Number(first) + 1)) }]
  })
}

/** The cells with what each spans. */
function withMerges(rows: readonly GridCell[][], merges: readonly Merge[]): GridCell[][] {
  const merged = rows.map((row) => [...row])
  for (const { top, left, columns, rows: down } of merges) {
    for (const [at, row] of merged.slice(top, top + down).entries()) {
      for (let column = left; column < Math.min(left + columns, row.length); column += 1) {
        row[column] =
          at === 0 && column === left ? { ...plainCell(row[column]?.text ?? ''), columns, rows: down } : covered
      }
    }
  }
  return merged
}

const covered: GridCell = { ...plainCell(''), columns: 0, rows: 0 }

/** As many as a sheet may have. */
const mostColumns = 16_384

/** 27 for "AB7"; cells that do not say where they are follow each other. */
function columnOf(place: string | undefined, next: number): number {
  const letters = /^[A-Z]{1,3}/u.exec(place ?? '')?.[0]
  return letters ? [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1 : next
}

function shownValue(text: string, { type, style }: { type: string; style: number }, book: Book): string {
  if (type === 's') return book.strings[Number(text)] ?? ''
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE'
  const value = Number(text)
  const format = book.formats[style] ?? null
  if (type !== 'n' || text === '' || !Number.isFinite(value) || format === null) return text
  if (format === 'percent') return `${Number((value * 100).toPrecision(12))}%`
  // Days since 30 December 1899.
  const day = new Date(Date.UTC(1899, 11, 30) + Math.round(value * 86_400_000))
  return Number.isNaN(day.getTime()) ? text : day.toISOString().slice(0, 10)
}
