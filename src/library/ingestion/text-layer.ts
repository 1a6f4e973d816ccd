import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bareEnvironment } from '../../config.ts'
import { asError, DocumentUnreadable } from '../../errors.ts'

/** A scan with the text that a program for optical character recognition found in it. */
export interface TextLayer {
  readonly bytes: Uint8Array
  readonly program: string
}

export interface TextLayerOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
}

type Run = (program: string, args: readonly string[]) => Promise<unknown>

/** Each makes `out.pdf` of `in.pdf`, in the folder where it runs. */
const programs: Readonly<Record<string, (run: Run, folder: string) => Promise<unknown>>> = {
  ocrmypdf: (run) => run('ocrmypdf', ['--quiet', '--force-ocr', '--output-type', 'pdf', 'in.pdf', 'out.pdf']),
  async tesseract(run, folder) {
    await run('tesseract', ['--version'])
    await run('pdftoppm', ['-r', '200', '-gray', 'in.pdf', 'page'])
    const pages = (await readdir(folder)).filter((name) => name.startsWith('page')).sort()
    await writeFile(join(folder, 'pages.txt'), pages.join('\n'))
    await run('tesseract', ['pages.txt', 'out', 'pdf'])
  },
}

/**
 * Reads a scan with the first of `ocrmypdf` and `tesseract` (with `pdftoppm`) that is installed; null without any.
 * Throws `DocumentUnreadable` (`no_text_layer`) if that fails, and the signal's reason.
 */
export async function recogniseText(
  scan: Uint8Array,
  { signal, timeoutMs }: TextLayerOptions,
): Promise<TextLayer | null> {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-scan-'))
  const env = { ...bareEnvironment(), TMPDIR: folder }
  const limits = { cwd: folder, env, timeout: timeoutMs, killSignal: 'SIGKILL', ...(signal && { signal }) } as const
  const run: Run = (program, args) => promisify(execFile)(program, args, limits)
  try {
    await writeFile(join(folder, 'in.pdf'), scan)
    for (const [program, recognise] of Object.entries(programs)) {
      const failure = await recognise(run, folder).then(() => null, asError)
      signal?.throwIfAborted()
      if (!failure) return { bytes: await readFile(join(folder, 'out.pdf')), program }
      if (!isMissing(failure)) throw unrecognised(program, failure)
    }
    return null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function isMissing(failure: Error): boolean {
  return 'code' in failure && failure.code === 'ENOENT'
}

function unrecognised(program: string, cause: Error): DocumentUnreadable {
  const reason = cause.message.trim().split('\n').at(-1)
  return new DocumentUnreadable('no_text_layer', `It has no text layer, and ${program} did not read it (${reason})`, {
    cause,
  })
}
