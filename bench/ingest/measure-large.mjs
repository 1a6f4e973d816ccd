/**
 * Adds one file with a build and asks about it, and prints as JSON how long the event loop stood still at most, and the
 * peak memory of this process. Arguments: the build's folder, the data folder, what to do (add, search, ask, text), and
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
let last = performance.now()
const beat = () => {
  const now = performance.now()
  longestGapMs = Math.max(longestGapMs, now - last)
  last = now
}
const beating = setInterval(beat, 1)
const started = performance.now()
const result = await actions[action]().catch((error) => `failed: ${String(error).slice(0, 80)}`)
beat()
clearInterval(beating)
const seconds = (performance.now() - started) / 1000
await quaero.close()
console.log(JSON.stringify({ longestGapMs, seconds, megabytes: peakMegabytes(), result }))

/** As Linux counts it, which misses no peak; elsewhere the same by the operating system's own account. */
function peakMegabytes() {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
  } catch {
    return process.resourceUsage().maxRSS / 1024
  }
}
