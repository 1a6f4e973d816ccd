import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bareEnvironment, packageRoot, programFile, type Settings } from '../../../config.ts'
import { asError, DocumentUnreadable } from '../../../errors.ts'
import type { RecognisedForm } from '../../readers/common/read-options.ts'
import { overused } from '../processes/process-watch.ts'
import { installCommand, missingPackages } from './optional-packages.ts'

/** What a program for optical character recognition found in a scan or a picture. */
export interface RecognisedText {
  readonly program: string
  readonly bytes: Uint8Array
  readonly form: RecognisedForm
}

export interface RecogniseOptions {
  readonly settings: Pick<Settings['library'], 'secondsPerFile' | 'memoryMegabytes' | 'scanLanguages'>
  readonly signal?: AbortSignal | undefined
}

type Run = (program: string, args: readonly string[], cwd?: string) => Promise<unknown>

/** A file to recognise: `name` in `folder`. */
interface Scan {
  readonly folder: string
  readonly name: 'in.pdf' | 'in.picture'
  /** As programs are told: `eng+deu`. */
  readonly languages: string
}

/** As of a program that is not there. */
const notInstalled = () => Object.assign(new Error('not installed'), { code: 'ENOENT' })

/** Dots per inch at which the pages of a PDF are recognised. */
const resolution = 200

/** Each makes `out.pdf` or `out.hocr` of the file, in the folder where that is. */
const programs: Readonly<Record<string, (run: Run, scan: Scan) => Promise<unknown>>> = {
  async ocrmypdf(run, { name, languages }) {
    if (name !== 'in.pdf') throw notInstalled()
    await run('ocrmypdf', ['--quiet', '--force-ocr', '--output-type', 'pdf', '-l', languages, name, 'out.pdf'])
  },
  async tesseract(run, { folder, name, languages }) {
    await run('tesseract', ['--version'])
    if (name !== 'in.pdf') return run('tesseract', [name, 'out', '-l', languages, 'hocr'])
    await run('pdftoppm', ['-r', String(resolution), '-gray', name, 'page'])
    const pages = (await readdir(folder)).filter((each) => each.startsWith('page')).sort()
    await writeFile(join(folder, 'pages.txt'), pages.join('\n'))
    return run('tesseract', ['pages.txt', 'out', '-l', languages, 'hocr'])
  },
  async 'tesseract.js'(run, { folder, name, languages }) {
    if (missingPackages(languages.split('+')).length > 0) throw notInstalled()
    const file = programFile('library/ingestion/scans/tesseract-process')
    const loader = file.endsWith('.ts') ? ['--import', 'tsx'] : []
    await run(process.execPath, [...loader, file, join(folder, name), languages, String(resolution)], packageRoot())
  },
}

/** How many times longer than reading a page it may take to recognise its text. */
const timesSlower = 10

/**
 * Recognises the text of a scan or a picture with the first of `ocrmypdf` (of PDFs), `tesseract` (of PDFs with `pdftoppm`) and
 * `tesseract.js` that is installed; null without any. Throws `DocumentUnreadable` (`no_text_layer`, `over_budget`) if that
 * fails, and the signal's reason.
 */
export async function recogniseText(
  file: Uint8Array,
  { settings, signal }: RecogniseOptions,
): Promise<RecognisedText | null> {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-scan-'))
  const isPdf = Buffer.from(file.buffer, file.byteOffset, Math.min(file.length, 1024)).includes('%PDF-')
  const scan: Scan = { folder, name: isPdf ? 'in.pdf' : 'in.picture', languages: settings.scanLanguages.join('+') }
  try {
    await writeFile(join(folder, scan.name), file)
    const run = runnerIn(folder, settings, signal)
    for (const [program, recognise] of Object.entries(programs)) {
      const failure = await recognise(run, scan).then(() => null, asError)
      signal?.throwIfAborted()
      if (!failure) return await foundIn(folder, program, isPdf)
      if (!isMissing(failure)) throw unrecognised(program, failure, isPdf)
    }
    return null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs programs without keys, for a bounded time, in bounded memory: pictures come from strangers. */
function runnerIn(folder: string, settings: RecogniseOptions['settings'], signal: AbortSignal | undefined): Run {
  // Several threads of one page mostly wait for each other.
  const env = { ...bareEnvironment(), TMPDIR: folder, OMP_THREAD_LIMIT: '1' }
  const seconds = settings.secondsPerFile * timesSlower
  const limits = { env, timeout: 1000 * seconds, killSignal: 'SIGKILL', ...(signal && { signal }) } as const
  return async (program, args, cwd = folder) => {
    const running = promisify(execFile)(program, args, { ...limits, cwd })
    const over = new AbortController()
    const allowed = { megabytes: settings.memoryMegabytes, workedMs: Number.POSITIVE_INFINITY }
    const excess = overused(running.child.pid, allowed, over.signal).then(() => {
      running.child.kill('SIGKILL')
      throw overBudget(`It needs more than ${allowed.megabytes} MB of memory to recognise`, 'memoryMegabytes')
    })
    try {
      return await Promise.race([running, excess])
    } catch (error) {
      if (!running.child.killed || error instanceof DocumentUnreadable) throw error
      throw overBudget(`It took longer than ${seconds} s to recognise`, 'secondsPerFile')
    } finally {
      over.abort()
      await Promise.allSettled([running, excess])
    }
  }
}

async function foundIn(folder: string, program: string, isPdf: boolean): Promise<RecognisedText> {
  if (program === 'ocrmypdf') return { program, bytes: await readFile(join(folder, 'out.pdf')), form: { kind: 'pdf' } }
  const form: RecognisedForm = isPdf
    ? { kind: 'hocr', format: 'pdf', unit: 72 / resolution }
    : { kind: 'hocr', format: 'picture', unit: 1 }
  return { program, bytes: await readFile(join(folder, 'out.hocr')), form }
}

/** What a person can do so that scans and pictures are read. */
export function scanRemedy({ scanLanguages }: Pick<Settings['library'], 'scanLanguages'>): string {
  return `Install tesseract, with pdftoppm or ocrmypdf for PDFs; or, without a system program: ${installCommand(scanLanguages)}`
}

/** What recognises the text of scans and pictures here; null if nothing does. */
export async function scanProgram({
  scanLanguages,
}: Pick<Settings['library'], 'scanLanguages'>): Promise<string | null> {
  for (const name of ['ocrmypdf', 'tesseract']) {
    const version = promisify(execFile)(name, ['--version'], { env: bareEnvironment() })
    if (await version.then(Boolean, () => false)) return name
  }
  return missingPackages(scanLanguages).length === 0 ? 'tesseract.js' : null
}

function isMissing(failure: Error): boolean {
  return 'code' in failure && failure.code === 'ENOENT'
}

function unrecognised(program: string, cause: Error, isPdf: boolean): DocumentUnreadable {
  if (cause instanceof DocumentUnreadable) return cause
  const reason = cause.message.trim().split('\n').at(-1)
  const code = isPdf ? 'no_text_layer' : 'malformed_file'
  const what = isPdf ? 'It has no text layer' : 'It is a picture'
  return new DocumentUnreadable(code, `${what}, and ${program} did not read it (${reason})`, { cause })
}

function overBudget(what: string, setting: string): DocumentUnreadable {
  return new DocumentUnreadable('over_budget', `${what}. Split it, or raise library.${setting}`)
}
