import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { endingWithUs } from '../tests/fixtures/stop-after-us.ts'
import { execNode, quantile } from './processes.ts'
import { covidQa, dataFolder, xquad } from './question-sets.ts'

const root = join(import.meta.dirname, '..')
const documentsWanted = 100
const options = { runs: { type: 'string', default: '20' }, against: { type: 'string' } } as const

/**
 * How long a person waits for `quaero ask` with no key, over a library of 100 documents that was filled before: whole
 * processes from their start to their end, and beside them a Node that does nothing. The documents are the articles of
 * COVID-QA, and the paragraphs of XQuAD put together to texts. `--against <checkout>` measures another build too, by
 * turns with this one.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options })
  await execNode([join(root, 'scripts', 'build-if-stale.mjs')])
  const builds = [root, ...(values.against ? [resolve(values.against)] : [])]
  const folder = await mkdtemp(join(tmpdir(), 'quaero-warm-'))
  try {
    const questions = await writeDocuments(join(folder, 'texts'))
    const libraries = builds.map((_, at) => join(folder, `library-${at}`))
    for (const [at, build] of builds.entries()) {
      await execNode(
        [quaeroOf(build), 'add', join(folder, 'texts'), '--data-dir', libraries[at] ?? '', '--json', '-q'],
        'ignore',
      )
    }
    await measure(builds, libraries, everyNth(questions, Number(values.runs)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function quaeroOf(build: string): string {
  return join(build, 'dist', 'cli', 'main.js')
}

/** Returns the questions that these documents answer. */
async function writeDocuments(folder: string): Promise<readonly string[]> {
  const [articles, paragraphs] = [covidQa(dataFolder()), xquad(dataFolder())]
  const whole = articles.documents.map(({ pages }) => pages[0]?.text ?? '')
  const texts = paragraphs.documents.map(({ pages }) => pages[0]?.text ?? '')
  const perDocument = Math.ceil(texts.length / (documentsWanted - whole.length))
  const joined = texts
    .filter((_, at) => at % perDocument === 0)
    .map((_, at) => texts.slice(at * perDocument, (at + 1) * perDocument).join('\n\n'))
  await mkdir(folder)
  for (const [at, text] of [...whole, ...joined].entries()) await writeFile(join(folder, `document-${at}.txt`), text)
  return [...articles.questions, ...paragraphs.questions].map(({ question }) => question)
}

function everyNth(questions: readonly string[], count: number): readonly string[] {
  const step = Math.floor(questions.length / count)
  return questions.filter((_, at) => at % step === 0).slice(0, count)
}

async function measure(builds: readonly string[], libraries: readonly string[], questions: readonly string[]) {
  const times = builds.map((): number[] => [])
  const nothing: number[] = []
  for (const question of questions) {
    for (const [at, build] of builds.entries()) {
      const words = [
        quaeroOf(build),
        'ask',
        question,
        '-m',
        'extractive',
        '--json',
        '-q',
        '--data-dir',
        libraries[at] ?? '',
      ]
      times[at]?.push(await timed(words))
    }
    nothing.push(await timed(['-e', '0']))
  }
  times.forEach((each, at) => {
    print(at === 0 ? 'quaero ask' : `quaero ask, ${builds[at]}`, each)
  })
  print('node -e 0', nothing)
  builds.forEach((build, at) => {
    printOpening(build, libraries[at] ?? '')
  })
}

/** Opening the engine on the filled library and closing it, in a process that has done so before. */
function printOpening(build: string, library: string): void {
  const script = join(import.meta.dirname, 'warm-open.mjs')
  const output = execFileSync(process.execPath, [script, join(build, 'dist', 'index.js'), library], {
    encoding: 'utf8',
  })
  const times: readonly { open: number; close: number }[] = JSON.parse(output)
  const of = (what: 'open' | 'close') =>
    quantile(
      times.map((each) => each[what]),
      0.5,
    ).toFixed(1)
  console.log(`opening ${of('open')} ms, closing ${of('close')} ms (median of ${times.length})`)
}

function print(name: string, times: readonly number[]): void {
  const seconds = (share: number) => (quantile(times, share) / 1000).toFixed(2)
  console.log(`${name}: p50 ${seconds(0.5)} s, p95 ${seconds(0.95)} s, least ${seconds(0)} s (${times.length} runs)`)
}

/** Milliseconds from the start of the process to its end. */
async function timed(words: readonly string[]): Promise<number> {
  const started = performance.now()
  const [code] = await once(endingWithUs(spawn(process.execPath, words, { stdio: 'ignore' })), 'close')
  if (code !== 0) throw new Error(`node ${words.join(' ')} ended with ${code}`)
  return performance.now() - started
}
