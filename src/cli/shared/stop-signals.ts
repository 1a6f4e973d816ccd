/** What the first Ctrl-C says, unless a command knows better. */
export const workStops = 'Stopping where the work can go on later; once more stops at once.'

/** What Ctrl-C and SIGTERM do while a command runs. */
export interface StopSignals {
  /** Aborted by the first of them. */
  readonly signal: AbortSignal
  /** Does what Ctrl-C does. */
  readonly interrupt: () => void
  /** Gives the signals back to Node. */
  readonly dispose: () => void
}

/** The first Ctrl-C or SIGTERM asks the command to stop at a point from which it can go on; the second stops it. */
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
