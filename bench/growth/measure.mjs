/**
 * One thread that grows, turn by turn on every side in turn, until each has done the turns asked for or used its
 * seconds: time, processor time, bytes that the database has grown by, and bytes sent to the model. Plain JavaScript, so
 * that no TypeScript loader is measured. Arguments: `--turns 1000 --seconds 60 --passages 5 --only quaero,raw`;
 * `passages` is how many each search returns.
 */
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { printGrowth } from './report.mjs'
import { callsAt, openSides, sides } from './sides.mjs'

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    passages: { type: 'string', default: '5' },
    only: { type: 'string', default: sides.map(({ name }) => name).join(',') },
  },
})
const turns = Number(values.turns)
const longestMs = 1000 * Number(values.seconds)
const chosen = sides.filter(({ name }) => values.only.split(',').includes(name))

const thread = 'growing'
const warmUpTurns = 20
const searchesPerTurn = 1
const modelCallsPerTurn = 4
/** The files are measured every so many turns. */
const weighedEvery = 100

const folder = mkdtempSync(join(tmpdir(), 'quaero-growth-'))
const endpoint = fork(join(import.meta.dirname, '..', 'overhead', 'endpoint.mjs'), [String(searchesPerTurn)])
const [url] = await once(endpoint, 'message')
try {
  const opened = await openSides(chosen, { folder, url, passages: Number(values.passages) })
  printGrowth(await grow(opened), await payloadOf(opened[0]))
  for (const each of opened) await each.close()
} finally {
  endpoint.disconnect()
  rmSync(folder, { recursive: true, force: true })
}

async function grow(opened) {
  const grown = opened.map((side) => ({ side, label: side.label, spentMs: 0, turns: [], bytes: new Map() }))
  // Otherwise the first turns would be slow for everyone, and the later ones look better than they are.
  for (const { side } of grown)
    for (let turn = 1; turn <= warmUpTurns; turn += 1) await measureTurn(side, 'warm-up', turn)
  const under = (each) => each.spentMs < longestMs
  for (const each of grown) each.bytes.set(0, weigh(each.side))
  for (let turn = 1; turn <= turns && grown.some(under); turn += 1) {
    // Nobody always follows the same one.
    const order = grown.map((_, i) => grown[(i + turn) % grown.length]).filter(under)
    for (const each of order) {
      const measured = await measureTurn(each.side, thread, turn)
      each.turns.push(measured)
      each.spentMs += measured.wall
      if (turn % weighedEvery === 0) each.bytes.set(turn, weigh(each.side))
    }
  }
  return grown
}

async function measureTurn(side, thread, turn) {
  const before = await callsAt(url)
  const began = performance.now()
  const beganCpu = process.cpuUsage()
  await side.turn(thread, `How does the store grow until turn ${100 * turn}?`)
  const { user, system } = process.cpuUsage(beganCpu)
  const wall = performance.now() - began
  const [earlier, now] = [before[side.name] ?? { calls: 0, bytes: 0 }, (await callsAt(url))[side.name]]
  const modelCalls = now.calls - earlier.calls
  if (modelCalls !== modelCallsPerTurn) throw new Error(`${side.label} made ${modelCalls} model calls in turn ${turn}`)
  return { wall, cpu: (user + system) / 1000, prompt: now.bytes - earlier.bytes }
}

/** Bytes of the database; in a process of its own, since two copies of SQLite in one must not open the same file. */
function weigh({ database }) {
  const command = [join(import.meta.dirname, 'weigh.mjs'), join(folder, database)]
  return Number(execFileSync(process.execPath, command, { encoding: 'utf8' }))
}

/** What a person would want kept of the last turn: question, answer, quotes, and what the tools found. Bytes. */
async function payloadOf({ lastTurn }) {
  return lastTurn ? await lastTurn(thread) : null
}
