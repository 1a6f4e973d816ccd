/**
 * The process that recognises text with tesseract.js, from nothing but installed packages and the file: `<file> <languages>
 * <dots per inch>` writes `out.hocr` beside the file.
 */
import { appendFile, copyFile, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { PDFiumLibrary, type PDFiumPageRenderOptions } from '@hyzyla/pdfium'
import tesseract from 'tesseract.js'
import { languagePackage } from './optional-packages.ts'
import { tiffPages } from './tiff-pages.ts'

const [file = '', languages = '', resolution = ''] = process.argv.slice(2)
const folder = dirname(file)

/** Ends the worker, too, which may never answer after an error. */
function fail(error: unknown): never {
  console.error(String(error))
  process.exit(1)
}

await recognise().catch(fail)

async function recognise(): Promise<void> {
  await Promise.all(languages.split('+').map(copyLanguage))
  const options = { langPath: folder, cacheMethod: 'none', gzip: true, errorHandler: fail }
  const worker = await tesseract.createWorker(languages.split('+'), tesseract.OEM.LSTM_ONLY, options)
  // It takes a page for one block otherwise, and would read across columns.
  await worker.setParameters({ tessedit_pageseg_mode: tesseract.PSM.AUTO })
  for await (const picture of pictures()) {
    const { data } = await worker.recognize(Buffer.from(picture), {}, { hocr: true, text: false })
    await appendFile(join(folder, 'out.hocr'), data.hocr ?? '')
  }
  await worker.terminate()
}

/** The worker looks for all languages in one folder. */
async function copyLanguage(language: string): Promise<void> {
  const name = `${language}.traineddata.gz`
  const { resolve } = createRequire(import.meta.url)
  await copyFile(join(dirname(resolve(languagePackage(language))), '4.0.0_best_int', name), join(folder, name))
}

async function* pictures(): AsyncGenerator<Uint8Array> {
  const bytes = await readFile(file)
  if (!file.endsWith('.pdf')) return yield* tiffPages(bytes)
  const library = await PDFiumLibrary.init()
  const document = await library.loadDocument(bytes)
  for (const page of document.pages()) {
    const { data } = await page.render({ scale: Number(resolution) / 72, colorSpace: 'Gray', render: portableGraymap })
    yield data
  }
}

/** The simplest format of grey pictures: a line of text, then one byte for each point. */
async function portableGraymap({ width, height, data }: PDFiumPageRenderOptions): Promise<Uint8Array> {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data])
}
