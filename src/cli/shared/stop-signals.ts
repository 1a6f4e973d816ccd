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
