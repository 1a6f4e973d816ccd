/** One row of a table: what was looked at, what was found, and whether that is as it should be. */
export interface Finding {
  readonly what: string
  readonly found: string
  readonly ok: boolean
  /** What went wrong, one line each. */
  readonly details?: readonly string[]
}

export interface TortureOptions {
  readonly runs: number
  readonly seed: number
  readonly lanes: number
  readonly minutes: number
  /** How the names of the points begin; absent is all points. */
  readonly at?: string
  /** The number of the only case to run. */
  readonly only?: number
}
