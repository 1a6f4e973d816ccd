import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { endingWithUs } from '../tests/fixtures/stop-after-us.ts'
import { execNode, median } from './processes.ts'
import { dataFolder } from './question-sets.ts'

const root = join(import.meta.dirname, '..')
const readersTried = [1, 2]
const sampleEveryMs = 50

interface Measured {
  readonly pagesPerSecond: number
  /** Of all its processes together; hardly changes with what else the machine does. */
  readonly pagesPerProcessorSecond: number
  readonly mainMegabytes: number
  readonly readerMegabytes: number
}

/**
 * How many pages a second `quaero add` reads into a fresh library, and the peak memory of its process and of its
 * readers. The PDFs are the development papers and the examples, in copies that differ in their last line.
 * `--against <checkout>` measures another build too, by turns with this one, and prints the ratio.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      copies: { type: 'string', default: '8' },
      rounds: { type: 'string', default: '3' },
      against: { type: 'string' },
    },
  })
  await execNode([join(root, 'scripts', 'build-if-stale.mjs')])
  const builds = [root, ...(values.against ? [resolve(values.against)] : [])]
  const folder = await mkdtemp(join(tmpdir(), 'quaero-ingest-'))
  try {
    await writeCopies(join(folder, 'pdfs'), Number(values.copies))
    const speeds: number[] = []
    for (const readers of readersTried) speeds.push(await compare(builds, readers, Number(values.rounds), folder))
    const [one = Number.NaN, two = Number.NaN] = speeds
    console.log(`one reader ${one.toFixed(0)} pages/s : two readers ${two.toFixed(0)} = ${(two / one).toFixed(2)}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function pdfsIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.pdf') && !/password|scan-no-text/.test(name))
  return names.map((name) => join(folder, name))
}

/** Every copy has a content of its own, or it would be recognised and not be read. */
async function writeCopies(folder: string, copies: number): Promise<void> {
  const sources = [join(dataFolder(), 'pdf'), join(root, 'examples', 'papers')].flatMap(pdfsIn)
  await mkdir(folder)
  for (const source of sources) {
    const bytes = await readFile(source)
    for (let copy = 0; copy < copies; copy += 1) {
      await writeFile(join(folder, `${copy}-${basename(source)}`), Buffer.concat([bytes, Buffer.from(`\n% ${copy}\n`)]))
    }
  }
}

/** Returns the pages per second of this build. */
async function compare(builds: readonly string[], readers: number, rounds: number, folder: string): Promise<number> {
  const figures = builds.map((): Measured[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, build] of builds.entries()) figures[at]?.push(await addOnce(build, readers, folder))
  }
  figures.forEach((each, at) => {
    print(`${readers} reader${readers > 1 ? 's' : ''}, ${at === 0 ? 'this build' : builds[at]}`, each)
  })
  const [ours, theirs] = figures
  if (ours && theirs)
    console.log(
      `  ratio ${ratio(ours, theirs, 'pagesPerSecond')}, ${ratio(ours, theirs, 'pagesPerProcessorSecond')} by processor time`,
    )
  return medianOf(ours ?? [], 'pagesPerSecond')
}

function ratio(ours: readonly Measured[], theirs: readonly Measured[], of: keyof Measured): string {
  return (medianOf(ours, of) / medianOf(theirs, of)).toFixed(2)
}

function medianOf(measured: readonly Measured[], of: keyof Measured): number {
  return median(measured.map((each) => each[of]))
}

function print(name: string, measured: readonly Measured[]): void {
  const speeds = measured.map(({ pagesPerSecond }) => pagesPerSecond)
  const peak = (of: keyof Measured) => Math.max(...measured.map((each) => each[of])).toFixed(0)
  const byProcessor = medianOf(measured, 'pagesPerProcessorSecond').toFixed(0)
  const range = `${Math.min(...speeds).toFixed(0)} to ${Math.max(...speeds).toFixed(0)}`
  console.log(`${name}: ${median(speeds).toFixed(0)} pages/s (${range}), ${byProcessor} per second of processor time`)
  console.log(`  peak memory: ${peak('mainMegabytes')} MB, its largest reader ${peak('readerMegabytes')} MB`)
}

async function addOnce(build: string, readers: number, folder: string): Promise<Measured> {
  const config = join(folder, 'config.yaml')
  const dataDir = await mkdtemp(join(folder, 'library-'))
  await writeFile(config, `library:\n  readers: ${readers}\n`)
  const words = ['add', join(folder, 'pdfs'), '--json', '-q', '--config', config, '--data-dir', dataDir]
  const started = performance.now()
  const child = spawn(process.execPath, [join(build, 'dist', 'cli', 'main.js'), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  endingWithUs(child)
  const seen = new Map<number, Usage>()
  const sampling = setInterval(() => sample(child.pid, seen), sampleEveryMs)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'close')
  clearInterval(sampling)
  const seconds = (performance.now() - started) / 1000
  if (code !== 0) throw new Error(`quaero add ended with ${code}: ${output}`)
  const { totals }: { readonly totals: { readonly pages: number } } = JSON.parse(output)
  const usages = [...seen.values()]
  return {
    pagesPerSecond: totals.pages / seconds,
    pagesPerProcessorSecond: totals.pages / usages.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0),
    mainMegabytes: seen.get(child.pid ?? 0)?.megabytes ?? Number.NaN,
    readerMegabytes: Math.max(...[...seen].map(([pid, { megabytes }]) => (pid === child.pid ? 0 : megabytes))),
  }
}

interface Usage {
  /** The most it has held so far. */
  readonly megabytes: number
  readonly processorSeconds: number
}

/** Notes what a process and its children have used so far; when one ends, what was last seen stands. Only Linux tells. */
function sample(pid: number | undefined, seen: Map<number, Usage>): void {
  const children = `/proc/${pid}/task/${pid}/children`
  if (pid === undefined || !existsSync(children)) return
  for (const each of [pid, ...readFileSync(children, 'utf8').trim().split(' ').filter(Boolean).map(Number)]) {
    const usage = usageOf(each)
    if (usage) seen.set(each, usage)
  }
}

const ticksPerSecond = 100

function usageOf(pid: number): Usage | null {
  try {
    const kilobytes = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    // Behind the name in brackets: fields 14 and 15 are the ticks in user and in system mode.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
    const ticks = (fields[11] ?? 0) + (fields[12] ?? 0)
    return kilobytes ? { megabytes: Number(kilobytes) / 1024, processorSeconds: ticks / ticksPerSecond } : null
  } catch {
    return null
  }
}
