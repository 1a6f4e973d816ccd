/** The message of the first Ctrl-C, unless a command sets another. */
export const stopNotice = 'Stopping where the work can be resumed; once more stops at once.'

export interface StopSignals {
  /** Aborted by the first of them. */
  readonly signal: AbortSignal
  /** The same as Ctrl-C. */
  readonly interrupt: () => void
  /** Removes the signal handlers. */
  readonly dispose: () => void
}

/** The first Ctrl-C or SIGTERM asks the command to stop where it can be resumed; the second stops it at once. */
export function listenForStop(options: { readonly onFirst: () => void; readonly onSecond: () => void }): StopSignals {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) return options.onSecond()
    options.onFirst()
    controller.abort()
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  return {
    signal: controller.signal,
    interrupt,
    dispose: () => {
      process.off('SIGINT', interrupt)
      process.off('SIGTERM', interrupt)
    },
  }
}

/** Stops the question that is being answered, and not the chat. */
export interface QuestionStop {
  /** The signal of one question: aborted by Ctrl-C, or with the chat. */
  readonly begin: () => AbortSignal
  /** The question has ended. */
  readonly end: () => void
  /** Ctrl-C: stops the question; with none at work it warns, and leaves the second time. True if it stopped a question. */
  readonly interrupt: () => boolean
}

export interface QuestionStopOptions {
  /** Of the chat. */
  readonly signal: AbortSignal
  readonly onStop: () => void
  readonly onWarn: () => void
  readonly leave: () => void
}

export function questionStop({ signal, onStop, onWarn, leave }: QuestionStopOptions): QuestionStop {
  let current: AbortController | null = null
  let isWarned = false
  return {
    begin: () => {
      isWarned = false
      current = new AbortController()
      return AbortSignal.any([signal, current.signal])
    },
    end: () => {
      current = null
    },
    interrupt: () => {
      if (current !== null && !current.signal.aborted) {
        onStop()
        current.abort()
        return true
      }
      if (isWarned) leave()
      else onWarn()
      isWarned = true
      return false
    },
  }
}
