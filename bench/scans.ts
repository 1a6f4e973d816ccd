import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { loadConfig } from '../src/config.ts'
import { recogniseText } from '../src/library/ingestion/scans/recognise-text.ts'
import { asPng, type Picture } from '../tests/fixtures/documents/make-picture.ts'
import { dataFolder, MissingData } from './question-sets.ts'

const execute = promisify(execFile)

/** A page of a real PDF as a scanner would have made it: at so many dots per inch, turned by some degrees, with noise. */
interface Scanned {
  readonly file: string
  readonly page: number
  readonly dpi: number
  readonly turned: number
  /** The largest change of a point's grey. */
  readonly noise: number
}

const scans: readonly Scanned[] = [
  { file: 'pdf/google-docs.pdf', page: 1, dpi: 200, turned: 0, noise: 0 },
  { file: 'pdf/outline.pdf', page: 1, dpi: 150, turned: 0.3, noise: 20 },
  { file: 'pdf/two-column-latex.pdf', page: 1, dpi: 200, turned: -0.4, noise: 30 },
  { file: 'pdf/megastore.pdf', page: 2, dpi: 150, turned: 0.5, noise: 0 },
  { file: 'pdf/longeval.pdf', page: 4, dpi: 200, turned: -0.5, noise: 40 },
  { file: 'pdf/s2orc.pdf', page: 3, dpi: 200, turned: 0, noise: 60 },
  { file: 'filings/pdf/NIKE_2021_10K.pdf', page: 30, dpi: 150, turned: 0.2, noise: 20 },
  { file: 'filings/pdf/ADOBE_2022_10K.pdf', page: 40, dpi: 200, turned: -1, noise: 0 },
  { file: 'filings/pdf/COSTCO_2021_10K.pdf', page: 25, dpi: 150, turned: 0, noise: 40 },
  { file: 'filings/pdf/WALMART_2018_10K.pdf', page: 50, dpi: 200, turned: 0.8, noise: 20 },
]

/**
 * Word F1 of tesseract.js and of the system's tesseract on ten pages of real PDFs that were made pictures, against their text
 * layers: words count with how often they stand on the page, in whatever order.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { pages: { type: 'string', default: String(scans.length) } },
  })
  const path = process.env.PATH ?? ''
  const programs = { tesseract: path, 'tesseract.js': '' }
  const means: Record<string, number[]> = {}
  for (const scan of scans.slice(0, Number(values.pages))) {
    const gold = wordsOf((await execute('pdftotext', [...pageOf(scan), '-'])).stdout)
    const png = asPng(await scanned(scan))
    const results: string[] = []
    for (const [program, place] of Object.entries(programs)) {
      process.env.PATH = place
      const started = performance.now()
      const found = await recogniseText(png, { settings: loadConfig({ env: {} }).settings.library })
      process.env.PATH = path
      if (found?.program !== program || found.form.kind !== 'hocr')
        throw new MissingData(`${program} is not installed.`)
      const f1 = agreement(gold, wordsOf(textOf(new TextDecoder().decode(found.form.hocr))))
      means[program] = [...(means[program] ?? []), f1]
      results.push(`${program} ${f1.toFixed(3)} (${((performance.now() - started) / 1000).toFixed(1)} s)`)
    }
    const { file, page, dpi, turned, noise } = scan
    console.log(
      `${file} p. ${page}, ${dpi} dpi, ${turned}°, noise ${noise}, ${gold.length} words: ${results.join(', ')}`,
    )
  }
  for (const [program, each] of Object.entries(means)) {
    const mean = each.reduce((sum, f1) => sum + f1, 0) / each.length
    console.log(`${program}: word F1 ${mean.toFixed(3)} on average, ${Math.min(...each).toFixed(3)} at least`)
  }
}

function pageOf({ file, page }: Scanned): readonly string[] {
  return ['-f', String(page), '-l', String(page), join(dataFolder(), file)]
}

async function scanned(scan: Scanned): Promise<Picture> {
  const options = { encoding: 'buffer', maxBuffer: 100_000_000 } as const
  const { stdout } = await execute('pdftoppm', ['-gray', '-r', String(scan.dpi), ...pageOf(scan)], options)
  const [head = '', width = 0, height = 0] = /^P5\s(\d+)\s(\d+)\s255\s/.exec(stdout.toString('latin1', 0, 40)) ?? []
  return spoilt({ width: Number(width), height: Number(height), data: stdout.subarray(head.length) }, scan)
}

/** Turns a picture about its middle, and changes its points; the same each time. */
function spoilt({ width, height, data }: Picture, { turned, noise }: Scanned): Picture {
  const [cos, sin] = [Math.cos((turned * Math.PI) / 180), Math.sin((turned * Math.PI) / 180)]
  let seed = 1
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31
  }
  const spoilt = new Uint8ClampedArray(data.length).fill(255)
  for (let at = 0; at < data.length; at += 1) {
    const [x, y] = [(at % width) - width / 2, Math.floor(at / width) - height / 2]
    const grey = between({ width, height, data }, x * cos - y * sin + width / 2, x * sin + y * cos + height / 2)
    spoilt[at] = grey + noise * (2 * random() - 1)
  }
  return { width, height, data: Uint8Array.from(spoilt) }
}

/** The grey at a place between four points. */
function between({ width, height, data }: Picture, x: number, y: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)]
  const pointAt = (column: number, row: number) =>
    column < 0 || row < 0 || column >= width || row >= height ? 255 : (data[row * width + column] ?? 255)
  const rowAt = (row: number) => pointAt(left, row) * (left + 1 - x) + pointAt(left + 1, row) * (x - left)
  return rowAt(top) * (top + 1 - y) + rowAt(top + 1) * (y - top)
}

/** The words of hOCR. */
function textOf(hocr: string): string {
  const words = hocr.matchAll(/class='ocrx_word'[^>]*>(.*?)<\/span>/gs)
  return Array.from(words, ([, word = '']) => word.replace(/<[^>]+>/g, ''))
    .join(' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, ' ')
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function agreement(gold: readonly string[], found: readonly string[]): number {
  const left = new Map<string, number>()
  for (const word of gold) left.set(word, (left.get(word) ?? 0) + 1)
  const shared = found.filter((word) => {
    const count = left.get(word) ?? 0
    left.set(word, count - 1)
    return count > 0
  })
  return (2 * shared.length) / (gold.length + found.length)
}
