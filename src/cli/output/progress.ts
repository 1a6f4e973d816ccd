import { plainLine } from './plain-text.ts'
import { shorten } from './table.ts'
import { type Output, tell } from './terminal.ts'

/** What a person sees on stderr while a command works. */
export interface Progress {
  /** What is being done now; on a terminal it takes the place of what was said before. */
  readonly show: (text: string) => void
  /** A line that stays. */
  readonly keep: (text: string) => void
  /** Clears the way for other output; the next `show` begins anew. */
  readonly stop: () => void
}

/** A counter of files, on stderr. */
export interface FileProgress {
  readonly update: (file: { readonly done: number; readonly total: number; readonly path: string }) => void
  readonly stop: () => void
}

/** A spinner on a terminal, plain lines elsewhere, nothing if quiet. */
export async function startProgress(output: Output, quiet = false): Promise<Progress> {
  if (quiet) return silence
  return output.stderrIsTerminal ? spinner(output) : plainLines(output)
}

/** A bar on a terminal, elsewhere lines ("3/9 paper.pdf"), nothing if quiet. */
export async function startFileProgress(output: Output, quiet = false): Promise<FileProgress> {
  if (quiet) return { update: nothing, stop: nothing }
  return output.stderrIsTerminal ? bar(output) : counter(output)
}

/** A counter that stays silent, while a person may be typing, until it is shown. */
export interface LateProgress extends FileProgress {
  readonly show: () => Promise<void>
}

/** Counts from the start, and shows how far it has come once somebody waits for it. */
export function lateFileProgress(output: Output, quiet = false): LateProgress {
  let shown: FileProgress | null = null
  let latest: Parameters<FileProgress['update']>[0] | null = null
  let isOver = false
  return {
    update: (file) => {
      latest = file
      shown?.update(file)
    },
    stop: () => {
      isOver = true
      shown?.stop()
    },
    show: async () => {
      if (shown || isOver) return
      shown = await startFileProgress(output, quiet)
      if (isOver) shown.stop()
      else if (latest) shown.update(latest)
    },
  }
}

const sayEveryMs = 5000

/** Of many files only the first, the last, and one now and then, with the time that is left. */
function counter(output: Output): FileProgress {
  const startedAt = Date.now()
  let saidAt = Number.NEGATIVE_INFINITY
  return {
    update: ({ done, total, path }) => {
      const now = Date.now()
      const isDue = total < manyFiles || done === total || now - saidAt >= sayEveryMs
      if (!isDue) return
      saidAt = now
      const secondsLeft = Math.round(((now - startedAt) / 1000 / done) * (total - done))
      tell(output, `${done}/${total} ${total < manyFiles ? '' : timeLeft(secondsLeft)}${plainLine(path)}`)
    },
    stop: nothing,
  }
}

const nothing = () => {}
const silence: Progress = { show: nothing, keep: nothing, stop: nothing }

function plainLines(output: Output): Progress {
  return { show: (text) => tell(output, text), keep: (text) => tell(output, text), stop: nothing }
}

async function spinner(output: Output): Promise<Progress> {
  const { default: ora } = await import('ora')
  // stdin stays untouched: the chat reads lines from it.
  const spinning = ora({ stream: output.stderr, color: output.colors ? 'cyan' : false, discardStdin: false })
  return {
    show: (text) => {
      spinning.text = shorten(text, progressWidth(output) - 4, output.hide)
      if (!spinning.isSpinning) spinning.start()
    },
    keep: (text) => {
      spinning.stop()
      tell(output, text)
    },
    stop: () => void spinning.stop(),
  }
}

// stdout may be a pipe, which has no width, while a person watches stderr.
function progressWidth({ width }: Output): number {
  return Math.max(60, Math.min(width, 80))
}

/** For fewer files, the time left is no more than a guess. */
const manyFiles = 10

/** "about 3 min left, "; nothing while it cannot be told, which the bar calls `NULL` or `INF`. */
function timeLeft(seconds: number | string): string {
  if (typeof seconds !== 'number' || seconds < 1) return ''
  if (seconds < 90) return `about ${seconds} s left, `
  return seconds < 5400
    ? `about ${Math.round(seconds / 60)} min left, `
    : `about ${Math.round(seconds / 3600)} h left, `
}

async function bar(output: Output): Promise<FileProgress> {
  const { SingleBar } = await import('cli-progress')
  const drawn = new SingleBar({
    stream: output.stderr,
    format: '{bar} {value}/{total} {eta_formatted}{file}',
    formatTime: (seconds) => (isLong ? timeLeft(seconds) : ''),
    etaBuffer: 20,
    clearOnComplete: true,
    hideCursor: true,
    linewrap: false,
    barsize: 20,
  })
  let started = false
  let isLong = false
  return {
    update: ({ done, total, path }) => {
      isLong = total >= manyFiles
      const file = shorten(path, progressWidth(output) - (isLong ? 58 : 40), output.hide)
      if (started) drawn.setTotal(total)
      else drawn.start(total, done, { file })
      started = true
      drawn.update(done, { file })
    },
    stop: () => drawn.stop(),
  }
}
