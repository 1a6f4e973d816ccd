/**
 * Works as a busy installation does, until it is killed or has done its turns: asks on many threads, adds and removes
 * files, exports. Runs the built package. Tells of each turn, and at times of what it takes.
 * `{ folder, files, from, turns, threads, seed }`
 */
import { readdirSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createQuaero, loadConfig } from '../../../dist/index.js'

const { folder, files, from, turns, threads } = JSON.parse(process.argv[2])
const [sampleEvery, addEvery, exportEvery] = [25, 20, 15]
const questions = [
  'How many pages does the Marble corpus hold?',
  'When was the Marble corpus released?',
  'How many pages did the Halden filter remove?',
  'What does note {n} say of the harbour?',
]

await mkdir(files, { recursive: true })
const quaero = await createQuaero({ config: loadConfig({ env: {} }), dataDir: folder, model: 'extractive' })
for (const { runId, status } of await quaero.runs.list()) {
  if (status === 'interrupted' || status === 'running' || status === 'queued') await quaero.resume(runId)
}
const added = []
for (let turn = from; turn < turns; turn += 1) {
  const before = process.cpuUsage()
  // Neighbouring turns are on different threads.
  const threadId = `thread-${(turn * 7919) % threads}`
  const { status } = await quaero.ask(questions[turn % questions.length].replace('{n}', String(turn)), { threadId })
  const { user, system } = process.cpuUsage(before)
  process.send({ turn, status, cpuMs: (user + system) / 1000 })
  if (turn % addEvery === 0) await addOne(turn)
  if (turn % exportEvery === 0) await quaero.runs.export((await quaero.runs.list({ threadId })).at(-1).runId)
  if (turn % sampleEvery === sampleEvery - 1) process.send({ turn, sample: sample() })
}
const { discrepancies } = await quaero.verify()
const { integrity } = await quaero.report()
await quaero.close()
process.send({ end: { discrepancies: discrepancies.length, integrity } }, () => process.disconnect())

/** Adds a file, and removes one that was added before: the library stays of one size. */
async function addOne(turn) {
  const path = join(files, `note-${turn}.md`)
  await writeFile(path, `# Note ${turn}\n\nThe harbour of note ${turn} was dredged to ${turn} m.\n`)
  const { documents } = await quaero.library.add([path])
  added.push(documents[0].documentId)
  if (added.length > 5) await quaero.library.remove(added.shift())
}

function sample() {
  globalThis.gc()
  const sizes = ['quaero.db', 'quaero.db-wal'].map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  )
  return {
    rssMegabytes: process.memoryUsage.rss() / 1e6,
    heapMegabytes: process.memoryUsage().heapUsed / 1e6,
    // Files, sockets and pipes; only Linux tells of them.
    handles:
      process.platform === 'linux' ? readdirSync('/proc/self/fd').length : process.getActiveResourcesInfo().length,
    kilobytesStored: sizes.reduce((one, other) => one + other) / 1e3,
  }
}
