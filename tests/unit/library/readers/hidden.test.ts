import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../../src/library/readers/read-document.ts'
import { makeDocx } from '../../../fixtures/documents/make-docx.ts'
import { type Drawn, makePdf } from '../../../fixtures/documents/make-pdf.ts'
import { roomy } from './read-options.ts'

async function textOf(name: string, bytes: string | Uint8Array): Promise<string> {
  const { pages } = await readDocument(name, Buffer.from(bytes as string), roomy)
  return pages.map((page) => page.text).join('\n')
}

describe('text that a document does not show', () => {
  it.each([
    'hidden',
    'aria-hidden="true"',
    'style="display: none"',
    'style="visibility:hidden"',
    'style="opacity: 0.0"',
    'style="font-size:0px"',
    'style="color:#FFF;background-color: white"',
    'style="color: transparent"',
    'style="position:absolute; left:-9999px"',
    'style="text-indent:-9999px"',
    'style="position:absolute;clip:rect(0,0,0,0)"',
  ])('is dropped from a web page and from Markdown: %s', async (attribute) => {
    const html = `<p>Ponds <span ${attribute}>never <br><b>ever</b></span> freeze.</p>`
    expect(await textOf('a.html', html)).toBe('Ponds freeze.')
    expect(await textOf('a.md', `Ponds <span ${attribute}>never <b>ever</b></span> freeze.`)).toBe('Ponds freeze.')
  })

  it('is kept where a style only colours it', async () => {
    const html = '<p>Ponds <b style="color:#fff;background:#003;opacity:0.9;font-size:0.8em;left:-4px">do</b> freeze.'
    expect(await textOf('a.html', html)).toBe('Ponds do freeze.')
  })

  it.each(['<w:vanish/>', '<w:color w:val="FFFFFF"/>', '<w:sz w:val="2"/>'])(
    'is dropped from a Word file: %s',
    async (property) => {
      const run = (text: string, properties = '') =>
        `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`
      const body = (properties: string) => `<w:p>${run('Ponds ')}${run('never ', properties)}${run('freeze.')}</w:p>`
      expect(await textOf('a.docx', makeDocx(body(property)))).toBe('Ponds freeze.')
      const shown =
        '<w:vanish w:val="0"/><w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="000080"/><w:sz w:val="20"/>'
      expect(await textOf('a.docx', makeDocx(body(shown)))).toBe('Ponds never freeze.')
    },
  )

  it('is dropped where characters have no shape, but for the joiners that a script needs', async () => {
    const tags = [...'never'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
    expect(await textOf('a.txt', `Ponds${tags} fre\u200beze\u2060\ufeff.`)).toBe('Ponds freeze.')
    expect(await textOf('a.txt', 'می\u200cخواهم و क्\u200dष, a\u200db')).toBe('می\u200cخواهم و क्\u200dष, ab')
  })

  it.each<[string, Partial<Drawn>]>([
    ['drawn invisibly', { before: '3 Tr' }],
    ['of no size', { size: 0.1 }],
    ['beside the page', { x: 900 }],
    ['below the page', { y: -40 }],
    ['white on white', { before: '1 g' }],
    ['in the colour of the box below it', { before: '0.2 0.2 0.4 rg 60 670 300 25 re f 0.21 0.2 0.4 rg' }],
    ['cut off', { before: '0 0 50 50 re W n' }],
  ])('is dropped from a PDF: %s', async (_, hidden) => {
    const page = [
      { x: 72, y: 700, text: 'Ponds freeze.' },
      { x: 72, y: 680, text: 'They never do.', ...hidden },
      { x: 72, y: 660, text: 'Fish live in them.' },
    ]
    const text = await textOf('a.pdf', makePdf([page]))
    expect(text).toContain('Ponds freeze.')
    expect(text).toContain('Fish live in them.')
    expect(text).not.toContain('never')
  })

  it.each([
    ['a dark bar', '0 0 0.5 rg 60 670 300 25 re f 1 g'],
    ['a picture', 'q 300 0 0 25 60 670 cm BI /W 1 /H 1 /CS /G /BPC 8 ID 0 EI Q 1 g'],
    ['a round shape', '0 0 0.5 rg 60 670 m 200 720 300 720 360 670 c h f 1 g'],
    ['the part of the page that is not cut off', '60 670 300 25 re W n'],
  ])('is kept in a PDF where one sees it: on %s', async (_, before) => {
    const page = [
      { x: 72, y: 700, text: 'Ponds freeze.' },
      { x: 72, y: 680, text: 'Fish live.', before },
    ]
    expect(await textOf('a.pdf', makePdf([page]))).toMatch(/Ponds freeze\.\sFish live\./)
  })

  it('is kept where it is all that a page has: the text layer of a scan', async () => {
    const page = [{ x: 72, y: 700, text: 'Ponds freeze.', before: '3 Tr' }]
    expect(await textOf('a.pdf', makePdf([page]))).toBe('Ponds freeze.')
  })
})
