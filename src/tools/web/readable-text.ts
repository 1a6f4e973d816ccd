import { type ChildProcess, fork } from 'node:child_process'
import { programFile } from '../../config.ts'
import { ToolFailed } from '../../errors.ts'
import type { ReadableText } from './readable-text-process.ts'

/** An HTML page, and where it stands. */
export interface PageToRead {
  readonly html: string
  readonly url: string
}

/**
 * The readable part of an HTML page. A page can be written so that reading it takes minutes or gigabytes; the work is
 * therefore done in a process that is killed after `timeoutMs`, or when `signal` is aborted, and that fails at 512 MB.
 * Throws `ToolFailed`, or the signal's reason.
 */
export async function readableText(
  page: PageToRead,
  { signal, timeoutMs = 20_000 }: { readonly signal: AbortSignal; readonly timeoutMs?: number },
): Promise<ReadableText> {
  signal.throwIfAborted()
  const file = programFile('tools/web/readable-text-process')
  // The process gets nothing but the page: no environment, no output.
  const child = fork(file, {
    execArgv: ['--max-old-space-size=512', ...(file.endsWith('.ts') ? ['--import', 'tsx'] : [])],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  const stop = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await answerOf(child, page)
  } catch {
    signal.throwIfAborted()
    throw new ToolFailed(`The page on ${new URL(page.url).host} could not be read as HTML.`)
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

function answerOf(child: ChildProcess, page: PageToRead): Promise<ReadableText> {
  return new Promise((resolve, reject) => {
    // Only `readable-text-process.ts` writes to this channel.
    child.once('message', (message) => resolve(message as ReadableText))
    child.once('error', reject)
    child.once('exit', () => reject(new Error('The process ended without an answer')))
    child.send(page, (error) => error && reject(error))
  })
}
