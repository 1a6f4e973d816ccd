import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Quaero } from '../../index.ts'
import { Attempts } from '../user/attempts.ts'
import { Turns } from '../user/turns.ts'
import { UserDocuments } from '../user/user-documents.ts'
import { UserEngine } from '../user/user-engine.ts'
import { mcpServer } from './mcp-server.ts'

/** Serves one person, whose machine this is, on stdin and stdout. */
export function serveMcp({ quaero, version }: { readonly quaero: Quaero; readonly version: string }): {
  close(): Promise<void>
} {
  const own = { quaero, user: { name: null }, outward: <T>(value: T) => value, turns: new Turns() }
  const unbounded = { bounds: {}, unaskedThreads: Number.MAX_SAFE_INTEGER, take: () => () => {} }
  const engine = new UserEngine({ ...own, ...unbounded, observe: () => {}, attempts: new Attempts() })
  const limits = { filesPerUser: 0, bytesPerFile: 0, bytesPerUser: 0, silenceMs: 0 }
  const documents = new UserDocuments({ ...own, uploads: null, limits, queue: null })
  return serveStdio(() => mcpServer({ engine, documents, version }))
}
