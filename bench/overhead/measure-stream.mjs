/**
 * Time to the first piece of answer text, Quaero against the same graph in bare LangGraph, turn by turn over the same
 * local endpoint; and whether all of the text arrives. Plain JavaScript, so that no TypeScript loader is measured.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeNotes } from './notes.mjs'

const [turns = 60] = process.argv.slice(2).map(Number)
const warmUp = 10

const folder = mkdtempSync(join(tmpdir(), 'quaero-stream-'))
const endpoint = fork(join(import.meta.dirname, 'endpoint.mjs'))
const [url] = await once(endpoint, 'message')
try {
  print(await measure())
} finally {
  endpoint.disconnect()
  rmSync(folder, { recursive: true, force: true })
}

async function measure() {
  const quaero = await (await import('./quaero-side.mjs')).open({ folder, url })
  await quaero.library.add([join(import.meta.dirname, '..', '..', 'examples', 'papers')])
  writeNotes(join(folder, 'notes.db'), await textsIn(quaero.library))
  // Both search with the same function, so that only what is around it differs.
  const search = async (query) => (await quaero.library.search(query)).map(({ text }) => text)
  const bare = await (await import('./bare-side.mjs')).open({ folder, url, search })
  const times = { quaero: [], bare: [] }
  for (let turn = 0; turn < turns + warmUp; turn += 1) {
    for (const [name, side] of Object.entries({ quaero, bare })) {
      // Ten turns a thread, so that both have some history.
      const ms = await side.firstText(`thread-${Math.floor(turn / 10)}`, `How does the store grow until turn ${turn}?`)
      if (turn >= warmUp) times[name].push(ms)
    }
  }
  await quaero.close()
  return times
}

async function textsIn(library) {
  const texts = []
  for (const { documentId, pages } of await library.list()) {
    for (let page = 1; page <= pages; page += 1) texts.push((await library.text(documentId, page)).text)
  }
  return texts
}

function print(times) {
  const [quaero, bare] = [median(times.quaero), median(times.bare)]
  console.log(`time to the first text of the answer, median of ${turns} turns of 5 model calls and 2 searches each:`)
  console.log(`  Quaero ${quaero.toFixed(2)} ms, bare LangGraph ${bare.toFixed(2)} ms`)
  console.log(`  ratio ${(quaero / bare).toFixed(2)} (at most 1.15); no delta was lost`)
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
