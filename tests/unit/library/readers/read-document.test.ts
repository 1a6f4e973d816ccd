import { describe, expect, it } from 'vitest'
import { detectFormat, isReadable, readDocument } from '../../../../src/library/readers/read-document.ts'
import { bytesOf, roomy } from './read-options.ts'

describe('the format of a file', () => {
  it.each([
    ['a.pdf', '%PDF-1.4', 'pdf'],
    ['download.txt', 'HTTP/1.1 200 OK\r\n\r\n%PDF-1.7', 'pdf'],
    ['A.MD', '# x', 'markdown'],
    ['a.htm', '<p>x', 'html'],
    ['a.txt', 'x', 'text'],
    ['a.docx', 'PK\x03\x04', 'docx'],
    ['a.odt', 'PK\x03\x04', 'odt'],
    ['a.rtf', '{\\rtf1', 'rtf'],
  ])('of %s is told by its first bytes and its name', { tags: ['R29'] }, (path, start, format) => {
    expect(detectFormat(path, bytesOf(start))).toBe(format)
  })

  it.each([
    ['empty.pdf', '', 'empty_file', /0 bytes/],
    ['page.pdf', '<!DOCTYPE html><p>Log in', 'not_a_pdf', /a web page/],
    ['old.docx', '\xd0\xcf\x11\xe0', 'malformed_file', /DOCX/],
    ['a.xyz', 'x', 'unknown_format', /\.xyz/],
  ])('of %s is refused with a reason', { tags: ['F71'] }, (path, start, code, message) => {
    const bytes = Buffer.from(start, 'latin1')
    expect(() => detectFormat(path, bytes)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    )
  })

  it.each(['a.xlsx', 'a.docx', 'a.pptx'])(
    'of %s is told as encrypted where Office has encrypted it',
    { tags: ['F71'] },
    (path) => {
      const start = Buffer.from('d0cf11e0a1b11ae1', 'hex')
      const file = Buffer.concat([
        start,
        Buffer.alloc(1024),
        Buffer.from('EncryptedPackage', 'utf16le'),
        Buffer.alloc(96),
      ])
      expect(() => detectFormat(path, file)).toThrow(
        expect.objectContaining({
          code: 'encrypted_file',
          message: expect.stringContaining('encrypted with a password'),
        }),
      )
      // An older kind of file under a new name.
      expect(() => detectFormat(path, start)).toThrow(expect.objectContaining({ code: 'malformed_file' }))
    },
  )

  it('decides by name alone which files of a folder are read', () => {
    expect(['a.pdf', 'b.Markdown', 'c.gif', 'd', '.md', 'e.PNG'].filter(isReadable)).toEqual([
      'a.pdf',
      'b.Markdown',
      'e.PNG',
    ])
  })
})

describe('a document without a title', () => {
  it('is called by its first heading', async () => {
    const read = await readDocument('notes.md', bytesOf('# Pond notes\n\nText.'), roomy)
    expect(read.title).toEqual({ value: 'Pond notes', from: 'first heading' })
  })

  it.each(['1 Introduction', 'Abstract'])('is not called "%s", which names a section', async (heading) => {
    expect((await readDocument('notes.md', bytesOf(`# ${heading}\n\nText.`), roomy)).title).toBeNull()
  })

  it('is refused if it holds no text at all', { tags: ['F71'] }, async () => {
    await expect(readDocument('a.txt', bytesOf(' \n\n '), roomy)).rejects.toMatchObject({ code: 'empty_file' })
  })
})
