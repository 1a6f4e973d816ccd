/**
 * Adds one file with a build and asks about it, and prints as JSON for how long the event loop was blocked at most, by
 * the clock and by the processor time of this thread (which other processes do not change), and the peak memory of this
 * process. Arguments: the build's folder, the data folder, what to do (add, search, ask, text), and
 * the file.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [build, dataDir, action, file] = process.argv.slice(2)
const { createQuaero } = await import(join(build, 'dist', 'index.js'))
const quaero = await createQuaero({ dataDir })
const question = 'How deep is pond number seven hundred?'
const actions = {
  async add() {
    const { documents } = await quaero.library.add([file])
    const [{ status, passages, error }] = documents
    return `${status}, ${passages} passages${error ? `: ${error.message.slice(0, 60)}` : ''}`
  },
  search: async () => `${(await quaero.library.search(question)).length} hits`,
  async ask() {
    const { status, citations } = await quaero.ask(question)
    return `${status}, ${citations.length} citations`
  },
  async text() {
    const [{ documentId }] = await quaero.library.list()
    return `${(await quaero.library.text(documentId, 1)).text.length} characters`
  },
}

let longestGapMs = 0
let longestWorkMs = 0
let last = { at: performance.now(), workedMs: workedMs() }
const beat = () => {
  const now = { at: performance.now(), workedMs: workedMs() }
  longestGapMs = Math.max(longestGapMs, now.at - last.at)
  longestWorkMs = Math.max(longestWorkMs, now.workedMs - last.workedMs)
  last = now
}
const beating = setInterval(beat, 1)
const started = performance.now()
const result = await actions[action]().catch((error) => `failed: ${String(error).slice(0, 80)}`)
beat()
clearInterval(beating)
const seconds = (performance.now() - started) / 1000
await quaero.close()
console.log(JSON.stringify({ longestGapMs, longestWorkMs, seconds, megabytes: peakMegabytes(), result }))

/** Processor time of this thread so far; NaN where there is no Linux to say. */
function workedMs() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
  } catch {
    return Number.NaN
  }
}

/** As Linux counts it, which misses no peak; elsewhere the same by the operating system's own account. */
function peakMegabytes() {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
  } catch {
    return process.resourceUsage().maxRSS / 1024
  }
}
