import { Transform } from 'node:stream'

export interface BoundedLinesOptions {
  /** Bytes; a longer line is left out. */
  readonly longest: number
  /** Told of each line that was left out, with the id of its request; null where that cannot be found. */
  readonly refuse: (id: string | number | null) => void
}

/** Passes lines on as they are completed, and keeps no more of one than the longest has. */
export function boundedLines({ longest, refuse }: BoundedLinesOptions): Transform {
  let held: Buffer[] = []
  let size = 0
  /** How a line ends of which the rest was dropped. */
  let tail = ''
  const take = (piece: Buffer) => {
    if (piece.length === 0) return
    size += piece.length
    if (size <= longest || held.length === 0) held.push(piece)
    if (size > longest) tail = (tail + piece.subarray(-tailBytes).toString()).slice(-tailBytes)
  }
  const end = (): Buffer => {
    const line = size <= longest ? Buffer.concat([...held, newline]) : Buffer.alloc(0)
    if (size > longest) refuse(idOf(Buffer.concat(held).subarray(0, headBytes).toString(), tail))
    held = []
    size = 0
    tail = ''
    return line
  }
  return new Transform({
    transform(chunk: Buffer, _, done) {
      let from = 0
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        take(chunk.subarray(from, at))
        this.push(end())
        from = at + 1
      }
      take(chunk.subarray(from))
      done()
    },
    flush(done) {
      if (size > 0) this.push(end())
      done()
    },
  })
}

const newline = Buffer.from('\n')
const headBytes = 4096
const tailBytes = 300

/** Clients write the id before the parameters, or behind them. */
function idOf(head: string, tail: string): string | number | null {
  const before = head.split('"params"', 1)[0] ?? ''
  const found =
    /"id"\s*:\s*("[^"\\]{1,100}"|\d{1,15})/.exec(before) ??
    /"id"\s*:\s*("[^"\\]{1,100}"|\d{1,15})[^{}[\]]{0,40}\}\s*$/.exec(tail)
  return found?.[1] === undefined ? null : JSON.parse(found[1])
}
