import { describe, expect, it } from 'vitest'
import { readPdf } from '../../../../src/library/readers/pdf/read-pdf.ts'
import { type Drawn, makePdf } from '../../../fixtures/documents/make-pdf.ts'
import { roomy } from './read-options.ts'

async function textOf(line: readonly Drawn[], font?: string): Promise<string> {
  const { pages } = await readPdf(makePdf([line], font === undefined ? {} : { font }), roomy)
  return pages.map((page) => page.text).join('\n')
}

/** A font that names its glyphs, and does not say which characters they are. */
function fontWith(names: Readonly<Record<string, string>>, kind = '/Subtype /Type1 /BaseFont /AAAAAA+Keys'): string {
  const differences = Object.entries(names).map(([letter, name]) => `${letter.charCodeAt(0)} /${name}`)
  return `${kind} /Encoding << /Type /Encoding /Differences [${differences.join(' ')}] >>`
}

const pictures =
  '/Subtype /Type3 /FontBBox [0 0 750 750] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << >> ' +
  '/FirstChar 65 /LastChar 122 /Widths [' +
  `${'500 '.repeat(58)}]`

function press(text: string): readonly Drawn[] {
  return [
    { x: 72, y: 700, text: 'Press' },
    { x: 97, y: 700, text, isInFont: true },
    { x: 150, y: 700, text: 'to go on.' },
  ]
}

describe('a glyph of a PDF', () => {
  it.each([
    ['its font has under the code of a letter', fontWith({ N: 'key.enter' })],
    ['its font has only as a picture', fontWith({ N: 'a78' }, pictures)],
    ['is a symbol', '/Subtype /TrueType /BaseFont /Webdings /Encoding /WinAnsiEncoding'],
  ])('is marked as unreadable if %s', async (_, font) => {
    expect(await textOf(press('N'), font)).toBe('Press \ufffd to go on.')
  })

  it('is read if the glyphs of its font make words', async () => {
    const names = Object.fromEntries([...'Enter'].map((letter) => [letter, `a${letter.charCodeAt(0)}`]))
    expect(await textOf(press('Enter'), fontWith(names, pictures))).toBe('Press Enter to go on.')
  })

  it('is the box that a form shows', async () => {
    const font = '/Subtype /TrueType /BaseFont /Wingdings /Encoding /WinAnsiEncoding'
    expect(await textOf(press('\xfe\xa8'), font)).toBe('Press ☑☐ to go on.')
  })

  it('stays raised if it is a figure', async () => {
    const line = [
      { x: 72, y: 700, text: 'In 2022' },
      { x: 101, y: 704, text: '1', size: 7 },
      { x: 108, y: 700, text: 'it was 10' },
      { x: 144, y: 704, text: '-5', size: 7 },
      { x: 153, y: 700, text: 'm of H' },
      { x: 178, y: 698, text: '2', size: 7 },
      { x: 182, y: 700, text: 'O.' },
    ]
    expect(await textOf(line)).toBe('In 2022¹ it was 10⁻⁵ m of H2O.')
  })
})
