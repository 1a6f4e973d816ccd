/**
 * Reads PDFs by turns with pdf.js alone, text only, and with the library's reader, in this one process. Prints the
 * pages per second of processor time of both, which hardly change with what else the machine does, and their ratio.
 * Arguments: how many rounds, and the files. Runs bundled: what tsx compiles on the fly is slower.
 */
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { getDocumentProxy } from 'unpdf'
import { readPdf } from '../../src/library/readers/pdf/read-pdf.ts'
import { median } from '../processes.ts'

const [rounds = '5', ...paths] = process.argv.slice(2)
const files = paths.map((path) => readFileSync(path))
// As in the process that reads files for the library.
Reflect.deleteProperty(globalThis, 'DecompressionStream')

async function readBare(bytes: Uint8Array): Promise<number> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 })
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number)
    await page.getTextContent()
    page.cleanup()
  }
  const pages = pdf.numPages
  await pdf.destroy()
  return pages
}

const options = { passwords: [], limits: { pages: 10_000, characters: 100_000_000 } }
const readOurs = async (bytes: Uint8Array): Promise<number> => (await readPdf(bytes, options)).pages.length

async function pagesPerSecond(read: (bytes: Uint8Array) => Promise<number>): Promise<number> {
  const before = process.cpuUsage()
  let pages = 0
  for (const bytes of files) pages += await read(bytes)
  const { user, system } = process.cpuUsage(before)
  return (pages * 1_000_000) / (user + system)
}

const bare: number[] = []
const ours: number[] = []
for (let round = 0; round < Number(rounds); round++) {
  // What comes second finds a warmer process, so they take turns in that, too.
  if (round % 2 === 0) bare.push(await pagesPerSecond(readBare))
  ours.push(await pagesPerSecond(readOurs))
  if (round % 2 === 1) bare.push(await pagesPerSecond(readBare))
}
const [one, other] = [median(bare), median(ours)]
console.log(
  `text by pdf.js alone ${one.toFixed(0)} pages/s : our reader ${other.toFixed(0)} = ${(one / other).toFixed(2)} ` +
    `per core (${rounds} rounds, load ${loadavg()[0]?.toFixed(1)})`,
)
