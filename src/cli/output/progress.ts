import { plainLine } from './plain-text.ts'
import { shorten } from './table.ts'
import { type Output, tell } from './terminal.ts'

/** What a person sees on stderr while a command works. */
export interface Progress {
  /** The current work; on a terminal it replaces the text before. */
  readonly show: (text: string) => void
  /** A line that stays. */
  readonly keep: (text: string) => void
  /** Clears the line for other output; the next `show` starts again. */
  readonly stop: () => void
}

/** A counter of files, on stderr. */
export interface FileProgress {
  readonly update: (file: { readonly done: number; readonly total: number; readonly path: string }) => void
  readonly stop: () => void
}

const nothing = () => {}

/** A spinner on a terminal, plain lines elsewhere, nothing if quiet. */
export async function startProgress(output: Output, quiet = false): Promise<Progress> {
  if (quiet) return { show: nothing, keep: nothing, stop: nothing }
  const print = (text: string) => tell(output, text)
  if (!output.stderrIsTerminal) return { show: print, keep: print, stop: nothing }
  const { default: ora } = await import('ora')
  // stdin stays untouched: the chat reads lines from it.
  const spinner = ora({ stream: output.stderr, color: output.colors ? 'cyan' : false, discardStdin: false })
  // stdout may be a pipe, which has no width, while a person watches stderr.
  const width = Math.max(60, Math.min(output.width, 80)) - 4
  return {
    show: (text) => {
      spinner.text = shorten(text, width, output.hide)
      if (!spinner.isSpinning) spinner.start()
    },
    keep: (text) => {
      spinner.stop()
      print(text)
    },
    stop: () => void spinner.stop(),
  }
}

/** For fewer files, an estimate of the time left is only a guess. */
const manyFiles = 10
const lineEveryMs = 5000

/** Counts files: "3/9 paper.pdf". In a pipe, a long list prints its first line, its last, and one now and then. */
export async function startFileProgress(output: Output, quiet = false): Promise<FileProgress> {
  const { show, stop } = await startProgress(output, quiet)
  const pauseMs = output.stderrIsTerminal ? 0 : lineEveryMs
  const startedAt = Date.now()
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    update: ({ done, total, path }) => {
      const now = Date.now()
      const isLong = total >= manyFiles
      if (isLong && done < total && now - shownAt < pauseMs) return
      shownAt = now
      const secondsLeft = Math.round(((now - startedAt) / 1000 / done) * (total - done))
      show(`${done}/${total} ${isLong ? timeLeft(secondsLeft) : ''}${plainLine(path)}`)
    },
    stop,
  }
}

/** "about 3 min left, "; empty for less than a second. */
function timeLeft(seconds: number): string {
  if (!(seconds >= 1)) return ''
  if (seconds < 90) return `about ${seconds} s left, `
  if (seconds < 5400) return `about ${Math.round(seconds / 60)} min left, `
  return `about ${Math.round(seconds / 3600)} h left, `
}
