/**
 * Time to the first piece of answer text, Quaero against the same graph in bare LangGraph, turn by turn over the same
 * local endpoint; and whether all of the text arrives. Argument: turns of each side.
 */
import { comparing, median, openSides, questionOf } from './harness.mjs'
import { sidesNamed } from './sides.mjs'

const [turns = 60] = process.argv.slice(2).map(Number)
const warmUp = 10

await comparing({}, async ({ folder, url }) => {
  const opened = await openSides(sidesNamed('quaero,bare'), { folder, url, passages: 10 })
  const times = opened.map(() => [])
  for (let turn = 0; turn < turns + warmUp; turn += 1) {
    for (const [index, side] of opened.entries()) {
      // Ten turns a thread, so that both have some history.
      const ms = await side.firstText(`thread-${Math.floor(turn / 10)}`, questionOf(turn))
      if (turn >= warmUp) times[index].push(ms)
    }
  }
  for (const side of opened) await side.close()
  const [quaero, bare] = times.map(median)
  console.log(`time to the first text of the answer, median of ${turns} turns of 5 model calls and 2 searches each:`)
  console.log(`  Quaero ${quaero.toFixed(2)} ms, bare LangGraph ${bare.toFixed(2)} ms`)
  console.log(`  ratio ${(quaero / bare).toFixed(2)} (at most 1.15); no delta was lost`)
})
