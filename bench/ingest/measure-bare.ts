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

/** Sides of a comparison, with what each round found: pages per second of processor time. */
const sides = [
  { read: readBare, speeds: [] as number[] },
  { read: readOurs, speeds: [] as number[] },
]

/** Each file is read by both sides before the next, so that what else the machine does slows both alike. */
async function measureRound(order: typeof sides): Promise<void> {
  const spent = order.map((side) => ({ side, pages: 0, microseconds: 0 }))
  for (const bytes of files) {
    for (const each of spent) {
      const before = process.cpuUsage()
      each.pages += await each.side.read(bytes)
      const { user, system } = process.cpuUsage(before)
      each.microseconds += user + system
    }
  }
  for (const { side, pages, microseconds } of spent) side.speeds.push((pages * 1_000_000) / microseconds)
}

for (let round = 0; round < Number(rounds); round++) {
  // The second to read a file finds a warmer process, so the sides take turns.
  await measureRound(round % 2 === 0 ? sides : sides.toReversed())
}
const [one = Number.NaN, other = Number.NaN] = sides.map(({ speeds }) => median(speeds))
console.log(
  `text by pdf.js alone ${one.toFixed(0)} pages/s : our reader ${other.toFixed(0)} = ${(one / other).toFixed(2)} ` +
    `per core (${rounds} rounds, load ${loadavg()[0]?.toFixed(1)})`,
)
