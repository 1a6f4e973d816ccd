/**
 * What traces cost: whole turns without tracing, with a Langfuse that takes them, and with one that never answers, in
 * turn over the same local endpoint; and how long closing takes then. Plain JavaScript, so that no TypeScript loader is
 * measured.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createQuaero, loadConfig } from '../../dist/index.js'

const [turns = 60] = process.argv.slice(2).map(Number)
const warmUp = 10

const folder = mkdtempSync(join(tmpdir(), 'quaero-tracing-'))
const processes = [start('endpoint.mjs'), start('trace-sink.mjs'), start('trace-sink.mjs', 'hang')]
const [endpoint, answering, hanging] = await Promise.all(
  processes.map(async (each) => (await once(each, 'message'))[0]),
)
try {
  await measure()
} finally {
  for (const each of processes) each.disconnect()
  rmSync(folder, { recursive: true, force: true })
}

async function measure() {
  const sides = {
    'not traced': await open('none', null),
    traced: await open('traced', answering),
    'backend hangs': await open('hanging', hanging),
  }
  const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]))
  for (let turn = 0; turn < turns + warmUp; turn += 1) {
    for (const [name, quaero] of Object.entries(sides)) {
      const began = performance.now()
      // Ten turns a thread, so that each has some history.
      const threadId = `thread-${Math.floor(turn / 10)}`
      const { status } = await quaero.ask(`How does the store grow until turn ${turn}?`, { threadId })
      if (status !== 'completed') throw new Error(`No answer: ${status}`)
      if (turn >= warmUp) times[name].push(performance.now() - began)
    }
  }
  const [none, traced, stuck] = Object.values(times).map(median)
  console.log(`a turn, median of ${turns}: not traced ${none.toFixed(1)} ms, traced ${traced.toFixed(1)} ms`)
  console.log(`  with a backend that never answers ${stuck.toFixed(1)} ms`)
  console.log(`  ratios ${(traced / none).toFixed(2)} and ${(stuck / none).toFixed(2)}`)
  for (const [name, quaero] of Object.entries(sides)) {
    const began = performance.now()
    await quaero.close()
    console.log(`close, ${name}: ${((performance.now() - began) / 1000).toFixed(2)} s`)
  }
}

async function open(name, baseUrl) {
  const keys = { LANGFUSE_PUBLIC_KEY: 'pk-lf-bench', LANGFUSE_SECRET_KEY: 'sk-lf-bench', LANGFUSE_BASE_URL: baseUrl }
  // A key on each side, since configured credentials are masked in all that is stored, traced or not.
  const env = { OPENAI_API_KEY: 'sk-bench-0123456789', ...(baseUrl && keys) }
  const config = loadConfig({ env, overrides: { research: 'thorough', endpoint: { baseUrl: endpoint } } })
  const quaero = await createQuaero({ config, dataDir: join(folder, name), model: 'openai:scripted' })
  await quaero.library.add([join(import.meta.dirname, '..', '..', 'examples', 'papers')])
  return quaero
}

function start(file, ...args) {
  return fork(join(import.meta.dirname, file), args)
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
