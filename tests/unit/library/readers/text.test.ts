import { describe, expect, it } from 'vitest'
import { readText } from '../../../../src/library/readers/text.ts'
import { blockTexts, bytesOf, roomy } from './read-options.ts'

describe('a text file', () => {
  it('is one page of paragraphs, with wrapped lines joined', async () => {
    const text = 'The first paragraph of this file is wrapped\nover two lines.\n\nShort\nlines\nstay.\n\n- one\n- two\n'
    const document = await readText(bytesOf(text), roomy)
    expect(document.pages).toEqual([
      {
        number: 1,
        label: null,
        header: null,
        text: 'The first paragraph of this file is wrapped\nover two lines.\nShort\nlines\nstay.\n- one\n- two',
      },
    ])
    const long = 'This line is certainly long enough to have been wrapped\nby an editor.'
    expect(blockTexts(await readText(bytesOf(long), roomy))).toEqual([['text', long.replace('\n', ' ')]])
  })

  it.each([
    ['UTF-8', bytesOf('Färber costs 5 €')],
    ['UTF-8 with a byte order mark', bytesOf('\ufeffFärber costs 5 €')],
    ['UTF-16, little-endian', Buffer.from('\ufeffFärber costs 5 €', 'utf16le')],
    ['UTF-16, big-endian', Buffer.from('\ufeffFärber costs 5 €', 'utf16le').swap16()],
    ['Windows-1252', Uint8Array.from(Buffer.from('F\xe4rber costs 5 \x80', 'latin1'))],
  ])('is decoded from %s', async (_, bytes) => {
    expect((await readText(bytes, roomy)).pages[0]?.text).toBe('Färber costs 5 €')
  })

  it('has headings that are underlined, numbered, or in capitals', async () => {
    const text = `Ponds of the north
==================

Methods
-------
We measured.

1. Depths

Deep.

1.1 The deepest pond

Deeper.

KNOWN GAPS

None.`
    const document = await readText(bytesOf(text), roomy)
    const headings = document.blocks.filter(({ kind }) => kind === 'heading')
    expect(headings.map(({ section }) => section.join(' > '))).toEqual([
      'Ponds of the north',
      'Ponds of the north > Methods',
      'Ponds of the north > 1. Depths',
      'Ponds of the north > 1. Depths > 1.1 The deepest pond',
      'Ponds of the north > KNOWN GAPS',
    ])
    expect(document.pages[0]?.text).not.toMatch(/==|--/)
  })

  it('takes no list, no sentence and no lone last line for headings', async () => {
    const text = '1. Measure the pond\n\n2. Repeat it\n\n3. Write it down\n\nDONE.\n\n4 Ponds were dry.\n\nTHE END'
    const document = await readText(bytesOf(text), roomy)
    expect(document.blocks.map(({ kind }) => kind)).toEqual(['text'])
  })

  it('is cleaned: ligatures, soft hyphens, control and zero-width characters, decomposed letters', async () => {
    const document = await readText(bytesOf('e\ufb03cient co\u00adoperation\u200b\u00a0of cafe\u0301\u0007s'), roomy)
    expect(document.pages[0]?.text).toBe('efficient cooperation of café s')
  })

  it('is refused if it is binary', async () => {
    const binary = Uint8Array.from({ length: 100 }, (_, at) => at % 7)
    await expect(readText(binary, roomy)).rejects.toMatchObject({ code: 'unknown_format' })
  })

  it('is refused beyond its budget of text', { tags: ['F72'] }, async () => {
    const options = { ...roomy, limits: { pages: 1, characters: 100 } }
    await expect(readText(bytesOf('word\n\n'.repeat(100)), options)).rejects.toMatchObject({
      code: 'over_budget',
      message: expect.stringContaining('library.textMegabytes'),
    })
  })
})
