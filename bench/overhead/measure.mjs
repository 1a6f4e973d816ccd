/**
 * What the workflow costs beside the model: Quaero, the same graph in bare LangGraph, and the least possible, over the
 * same local endpoint, turn by turn in one run. Plain JavaScript, so that no TypeScript loader is measured.
 */
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeNotes } from './notes.mjs'

const sides = ['quaero', 'bare', 'raw']
const turnsPerThread = 10
const [threads = 6, coldStarts = 7] = process.argv.slice(2).map(Number)

const folder = mkdtempSync(join(tmpdir(), 'quaero-overhead-'))
const endpoint = fork(join(import.meta.dirname, 'endpoint.mjs'))
const [url] = await once(endpoint, 'message')
try {
  await addDocuments()
  printCalls(await measureCalls())
  if (coldStarts > 0) printStarts(measureStarts())
} finally {
  endpoint.disconnect()
  rmSync(folder, { recursive: true, force: true })
}

async function addDocuments() {
  const { open } = await import('./quaero-side.mjs')
  const { library, close } = await open({ folder, url })
  await library.add([join(import.meta.dirname, '..', '..', 'examples', 'papers')])
  const texts = []
  for (const { documentId, pages } of await library.list()) {
    for (let page = 1; page <= pages; page += 1) texts.push((await library.text(documentId, page)).text)
  }
  await close()
  writeNotes(join(folder, 'notes.db'), texts)
}

/**
 * Milliseconds per model call, wall clock and processor, of every turn after the warm-up, by side. All search with the
 * same function, so that only what is around it differs.
 */
async function measureCalls() {
  const opened = []
  const search = async (query) => (await opened[0].library.search(query)).map(({ text }) => text)
  for (const side of sides) opened.push(await (await import(`./${side}-side.mjs`)).open({ folder, url, search }))
  const figures = sides.map(() => ({ wall: [], cpu: [] }))
  for (let thread = 0; thread <= threads; thread += 1) {
    for (let turn = 1; turn <= turnsPerThread; turn += 1) {
      for (const [index, side] of opened.entries()) {
        const { wall, cpu } = await measureTurn(side, `thread-${thread}`, turn)
        // The first thread warms up.
        if (thread === 0) continue
        figures[index].wall.push(wall)
        figures[index].cpu.push(cpu)
      }
    }
  }
  for (const side of opened) await side.close()
  return figures
}

async function measureTurn(side, thread, turn) {
  const began = performance.now()
  const beganCpu = process.cpuUsage()
  const { modelCalls, toolCalls } = await side.turn(thread, `How does the store grow until turn ${100 * turn}?`)
  const { user, system } = process.cpuUsage(beganCpu)
  const wall = performance.now() - began
  if (modelCalls !== 5 || toolCalls !== 2) throw new Error(`${modelCalls} model calls, ${toolCalls} tool calls`)
  return { wall: wall / modelCalls, cpu: (user + system) / 1000 / modelCalls }
}

function measureStarts() {
  const figures = { quaero: [], bare: [] }
  for (let round = 0; round < coldStarts; round += 1) {
    for (const [side, results] of Object.entries(figures)) {
      const command = [join(import.meta.dirname, 'one-answer.mjs'), side, folder, url]
      results.push(JSON.parse(execFileSync(process.execPath, command, { encoding: 'utf8' })))
    }
  }
  return figures
}

function printCalls(figures) {
  const [quaero, bare, raw] = figures.map(({ wall, cpu }) => ({ wall: median(wall), cpu: median(cpu) }))
  const line = (name, { wall, cpu }) => console.log(`  ${name.padEnd(15)} ${ms(wall)}   ${ms(cpu)} processor`)
  console.log(`per model call, median of ${threads * turnsPerThread} turns of 5 model calls and 2 searches each:`)
  line('Quaero', quaero)
  line('bare LangGraph', bare)
  line('fetch + SQLite', raw)
  const ratio = (name) => `${(quaero[name] / bare[name]).toFixed(2)} (${name})`
  console.log(`  Quaero : bare LangGraph = ${ratio('wall')}, ${ratio('cpu')}`)
}

function printStarts({ quaero, bare }) {
  console.log(`a fresh process that answers one question, median of ${coldStarts}:`)
  for (const name of ['openMs', 'answerMs', 'rssMegabytes']) {
    const [ours, theirs] = [quaero, bare].map((results) => median(results.map((result) => result[name])))
    const ratio = (ours / theirs).toFixed(2)
    console.log(`  ${name.padEnd(15)} Quaero ${ours.toFixed(0)}, bare LangGraph ${theirs.toFixed(0)}, ratio ${ratio}`)
  }
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

function ms(value) {
  return `${value.toFixed(2).padStart(6)} ms`
}
