import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { bareEnvironment, packageRoot, programFile, type Settings } from '../../../config.ts'
import { asError, DocumentUnreadable } from '../../../errors.ts'
import type { RecognisedForm } from '../../readers/common/read-options.ts'
import { overBudget, overused } from '../processes/process-watch.ts'
import { arePackagesInstalled, installCommand } from './optional-packages.ts'

/** What a program for optical character recognition found in a scan or a picture. */
export interface RecognisedText {
  readonly program: string
  readonly bytes: Uint8Array
  readonly form: RecognisedForm
}

export interface RecogniseOptions {
  readonly settings: Languages & Pick<Settings['library'], 'secondsPerFile' | 'memoryMegabytes'>
  readonly signal?: AbortSignal | undefined
}

type Languages = Pick<Settings['library'], 'scanLanguages'>

type Run = (program: string, args: readonly string[], cwd?: string) => Promise<unknown>

/** A file to recognise: `name` in `folder`. */
interface Scan {
  readonly folder: string
  readonly name: 'in.pdf' | 'in.picture'
  /** As programs are told: `eng+deu`. */
  readonly languages: string
}

/** Dots per inch at which the pages of a PDF are recognised. */
const resolution = 200

/** Each makes `out.pdf` or `out.hocr` of the file, in the folder where that is. */
const programs = {
  ocrmypdf: (run: Run, { name, languages }: Scan) =>
    run('ocrmypdf', ['--quiet', '--force-ocr', '--output-type', 'pdf', '-l', languages, name, 'out.pdf']),
  async tesseract(run: Run, { folder, name, languages }: Scan) {
    if (name !== 'in.pdf') return run('tesseract', [name, 'out', '-l', languages, 'hocr'])
    // Packed: large pages without a word would fill the disk.
    const packed = ['-tiff', '-tiffcompression', 'lzw']
    await run('pdftoppm', ['-r', String(resolution), '-gray', '-cropbox', ...packed, name, 'page'])
    const pages = (await readdir(folder)).filter((each) => each.startsWith('page')).sort()
    await writeFile(join(folder, 'pages.txt'), pages.join('\n'))
    return run('tesseract', ['pages.txt', 'out', '-l', languages, 'hocr'])
  },
  'tesseract.js': (run: Run, { folder, name, languages }: Scan) => {
    const file = programFile('library/ingestion/scans/tesseract-process')
    const loader = file.endsWith('.ts') ? ['--import', 'tsx'] : []
    return run(process.execPath, [...loader, file, join(folder, name), languages, String(resolution)], packageRoot())
  },
}

/** What recognises the text of scans, or of pictures, here; null if nothing does. */
export function scanProgram({ scanLanguages }: Languages, isPdf = true): keyof typeof programs | null {
  if (isPdf && isOnPath('ocrmypdf')) return 'ocrmypdf'
  if (isOnPath('tesseract') && (!isPdf || isOnPath('pdftoppm'))) return 'tesseract'
  return arePackagesInstalled(scanLanguages) ? 'tesseract.js' : null
}

function isOnPath(program: string): boolean {
  const { PATH = '' } = bareEnvironment()
  return PATH.split(delimiter).some((folder) =>
    ['', '.exe'].some((ending) => existsSync(join(folder, program + ending))),
  )
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
  const isPdf = Buffer.from(file.buffer, file.byteOffset, Math.min(file.length, 1024)).includes('%PDF-')
  const program = scanProgram(settings, isPdf)
  if (!program) return null
  const folder = await mkdtemp(join(tmpdir(), 'quaero-scan-'))
  const scan: Scan = { folder, name: isPdf ? 'in.pdf' : 'in.picture', languages: settings.scanLanguages.join('+') }
  try {
    await writeFile(join(folder, scan.name), file)
    await programs[program](runnerIn(folder, settings, signal), scan)
    if (program === 'ocrmypdf')
      return { program, bytes: await readFile(join(folder, 'out.pdf')), form: { kind: 'pdf' } }
    const hocr = await readFile(join(folder, 'out.hocr'))
    const unit = isPdf ? 72 / resolution : 1
    return { program, bytes: file, form: { kind: 'hocr', hocr, format: isPdf ? 'pdf' : 'picture', unit } }
  } catch (error) {
    signal?.throwIfAborted()
    throw unrecognised(program, asError(error), isPdf)
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

/** What a person can do so that scans and pictures are read. */
export function scanRemedy({ scanLanguages }: Languages): string {
  return `Install tesseract, with pdftoppm or ocrmypdf for PDFs; or, without a system program: ${installCommand(scanLanguages)}`
}

function unrecognised(program: string, cause: Error, isPdf: boolean): DocumentUnreadable {
  if (cause instanceof DocumentUnreadable) return cause
  const reason = cause.message.trim().split('\n').at(-1)
  const code = isPdf ? 'no_text_layer' : 'malformed_file'
  const what = isPdf ? 'It has no text layer' : 'It is a picture'
  return new DocumentUnreadable(code, `${what}, and ${program} did not read it (${reason})`, { cause })
}
