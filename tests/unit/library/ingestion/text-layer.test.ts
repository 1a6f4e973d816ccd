import { execFileSync } from 'node:child_process'
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { recogniseText } from '../../../../src/library/ingestion/text-layer.ts'
import { readPdf } from '../../../../src/library/readers/pdf/read-pdf.ts'
import { makePdf } from '../../../fixtures/documents/make-pdf.ts'
import { libraryInFolder } from '../in-folder.ts'
import { roomy } from '../readers/read-options.ts'

const isInstalled = ['tesseract', 'pdftoppm'].every((program) => {
  try {
    execFileSync(program, ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})
if (!isInstalled) console.info('tesseract and pdftoppm are not installed: no scan is read')

const pdftoppm = 'pdftoppm'
const lines = [{ x: 72, y: 700, size: 20, text: 'Ponds freeze in winter.' }]
const options = { timeoutMs: 60_000 }
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quaero-'))
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
  vi.stubEnv('PATH', folder)
}

describe('a scan', () => {
  it('is read with the program that is installed, and the report says so', async () => {
    await writeFile(join(folder, 'layer.pdf'), makePdf([lines]))
    await install('ocrmypdf', `/bin/cp '${join(folder, 'layer.pdf')}' out.pdf`)
    const { file, add } = await libraryInFolder()
    file('scan.pdf', makePdf([[]]))
    expect((await add()).documents).toMatchObject([
      { status: 'added', pages: 1, recognisedBy: 'ocrmypdf', error: null },
    ])
  })

  it('in which the program finds nothing, or which it refuses, is reported', async () => {
    await install('ocrmypdf', 'echo "no pages" >&2; exit 2')
    await expect(recogniseText(makePdf([[]]), options)).rejects.toMatchObject({
      code: 'no_text_layer',
      message: expect.stringContaining('ocrmypdf did not read it (no pages)'),
    })
  })

  it('stays unread where no program is installed', async () => {
    vi.stubEnv('PATH', folder)
    expect(await recogniseText(makePdf([[]]), options)).toBeNull()
  })

  it.skipIf(!isInstalled)('is read by tesseract, line by line', { tags: ['slow'] }, async () => {
    await writeFile(join(folder, 'text.pdf'), makePdf([lines]))
    execFileSync(pdftoppm, ['-gray', '-r', '100', join(folder, 'text.pdf'), join(folder, 'page')])
    await copyFile(join(folder, 'page-1.pgm'), join(folder, 'page.pgm'))
    const scan = makePdf([[{ x: 0, y: 0, text: '', before: picture(await readFile(join(folder, 'page.pgm'))) }]])
    await expect(readPdf(scan, roomy)).rejects.toMatchObject({ code: 'no_text_layer' })
    const layer = await recogniseText(scan, options)
    const { pages } = await readPdf(layer?.bytes ?? scan, roomy)
    expect([layer?.program, pages[0]?.text]).toEqual(['tesseract', 'Ponds freeze in winter.'])
  })
})

/** Draws a picture of a page: "P5", its size and its deepest grey stand before its points. */
function picture(file: Buffer): string {
  const [head = '', width = '', height = ''] = /^P5\s+(\d+)\s+(\d+)\s+255\s/u.exec(file.toString('latin1', 0, 40)) ?? []
  const points = file.subarray(head.length).toString('hex')
  return `q 612 0 0 792 0 0 cm BI /W ${width} /H ${height} /CS /G /BPC 8 /F /AHx ID ${points}> EI Q`
}
