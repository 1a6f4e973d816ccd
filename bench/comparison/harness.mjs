/** What all comparisons share: an endpoint and programs over one library, and their turns. Plain JavaScript, so that no TypeScript loader is measured. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const papers = new URL('../../examples/papers', import.meta.url).pathname

/** Starts what `bench/endpoint.mjs` plays; its address, and what ends it. */
export async function startEndpoint(story = {}) {
  const child = fork(new URL('../endpoint.mjs', import.meta.url), [JSON.stringify(story)])
  const [url] = await once(child, 'message')
  return { url, close: () => child.disconnect() }
}

/** Works in a folder that is removed afterwards, with an endpoint that tells its story. */
export async function comparing(story, work) {
  const folder = mkdtempSync(join(tmpdir(), 'quaero-comparison-'))
  const { url, close } = await startEndpoint(story)
  try {
    await work({ folder, url })
  } finally {
    close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A story in which the first search is the only one. */
export const oneSearch = { rounds: [[[null, { query: 'checkpoint growth over the turns of a conversation' }]]] }

/**
 * Opens the programs over a new library of the sample papers. All search with the same function and ask the same endpoint,
 * each below a path of its own, so that the endpoint can tell their calls apart. `passages`: how many a search returns;
 * `env`: all that Quaero has as its environment.
 */
export async function openSides(chosen, { folder, url, passages = 5, env }) {
  const opened = []
  let library
  const search = async (query) => (await library.search(query, { limit: passages })).map(({ text }) => text)
  for (const { name, label, database, module } of chosen) {
    const { open } = await import(module)
    const own = await open({ folder, url: `${url}/${name}/v1`, search, settings: { search: { passages } }, env })
    if (own.library) {
      library = own.library
      await library.add([papers])
    }
    opened.push({ ...own, name, label, database })
  }
  return opened
}

/** One turn of a program: milliseconds by the clock and of the processor, and bytes sent to the model. Throws if it made other calls. */
export async function measureTurn(url, side, thread, turn, modelCalls) {
  const before = (await callsAt(url))[side.name] ?? { calls: 0, bytes: 0 }
  const began = performance.now()
  const beganCpu = process.cpuUsage()
  await side.turn(thread, questionOf(turn))
  const { user, system } = process.cpuUsage(beganCpu)
  const wall = performance.now() - began
  const { calls, bytes } = (await callsAt(url))[side.name]
  const made = calls - before.calls
  if (made !== modelCalls) throw new Error(`${side.label} made ${made} model calls in turn ${turn}`)
  return { wall, cpu: (user + system) / 1000, prompt: bytes - before.bytes }
}

export function questionOf(turn) {
  return `How does the store grow until turn ${100 * turn}?`
}

/** Calls and bytes that the endpoint has had from each program. */
export async function callsAt(url) {
  return await (await fetch(`${url}/calls`)).json()
}

export function median(values) {
  return quantile(values, 0.5)
}

export function quantile(values, share) {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(share * (sorted.length - 1))]
}
