/**
 * One thread that grows, turn by turn on every side in turn, until each has done the turns asked for or used its
 * seconds: time, processor time, bytes that the database has grown by, and bytes sent to the model. Arguments:
 * `--turns 1000 --seconds 60 --passages 5 --only quaero,raw`; `passages` is how many each search returns.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { printGrowth } from './growth-report.mjs'
import { comparing, measureTurn, oneSearch, openSides } from './harness.mjs'
import { allNames, sidesNamed } from './sides.mjs'

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    passages: { type: 'string', default: '5' },
    only: { type: 'string', default: allNames },
  },
})
const turns = Number(values.turns)
const longestMs = 1000 * Number(values.seconds)

const thread = 'growing'
const warmUpTurns = 20
const modelCallsPerTurn = 4
/** The files are measured every so many turns. */
const weighedEvery = 100

await comparing(oneSearch, async ({ folder, url }) => {
  const opened = await openSides(sidesNamed(values.only), { folder, url, passages: Number(values.passages) })
  printGrowth(await grow(opened, { folder, url }), await payloadOf(opened[0]))
  for (const each of opened) await each.close()
})

async function grow(opened, { folder, url }) {
  const measured = (side, name, turn) => measureTurn(url, side, name, turn, modelCallsPerTurn)
  const grown = opened.map((side) => ({ side, label: side.label, spentMs: 0, turns: [], bytes: new Map() }))
  // Otherwise the first turns would be slow for everyone, and the later ones look better than they are.
  for (const { side } of grown) for (let turn = 1; turn <= warmUpTurns; turn += 1) await measured(side, 'warm-up', turn)
  const under = (each) => each.spentMs < longestMs
  for (const each of grown) each.bytes.set(0, weigh(folder, each.side))
  for (let turn = 1; turn <= turns && grown.some(under); turn += 1) {
    // Nobody always follows the same one.
    const order = grown.map((_, i) => grown[(i + turn) % grown.length]).filter(under)
    for (const each of order) {
      const taken = await measured(each.side, thread, turn)
      each.turns.push(taken)
      each.spentMs += taken.wall
      if (turn % weighedEvery === 0) each.bytes.set(turn, weigh(folder, each.side))
    }
  }
  return grown
}

/** Bytes of the database; in a process of its own, since two copies of SQLite in one must not open the same file. */
function weigh(folder, { database }) {
  const command = [join(import.meta.dirname, 'weigh.mjs'), join(folder, database)]
  return Number(execFileSync(process.execPath, command, { encoding: 'utf8' }))
}

/** What a person would want kept of the last turn: question, answer, quotes, and what the tools found. Bytes. */
async function payloadOf({ lastTurn }) {
  return lastTurn ? await lastTurn(thread) : null
}
