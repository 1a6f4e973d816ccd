/**
 * Many conversations at once in one process, over an endpoint that takes its time: turns a second, and how long a turn
 * takes. The sides take their rounds in turn. Arguments: `--threads 100 --turns 4 --rounds 3 --only quaero,raw,bare`.
 */
import { parseArgs } from 'node:util'
import { callsAt, comparing, oneSearch, openSides, quantile, questionOf } from './harness.mjs'
import { allNames, sidesNamed } from './sides.mjs'

const { values } = parseArgs({
  options: {
    threads: { type: 'string', default: '100' },
    turns: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: allNames },
  },
})
const [threads, turns, rounds] = [values.threads, values.turns, values.rounds].map(Number)
const modelCallsPerTurn = 4
const delayMs = 50

await comparing({ ...oneSearch, delayMs }, async ({ folder, url }) => {
  const opened = await openSides(sidesNamed(values.only), { folder, url })
  const measured = opened.map(({ label }) => ({ label, perSecond: [], cpu: [], times: [] }))
  for (const side of opened) await converse(url, side, 'warm-up')
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, side] of opened.entries()) {
      const { perSecond, cpu, times } = await converse(url, side, `round-${round}`)
      measured[index].perSecond.push(perSecond)
      measured[index].cpu.push(cpu)
      measured[index].times.push(...times)
    }
  }
  print(measured)
  for (const side of opened) await side.close()
})

async function converse(url, side, round) {
  const before = (await callsAt(url))[side.name]?.calls ?? 0
  const times = []
  const thread = async (_, number) => {
    for (let turn = 1; turn <= turns; turn += 1) {
      const began = performance.now()
      await side.turn(`${round}-${number}`, questionOf(turn))
      times.push(performance.now() - began)
    }
  }
  const began = performance.now()
  const beganCpu = process.cpuUsage()
  await Promise.all(Array.from({ length: threads }, thread))
  const seconds = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(beganCpu)
  const calls = (await callsAt(url))[side.name].calls - before
  if (calls !== threads * turns * modelCallsPerTurn) throw new Error(`${side.label} made ${calls} model calls`)
  const done = threads * turns
  return { perSecond: done / seconds, cpu: (user + system) / 1000 / done, times }
}

function print(measured) {
  const raw = measured.find(({ label }) => label === 'fetch + SQLite')
  const [ours] = measured
  console.log(
    `${threads} threads of ${turns} turns at once, ${modelCallsPerTurn} model calls of ${delayMs} ms a turn, ` +
      `median of ${rounds} rounds`,
  )
  console.log(`${''.padEnd(16)}turns/s    of raw Quaero:it  cpu ms   p50 ms    p95 ms   p95:p50`)
  for (const { label, perSecond, cpu, times } of measured) {
    const [speed, p50, p95] = [quantile(perSecond, 0.5), quantile(times, 0.5), quantile(times, 0.95)]
    const ofRaw = raw ? (speed / quantile(raw.perSecond, 0.5)).toFixed(2) : '-'
    const cells = [
      speed.toFixed(1),
      ofRaw,
      (quantile(ours.perSecond, 0.5) / speed).toFixed(2),
      quantile(cpu, 0.5).toFixed(1),
      ...[p50, p95].map((ms) => ms.toFixed(0)),
      (p95 / p50).toFixed(2),
    ]
    console.log(`${label.padEnd(14)}${cells.map((cell) => cell.padStart(9)).join(' ')}`)
  }
}
