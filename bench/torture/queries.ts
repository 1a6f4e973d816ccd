import { join } from 'node:path'
import { createQuaero, loadConfig, type Quaero } from '../../src/index.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts'
import { anyTexts, putDocuments } from '../../tests/fixtures/any-texts.ts'
import { quantile } from '../processes.ts'
import type { Finding, TortureOptions } from './finding.ts'
import { tidy, workshop } from './processes.ts'

/** One text of so many is asked as a question, too, which takes a hundred times as long as a search. */
const askedOf = 20

/** Searches the library for `runs` texts of any kind, and asks some of them: each finds something or nothing. */
export async function queryFindings({ runs }: Pick<TortureOptions, 'runs'>): Promise<readonly Finding[]> {
  const { place } = await workshop()
  const dataDir = join(place, 'queries')
  const storage = await openSqliteStorage({ path: join(dataDir, 'quaero.db') })
  await putDocuments(storage.library)
  await storage.close()
  const quaero = await createQuaero({ config: loadConfig({ env: {} }), dataDir, model: 'extractive' })
  try {
    const searched = { ms: [] as number[], failed: [] as string[] }
    const asked = { ms: [] as number[], failed: [] as string[] }
    let at = 0
    for (const text of anyTexts(runs)) {
      await timed(searched, text, () => quaero.library.search(text))
      if (at % askedOf === 0) await timed(asked, text, () => answered(quaero, text))
      at += 1
    }
    return [findingOf('texts that were searched for', searched), findingOf('texts that were asked', asked)]
  } finally {
    await quaero.close()
    await tidy(place)
  }
}

interface Tried {
  readonly ms: number[]
  readonly failed: string[]
}

/** A text without a letter or a digit may be refused as no question. */
async function timed({ ms, failed }: Tried, text: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  try {
    await work()
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && error.code === 'usage'
    if (!isRefused || /[\p{L}\p{N}]/u.test(text)) failed.push(`${JSON.stringify(text.slice(0, 200))}: ${error}`)
  }
  ms.push(performance.now() - began)
}

async function answered(quaero: Quaero, text: string): Promise<void> {
  const { status, error } = await quaero.ask(text)
  if (status !== 'completed' && status !== 'clarification_needed') throw new Error(`${status}: ${error?.message}`)
}

function findingOf(what: string, { ms, failed }: Tried): Finding {
  const found = `${ms.length}, of which ${failed.length} failed; p99 ${Math.round(quantile(ms, 0.99))} ms`
  return { what, found, ok: ms.length > 0 && failed.length === 0, details: failed.slice(0, 20) }
}
