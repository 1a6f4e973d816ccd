// The package carries no types; this names what is used of it.
declare module 'cli-progress' {
  interface BarOptions {
    readonly stream?: NodeJS.WritableStream
    readonly format?: string
    readonly clearOnComplete?: boolean
    readonly hideCursor?: boolean
    readonly linewrap?: boolean
    readonly barsize?: number
    /** Seconds, or `NULL` or `INF` while they cannot be told. */
    readonly formatTime?: (seconds: number | string) => string
    /** From how many of the last updates the time left is reckoned. */
    readonly etaBuffer?: number
  }
  export class SingleBar {
    constructor(options: BarOptions)
    start(total: number, value: number, payload: Readonly<Record<string, string>>): void
    setTotal(total: number): void
    update(value: number, payload: Readonly<Record<string, string>>): void
    stop(): void
  }
}
