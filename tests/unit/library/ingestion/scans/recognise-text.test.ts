import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { recogniseText, scanRemedy } from '../../../../../src/library/ingestion/scans/recognise-text.ts'
import { type Drawn, makePdf, upright } from '../../../../fixtures/documents/make-pdf.ts'
import { asPng, asTiff, type Picture, photographed } from '../../../../fixtures/documents/make-picture.ts'
import { libraryInFolder } from '../../in-folder.ts'

const drawn = (text: string) => [{ x: 72, y: 700, size: 20, text }]
const settings = { secondsPerFile: 60, memoryMegabytes: 1024, scanLanguages: ['eng'] }
/** No package holds it. */
const unknownLanguage = { scanLanguages: ['tlh'] }
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quaero-'))
  vi.stubEnv('PATH', folder)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

/** A program of this name that runs lines of shell, alone on the PATH. */
async function install(name: string, script: string): Promise<void> {
  const path = join(folder, name)
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
}

describe('a scan', () => {
  it('is read with the program that is installed, and the report says so', async () => {
    await writeFile(join(folder, 'layer.pdf'), makePdf([drawn('Ponds freeze in winter.')]))
    await install('ocrmypdf', `/bin/cp '${join(folder, 'layer.pdf')}' out.pdf`)
    const { file, add } = await libraryInFolder()
    file('scan.pdf', makePdf([[]]))
    expect((await add()).documents).toMatchObject([
      { status: 'added', pages: 1, recognisedBy: 'ocrmypdf', error: null },
    ])
  })

  it('in which the program finds nothing, or which it refuses, is reported', async () => {
    await install('ocrmypdf', 'echo "no pages" >&2; exit 2')
    await expect(recogniseText(makePdf([[]]), { settings })).rejects.toMatchObject({
      code: 'no_text_layer',
      message: expect.stringContaining('ocrmypdf did not read it (no pages)'),
    })
  })

  it('on which the program takes too long is reported', async () => {
    await install('ocrmypdf', 'while :; do :; done')
    const impatient = { ...settings, secondsPerFile: 0.05 }
    await expect(recogniseText(makePdf([[]]), { settings: impatient })).rejects.toMatchObject({
      code: 'over_budget',
      message: expect.stringContaining('library.secondsPerFile'),
    })
  })

  it('is refused where no program is installed, with the command that installs one', async () => {
    const { file, add } = await libraryInFolder(unknownLanguage)
    file('scan.pdf', makePdf([[]]))
    const [scan] = (await add()).documents
    expect(scan?.error?.code).toBe('no_text_layer')
    expect(scan?.error?.message).toMatch(
      /as in a scan\. Install tesseract.* npm install tesseract\.js@\d\S+ @hyzyla\/pdfium@\d\S+ @tesseract\.js-data\/tlh@\d\S+$/,
    )
    expect(scanRemedy(settings)).toContain('@tesseract.js-data/eng@1')
  })

  it('is read without any program, by packages alone, and its words are found on the page', async () => {
    const { file, add, library } = await libraryInFolder()
    const [page] = await photographed(makePdf([drawn('Ponds freeze in winter.')]))
    file('scan.pdf', makePdf([[{ x: 0, y: 0, text: '', before: picture(page as Picture) }]]))
    const [scan] = (await add()).documents
    expect(scan).toMatchObject({ status: 'added', pages: 1, recognisedBy: 'tesseract.js', error: null })
    const documentId = scan?.documentId ?? ''
    const { text, confidence = 0 } = await library.text(documentId, 1)
    expect([text, confidence > 0.8 && confidence <= 1]).toEqual(['Ponds freeze in winter.', true])
    const boxes = await library.rectangles(documentId, 1, { start: 0, end: text.length })
    expect(boxes).toHaveLength(1)
    // Times is 13 points high above its baseline, of 20, and the words are 183 points wide.
    const drawnAt = [72, 700, 72 + 183, 713]
    for (const [at, side] of drawnAt.entries()) expect(Math.abs((boxes[0]?.[at] ?? 0) - side)).toBeLessThan(6)
    expect((await library.show(documentId)).recognised).toEqual([{ page: 1, confidence }])
    expect((await readdir(tmpdir())).filter((name) => name.startsWith('quaero-scan-'))).toEqual([])
  })
})

describe('a page that the PDF turns and crops', () => {
  const turnedPages = (turns: readonly number[]) => turns.map((turn) => `/CropBox [10 20 602 772] /Rotate ${90 * turn}`)
  // Of text of 20 points at 72, 480 of the page as it is shown, 183 points wide.
  const places = [
    [72, 480, 255, 493],
    [612 - 493, 72, 612 - 480, 255],
    [612 - 255, 792 - 493, 612 - 72, 792 - 480],
    [480, 792 - 255, 493, 792 - 72],
  ]
  const words = [{ x: 72, y: 480, size: 20, text: 'Ponds freeze in winter.' }]

  it.each([
    ['drawn', 'text.pdf', [0, 1, 2, 3]],
    ['recognised', 'scan.pdf', [1, 2, 3]],
  ])('has its words where they are %s', async (how, name, turns) => {
    const { file, add, library } = await libraryInFolder()
    const [photo] = await photographed(makePdf([words]), 100)
    const scanned = [{ x: 0, y: 0, text: '', before: picture(photo as Picture) }]
    const drawn: readonly Drawn[] = how === 'drawn' ? words : scanned
    const pages = turns.map((turn) =>
      drawn.map((each) => ({ ...each, before: `${upright[turn]} ${each.before ?? ''}` })),
    )
    file(name, makePdf(pages, { pages: turnedPages(turns) }))
    const [added] = (await add()).documents
    for (const [at, turn] of turns.entries()) {
      const [box] = await library.rectangles(added?.documentId ?? '', at + 1, { start: 0, end: 23 })
      for (const [index, side] of (places[turn] ?? []).entries())
        expect(Math.abs((box?.[index] ?? 0) - side)).toBeLessThan(6)
    }
  })
})

describe('a picture', () => {
  it('is a document of one page', async () => {
    const { file, add, library } = await libraryInFolder()
    const [page] = await photographed(makePdf([drawn('Ponds freeze in winter.')]))
    file('photo.png', asPng(page as Picture))
    const [photo] = (await add()).documents
    expect(photo).toMatchObject({ status: 'added', pages: 1, recognisedBy: 'tesseract.js', error: null })
    expect(await library.search('winter')).toMatchObject([{ format: 'picture', page: 1 }])
  })

  it('of two columns is read column by column', async () => {
    const { file, add, library } = await libraryInFolder()
    const column = (x: number, words: readonly string[]) =>
      words.map((text, line) => ({ x, y: 700 - 16 * line, size: 12, text }))
    const ponds = ['Ponds freeze in the winter', 'of most years, when frogs', 'sleep below the ice until']
    const whales = ['Whales sing low under the', 'sea, and what they sing is', 'heard by other whales far']
    // Few lines are taken for a table.
    const often = (words: readonly string[], last: string) => [...Array(6).fill(words).flat(), last]
    const left = column(60, often(ponds, 'spring has come again.'))
    const right = column(330, often(whales, 'away from where they are.'))
    const [page] = await photographed(makePdf([[...left, ...right]]))
    file('columns.png', asPng(page as Picture))
    const [columns] = (await add()).documents
    const { text } = await library.text(columns?.documentId ?? '', 1)
    expect(text.replace(/\s+/g, ' ')).toMatch(/until spring has come again\. \S?Whales sing low/)
  })

  it('in TIFF has all its pages', async () => {
    const { file, add, library } = await libraryInFolder()
    const pages = await photographed(makePdf([drawn('Ponds freeze in winter.'), drawn('Whales sing low.')]))
    file('fax.tif', asTiff(pages))
    const [fax] = (await add()).documents
    expect(fax).toMatchObject({ status: 'added', pages: 2, error: null })
    expect((await library.text(fax?.documentId ?? '', 2)).text).toBe('Whales sing low.')
  })

  it('is read by the program of the system where that is there', async () => {
    const page =
      "<div class='ocr_page' title='bbox 0 0 600 800'><p class='ocr_par'><span class='ocr_line' title='bbox 72 680 250 700; baseline 0 -4; x_size 20'><span class='ocrx_word' title='bbox 72 680 250 700; x_wconf 90'>Ponds</span></span></p></div>"
    await install('tesseract', `[ "$1" = in.picture ] && echo "${page}" > out.hocr; exit 0`)
    const { file, add, library } = await libraryInFolder()
    const [small] = await photographed(makePdf([[]]), 20)
    file('photo.png', asPng(small as Picture))
    const [photo] = (await add()).documents
    expect(photo).toMatchObject({ status: 'added', recognisedBy: 'tesseract' })
    expect(await library.rectangles(photo?.documentId ?? '', 1, { start: 0, end: 5 })).toEqual([[72, 99.6, 250, 119.6]])
  })

  it('that is damaged, empty of text or no picture is a failure with a reason', async () => {
    const { file, add, papers } = await libraryInFolder()
    const [blank] = await photographed(makePdf([[]]), 50)
    const png = asPng(blank as Picture)
    file('blank.png', png)
    file('cut.png', png.subarray(0, 60))
    file('list.tif', '/etc/passwd\n')
    file('noise.jpg', Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.alloc(3000, 7)]))
    const folderOf = await add()
    // One without text is no failure of its folder.
    expect([folderOf.documents.length, folderOf.skipped]).toEqual([3, [join(papers, 'blank.png')]])
    const named = ['blank', 'cut', 'list', 'noise'].map((name, at) => `${name}.${['png', 'png', 'tif', 'jpg'][at]}`)
    const outcomes = (
      await add(
        {},
        named.map((name) => join(papers, name)),
      )
    ).documents.map(({ error }) => [error?.code, error?.message])
    expect(outcomes).toEqual([
      ['no_text_layer', 'tesseract.js found no text in it'],
      ['malformed_file', expect.stringContaining('tesseract.js did not read it')],
      ['malformed_file', expect.stringContaining('no PNG, JPEG or TIFF')],
      ['malformed_file', expect.stringContaining('tesseract.js did not read it')],
    ])
  })

  it('of a folder is left out where the settings say so, and not where it is named', async () => {
    const { file, add, papers } = await libraryInFolder({ ...unknownLanguage, pictures: false })
    const path = file('photo.png', Buffer.from('89504e470d0a1a0a', 'hex'))
    expect(await add({}, [papers])).toMatchObject({ documents: [], skipped: [path] })
    expect((await add({}, [path])).documents).toMatchObject([{ status: 'failed', error: { code: 'no_text_layer' } }])
  })
})

/** Draws a picture over a whole page. */
function picture({ width, height, data }: Picture): string {
  const points = Buffer.from(data).toString('hex')
  return `q 612 0 0 792 0 0 cm BI /W ${width} /H ${height} /CS /G /BPC 8 /F /AHx ID ${points}> EI Q`
}
