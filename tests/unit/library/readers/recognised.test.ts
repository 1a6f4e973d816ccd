import { describe, expect, it } from 'vitest'
import { tiffPages } from '../../../../src/library/ingestion/scans/tiff-pages.ts'
import { readRecognised } from '../../../../src/library/readers/pdf/recognised.ts'
import { makePdf } from '../../../fixtures/documents/make-pdf.ts'
import { asTiff } from '../../../fixtures/documents/make-picture.ts'
import { bytesOf, roomy } from './read-options.ts'

const word = (box: string, text: string, confidence = 90) =>
  `<span class='ocrx_word' title='bbox ${box}; x_wconf ${confidence}'>${text}</span>`
const line = (box: string, words: string, size = 20) =>
  `<span class='ocr_line' title="bbox ${box}; baseline 0 -4; x_size ${size}">${words}</span>`
const page = (paragraphs: readonly string[]) =>
  `<div class='ocr_page' title='image "a; b"; bbox 0 0 600 800; ppageno 0'>${paragraphs.map((each) => `<p class='ocr_par'>${each}</p>`).join('')}</div>`

const read = (hocr: string, unit = 1) =>
  readRecognised(bytesOf(''), { kind: 'hocr', hocr: bytesOf(hocr), format: 'picture', unit }, roomy)

describe('what a program recognised', () => {
  it('is text with places and the confidence of all its characters', async () => {
    const words = [word('50 80 150 100', '<strong>A&amp;B</strong>', 96), word('160 80 300 100', 'Ponds', 88)]
    const { pages, format } = await read(page([line('50 80 300 100', words.join('\n'))]), 0.5)
    expect([format, pages]).toMatchObject([
      'picture',
      // Of three and five characters: (3 × 96 + 5 × 88) / 8.
      [{ number: 1, text: 'A&B Ponds', confidence: 0.91, printed: [{ text: 'A&B Ponds' }] }],
    ])
    // The line's height of 20 pixels from 4.4 below its baseline, at half a point each.
    expect(pages[0]?.printed?.[0]?.box).toEqual([25, 349.8, 150, 359.8])
  })

  it.each([
    [0, [35, 721.8, 135, 731.8]],
    [90, [50.2, 45, 60.2, 145]],
    [180, [477, 60.2, 577, 70.2]],
    [270, [551.8, 647, 561.8, 747]],
  ])('has its places on the page of a PDF that is cropped, and turned by %d degrees', async (degrees, box) => {
    const pdf = makePdf([[]], { pages: [`/CropBox [10 20 602 772] /Rotate ${degrees}`] })
    const hocr = bytesOf(page([line('50 80 250 100', word('50 80 250 100', 'Ponds freeze'))]))
    const { pages } = await readRecognised(pdf, { kind: 'hocr', hocr, format: 'pdf', unit: 0.5 }, roomy)
    expect(pages[0]?.printed).toEqual([{ text: 'Ponds freeze', box }])
  })

  it('keeps pages without a word in their place', async () => {
    const one = page([line('50 80 150 100', word('50 80 150 100', 'Ponds freeze'))])
    const { pages } = await read([page([]), one].join('\n'))
    expect(pages.map(({ text, confidence }) => [text, confidence])).toEqual([
      ['', undefined],
      ['Ponds freeze', 0.9],
    ])
  })

  it('makes no line a heading because it was measured a pixel larger', async () => {
    const lines = [20, 26, 20].map((size, at) => {
      const box = `50 ${80 + 30 * at} 250 ${100 + 30 * at}`
      return line(box, word(box, `Ponds ${'freeze in winter '.repeat(2)}${at}`), size)
    })
    expect((await read(page([lines.join('')]))).blocks.map(({ kind }) => kind)).toEqual(['text'])
  })

  it.each(['', '<html>', page([]), "<div class='ocr_page' title='bbox'><p class='ocr_par'><span title='x_size'>"])(
    'is refused if it is nothing: %j',
    async (hocr) => {
      await expect(read(hocr)).rejects.toMatchObject({ code: expect.stringMatching(/^(?:no_text|malf)/) })
    },
  )
})

describe('the pages of a TIFF', () => {
  const dot = { width: 1, height: 1, data: Uint8Array.of(7) }

  it('are found by the chain of its directories', () => {
    const file = asTiff([dot, dot, dot])
    const starts = Array.from(tiffPages(file), (bytes) => Buffer.from(bytes).readUInt32LE(4))
    expect(new Set(starts).size).toBe(3)
  })

  it.each([
    ['leads back to its begin', (file: Buffer) => file.writeUInt32LE(file.readUInt32LE(4), file.length - 4)],
    ['leads out of the file', (file: Buffer) => file.writeUInt32LE(0xffffffff, file.length - 4)],
    ['is cut', (file: Buffer) => file.writeUInt16LE(0xffff, file.readUInt32LE(4))],
  ])('end where the chain %s', (_, spoil) => {
    const file = asTiff([dot])
    spoil(file)
    expect([...tiffPages(file)]).toHaveLength(1)
  })

  it('are one of any other picture', () => {
    expect([...tiffPages(Buffer.from('89504e470d0a1a0a', 'hex'))]).toHaveLength(1)
    expect([...tiffPages(asTiff([]))]).toHaveLength(1)
  })
})
