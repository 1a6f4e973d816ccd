import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countLost, coverageOf } from '../../../../bench/coverage/lost-text.ts'
import { packageRoot } from '../../../../src/config.ts'
import { findFiles } from '../../../../src/library/ingestion/find-files.ts'
import { documentBatches } from '../../../../src/library/passages/split.ts'
import type { ReadDocument } from '../../../../src/library/port/document.ts'
import { readDocument } from '../../../../src/library/readers/read-document.ts'
import { docxParagraph, docxTable, makeDocx, makeZip } from '../../../fixtures/documents/make-docx.ts'
import { type Drawn, makePdf } from '../../../fixtures/documents/make-pdf.ts'
import { roomy } from '../readers/read-options.ts'

/** A piece of a generated document; each text is of words that occur once in it. */
type Piece =
  | { readonly kind: 'heading' | 'paragraph' | 'list'; readonly texts: readonly string[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }

type Format = (pieces: readonly Piece[]) => Uint8Array | string

const lines = (pieces: readonly Piece[], write: (piece: Piece) => string) => pieces.map(write).join('\n\n')
const textsOf = (piece: Piece) => (piece.kind === 'table' ? piece.rows.flat() : piece.texts)
const relations = (targets: readonly string[]) =>
  `<Relationships>${targets.map((target, at) => `<Relationship Id="r${at}" Target="${target}"/>`).join('')}</Relationships>`

function html(piece: Piece): string {
  if (piece.kind === 'table') {
    return `<table>${piece.rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`
  }
  if (piece.kind === 'heading') return piece.texts.map((text) => `<h2>${text}</h2>`).join('')
  if (piece.kind === 'paragraph') return piece.texts.map((text) => `<p>${text}</p>`).join('')
  return `<ul>${piece.texts.map((text) => `<li>${text}</li>`).join('')}</ul>`
}

function markdown(piece: Piece): string {
  if (piece.kind === 'table') {
    const [head = [], ...rows] = piece.rows
    return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
  }
  if (piece.kind === 'heading') return piece.texts.map((text) => `## ${text}`).join('\n\n')
  if (piece.kind === 'paragraph') return piece.texts.join('\n\n')
  return piece.texts.map((text) => `- ${text}`).join('\n')
}

function docx(piece: Piece): string {
  if (piece.kind === 'table') return docxTable(piece.rows)
  return piece.texts.map((text) => docxParagraph(text, piece.kind === 'heading' ? 2 : undefined)).join('')
}

const slideText = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`

function slide(piece: Piece): string {
  const type = piece.kind === 'heading' ? 'title' : 'body'
  const body =
    piece.kind === 'table'
      ? `<a:tbl>${piece.rows.map((row) => `<a:tr>${row.map((cell) => `<a:tc>${slideText(cell)}</a:tc>`).join('')}</a:tr>`).join('')}</a:tbl>`
      : `<p:sp><p:nvPr><p:ph type="${type}"/></p:nvPr>${piece.texts.map(slideText).join('')}</p:sp>`
  return `<p:sld>${body}</p:sld>`
}

/** The lines of a piece, an empty one below a heading. */
function linesOf(piece: Piece): readonly (readonly Omit<Drawn, 'y'>[])[] {
  if (piece.kind === 'heading') return piece.texts.flatMap((text) => [[{ x: 72, text, size: 16, bold: true }], []])
  const rows = piece.kind === 'table' ? piece.rows : piece.texts.map((text) => [text])
  return rows.map((row) => row.map((text, column) => ({ x: 72 + column * 130, text, size: 10 })))
}

/** Two pieces on a page, below a running head and above its number. */
function pdf(pieces: readonly Piece[]): Uint8Array {
  const pages: Drawn[][] = []
  for (let at = 0; at < pieces.length; at += 2) {
    const drawn: Drawn[] = [{ x: 72, y: 760, text: 'Annals of Ponds' }]
    let y = 720
    for (const line of pieces.slice(at, at + 2).flatMap(linesOf)) {
      for (const each of line) drawn.push({ ...each, y })
      y -= 14
    }
    pages.push([...drawn, { x: 300, y: 30, text: String(pages.length + 1) }])
  }
  return makePdf(pages)
}

const formats: Readonly<Record<string, Format>> = {
  'a.md': (pieces) => lines(pieces, markdown),
  'a.html': (pieces) => `<html><body>${lines(pieces, html)}</body></html>`,
  'a.txt': (pieces) => lines(pieces, (piece) => textsOf(piece).join('\n')),
  'a.csv': (pieces) => pieces.map((piece) => textsOf(piece).join(',')).join('\n'),
  'a.eml': (pieces) =>
    `From: ada@pond.example\nSubject: Ponds\nContent-Type: text/plain\n\n${lines(pieces, (piece) => textsOf(piece).join('\n'))}`,
  'a.docx': (pieces) => makeDocx(pieces.map(docx).join('')),
  'a.pptx': (pieces) =>
    makeZip({
      'ppt/presentation.xml': `<p:presentation>${pieces.map((_, at) => `<p:sldId r:id="r${at}"/>`).join('')}</p:presentation>`,
      'ppt/_rels/presentation.xml.rels': relations(pieces.map((_, at) => `slides/slide${at}.xml`)),
      ...Object.fromEntries(pieces.map((piece, at) => [`ppt/slides/slide${at}.xml`, slide(piece)])),
    }),
  'a.xlsx': (pieces) =>
    makeZip({
      'xl/workbook.xml': '<workbook><sheets><sheet name="Ponds" r:id="r0"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': relations(['worksheets/sheet1.xml']),
      'xl/worksheets/sheet1.xml': `<worksheet>${pieces
        .flatMap((piece) => (piece.kind === 'table' ? piece.rows : [piece.texts]))
        .map((row) => `<row>${row.map((cell) => `<c t="str"><v>${cell}</v></c>`).join('')}</row>`)
        .join('')}</worksheet>`,
    }),
  'a.epub': (pieces) =>
    makeZip({
      'META-INF/container.xml': '<container><rootfile full-path="book.opf"/></container>',
      'book.opf': '<package><item id="c" href="c.html"/><itemref idref="c"/></package>',
      'c.html': `<html><body>${lines(pieces, html)}</body></html>`,
    }),
  'a.pdf': pdf,
}

/** Words that are told apart by their number, so that none is found in the place of another. */
const anyPieces = fc
  .array(
    fc.record({
      kind: fc.constantFrom('heading', 'heading', 'paragraph', 'list', 'table'),
      sizes: fc.array(fc.integer({ min: 1, max: 14 }), { minLength: 1, maxLength: 5 }),
      ends: fc.constantFrom('', '.', '?', ':'),
    }),
    { minLength: 1, maxLength: 9 },
  )
  .map((drafts): readonly Piece[] => {
    let number = 0
    const words = (size: number) => Array.from({ length: size }, () => `W${(number++).toString(26)}x`).join(' ')
    return drafts.map(({ kind, sizes, ends }) => {
      if (kind === 'table') return { kind, rows: sizes.map(() => [words(2), words(1), words(1)]) }
      if (kind === 'heading') return { kind, texts: sizes.slice(0, 2).map((size) => words(Math.min(size, 5))) }
      return { kind: kind === 'list' ? kind : 'paragraph', texts: sizes.map((size) => `${words(size)}${ends}`) }
    })
  })

/** Words of the passages, and of what was left out. */
function foundIn(document: ReadDocument): ReadonlySet<string> {
  const batches = [...documentBatches('0', document)]
  const leftOut = batches.flatMap(({ pages }) => pages.flatMap((page) => page.leftOut ?? []))
  const texts = [...batches.flatMap(({ passages }) => passages), ...leftOut].map(({ text }) => text)
  return new Set(texts.flatMap((text) => text.match(/W[a-z\d]+x/gu) ?? []))
}

describe('each character of a page', { tags: ['Q14'] }, () => {
  it.each(Object.entries(formats))(
    'stands in a passage, or on the list of what was left out: %s',
    async (name, write) => {
      await fc.assert(
        fc.asyncProperty(anyPieces, async (pieces) => {
          const document = await readDocument(name, Buffer.from(write(pieces) as string), roomy)
          expect(coverageOf(document).flatMap(({ lost }) => lost)).toEqual([])
          const found = foundIn(document)
          const wanted = pieces.flatMap(textsOf).flatMap((text) => text.match(/W[a-z\d]+x/gu) ?? [])
          expect(wanted.filter((word) => !found.has(word))).toEqual([])
        }),
        { numRuns: 30 },
      )
    },
  )

  it('stands there for the documents of this repository, too', async () => {
    const { files } = await findFiles([
      `${packageRoot()}/docs`,
      `${packageRoot()}/examples`,
      `${packageRoot()}/README.md`,
    ])
    expect(files.length).toBeGreaterThan(20)
    for (const file of files) {
      const document = await readDocument(file, await readFile(file), roomy)
      expect([file, countLost(coverageOf(document))]).toEqual([file, 0])
    }
  })

  it('is told of a page’s head and number, which no passage holds', async () => {
    const pages = ['Herons wade.', 'Owls fly.', 'Newts swim.'].map((text, at) => [
      { x: 72, y: 760, text: 'Annals of Ponds' },
      { x: 72, y: 700, text },
      { x: 300, y: 30, text: String(at + 7) },
    ])
    const [first] = [...documentBatches('0', await readDocument('a.pdf', makePdf(pages), roomy))]
    expect(first?.pages[0]?.leftOut).toEqual([
      { reason: 'running head', text: 'Annals of Ponds', start: null },
      { reason: 'page number', text: '7', start: null },
    ])
    expect(first?.passages.map(({ text }) => text)).toEqual(['Herons wade.', 'Owls fly.', 'Newts swim.'])
  })
})
