import { Transform } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Quaero } from '../../index.ts'
import { longestBody } from '../access/guards.ts'
import { allRights } from '../access/rights.ts'
import { Turns } from '../access/slots.ts'
import { unchanged } from '../user/outward.ts'
import { RunsAtWork } from '../user/runs-at-work.ts'
import { Uploads } from '../user/uploads.ts'
import { UserDocuments } from '../user/user-documents.ts'
import { UserEngine } from '../user/user-engine.ts'
import { mcpServer } from './mcp-server.ts'

/** Serves one person, whose machine this is, on stdin and stdout. */
export function serveMcp({ quaero, version }: { readonly quaero: Quaero; readonly version: string }): {
  close(): Promise<void>
} {
  const all = { rights: allRights, hidden: new Set<string>(), library: quaero.library }
  const own = { quaero, user: { name: null }, ...all, outward: unchanged, turns: new Turns() }
  const most = Number.MAX_SAFE_INTEGER
  const engine = new UserEngine({
    ...own,
    hold: () => () => {},
    work: new RunsAtWork({ places: { perUser: most, inAll: most }, lineMs: 0 }),
    bounds: {},
    unaskedThreads: most,
    left: new AbortController().signal,
  })
  const limits = { filesPerUser: 0, bytesPerFile: 0, bytesPerUser: 0, silenceMs: 0 }
  const documents = new UserDocuments({ ...own, uploads: null, limits, queue: null, underWay: new Uploads() })
  // The SDK would close the connection.
  const refuse = (id: string | number | null) =>
    void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: tooLong })}\n`)
  const lines = process.stdin.pipe(boundedLines({ longest: longestBody, refuse }))
  const transport = new StdioServerTransport(lines, process.stdout)
  return serveStdio(() => mcpServer({ engine, documents, version }), { transport })
}

/** An invalid request of JSON-RPC. */
const tooLong = { code: -32_600, message: `A request has at most ${longestBody} bytes.` }

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
