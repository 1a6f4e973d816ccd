/**
 * What the workflow costs beside the model: Quaero, the same graph in bare LangGraph, and the least possible, over the
 * same local endpoint, turn by turn in one run. Arguments: threads of ten turns each, and fresh processes of each kind.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { comparing, measureTurn, median, openSides } from './harness.mjs'
import { writeNotes } from './notes.mjs'
import { sidesNamed } from './sides.mjs'

const turnsPerThread = 10
const modelCalls = 5
const [threads = 6, coldStarts = 7] = process.argv.slice(2).map(Number)

await comparing({}, async ({ folder, url }) => {
  const opened = await openSides(sidesNamed('quaero,bare,raw'), { folder, url, passages: 10 })
  writeNotes(join(folder, 'notes.db'), await textsIn(opened[0].library))
  printCalls(await measureCalls(opened, url))
  for (const side of opened) await side.close()
  if (coldStarts > 0) printStarts(measureStarts(folder, `${url}/v1`))
})

async function textsIn(library) {
  const texts = []
  for (const { documentId, pages } of await library.list()) {
    for (let page = 1; page <= pages; page += 1) texts.push((await library.text(documentId, page)).text)
  }
  return texts
}

/**
 * Milliseconds per model call, wall clock and processor, of every turn after the warm-up, by side. All search with the
 * same function, so that only what is around it differs.
 */
async function measureCalls(opened, url) {
  const figures = opened.map(({ label }) => ({ label, wall: [], cpu: [] }))
  for (let thread = 0; thread <= threads; thread += 1) {
    for (let turn = 1; turn <= turnsPerThread; turn += 1) {
      for (const [index, side] of opened.entries()) {
        const { wall, cpu } = await measureTurn(url, side, `thread-${thread}`, turn, modelCalls)
        // The first thread warms up.
        if (thread === 0) continue
        figures[index].wall.push(wall / modelCalls)
        figures[index].cpu.push(cpu / modelCalls)
      }
    }
  }
  return figures
}

function measureStarts(folder, url) {
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
  const shown = figures.map(({ label, wall, cpu }) => ({ label, wall: median(wall), cpu: median(cpu) }))
  console.log(`per model call, median of ${threads * turnsPerThread} turns of 5 model calls and 2 searches each:`)
  for (const { label, wall, cpu } of shown) console.log(`  ${label.padEnd(15)} ${ms(wall)}   ${ms(cpu)} processor`)
  const [quaero, , bare] = shown
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

function ms(value) {
  return `${value.toFixed(2).padStart(6)} ms`
}
