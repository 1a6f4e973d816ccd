import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Quaero } from '../../index.ts'
import { longestBody } from '../access/guards.ts'
import { Attempts } from '../user/attempts.ts'
import { unchanged } from '../user/outward.ts'
import { Turns } from '../user/turns.ts'
import { Uploads } from '../user/uploads.ts'
import { UserDocuments } from '../user/user-documents.ts'
import { UserEngine } from '../user/user-engine.ts'
import { boundedLines } from './bounded-lines.ts'
import { mcpServer } from './mcp-server.ts'

/** Serves one person, whose machine this is, on stdin and stdout. */
export function serveMcp({ quaero, version }: { readonly quaero: Quaero; readonly version: string }): {
  close(): Promise<void>
} {
  const own = { quaero, user: { name: null }, outward: unchanged, turns: new Turns() }
  const unbounded = { isQueued: false, bounds: {}, unaskedThreads: Number.MAX_SAFE_INTEGER, take: async () => () => {} }
  const engine = new UserEngine({
    ...own,
    ...unbounded,
    observe: () => {},
    attempts: new Attempts(),
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
