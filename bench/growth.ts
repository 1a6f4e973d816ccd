import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { preparePeers } from './peers.ts'

/**
 * What a turn costs as its thread grows, beside bare LangGraph, LangChain's `createAgent`, the AI SDK, OpenAI Agents,
 * Mastra, and the least possible. Arguments: `--turns 1000 --seconds 60 --passages 5 --only quaero,raw --install`.
 */
export async function run(args: readonly string[]): Promise<void> {
  const own = preparePeers(args)
  if (own === null) return
  // A process of its own, and plain JavaScript: neither a TypeScript loader nor what it loaded is measured.
  execFileSync(process.execPath, [join(import.meta.dirname, 'growth', 'measure.mjs'), ...own], { stdio: 'inherit' })
}
