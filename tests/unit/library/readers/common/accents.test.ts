import { describe, expect, it } from 'vitest'
import { joinAccents, moveAccents } from '../../../../../src/library/readers/common/clean-text.ts'
import { readDocument } from '../../../../../src/library/readers/read-document.ts'
import { makePdf } from '../../../../fixtures/documents/make-pdf.ts'
import { roomy } from '../read-options.ts'

describe('an accent that stands apart', () => {
  it.each([
    ['St´ephane', 'Stéphane'],
    ['Ste´phane', 'Stéphane'],
    ['St ´ephane', 'Stéphane'],
    ['M¨uller and Mu¨ller', 'Müller and Müller'],
    ['na¨ıve', 'naïve'],
    ['Fran¸cais, Franc¸ais', 'Français, Français'],
    ['Erd˝os, Erdo˝s', 'Erdős, Erdős'],
    ['Poincare´ said', 'Poincaré said'],
    ['Poincar´e said', 'Poincaré said'],
  ])('is joined to its letter: %s', (text, joined) => {
    expect(joinAccents(text)).toBe(joined)
  })

  it.each(['20 ˚C', '˜5 %', 'ˆx', '´', 'a ´ 5'])('stays where no letter takes it: %s', (text) => {
    expect(joinAccents(text)).toBe(text)
  })

  it.each([
    ['St\u0301ephane', 'Stéphane'],
    ['Ste\u0301phane', 'Stéphane'],
    ['na\u0131\u0308ve', 'naïve'],
    ['x\u0302y', 'x\u0302y'],
  ])('is moved to it where it combines with a letter that takes none: %j', (text, moved) => {
    expect(moveAccents(text)).toBe(moved)
  })

  it('is joined in a page of a PDF, whichever glyph is drawn first', async () => {
    const pages = [[{ x: 72, y: 700, text: 'Ste\u00b4phane and St\u00b4ephane met Mu\u00a8ller.' }]]
    const { pages: read } = await readDocument('a.pdf', makePdf(pages), roomy)
    expect(read[0]?.text).toBe('Stéphane and Stéphane met Müller.')
  })
})
