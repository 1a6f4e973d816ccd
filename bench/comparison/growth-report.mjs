/** Prints what was measured of a growing thread. */
import { median } from './harness.mjs'

const marks = [10, 100, 200, 300, 500, 1000, 5000]
/** Turns before and behind a mark over which the median is taken. */
const around = 5

/** `payload`: bytes of one turn that a person would want kept; null if that was not measured. */
export function printGrowth(grown, payload) {
  const reached = Math.max(...grown.map(({ turns }) => turns.length))
  const shown = marks.filter((mark) => mark <= reached)
  const raw = grown.find(({ side }) => side.name === 'raw')
  table(`milliseconds of a turn of 4 model calls and 1 search (and above fetch + SQLite)`, shown, grown, (each, mark) =>
    withDifference(at(each, mark, 'wall'), raw && at(raw, mark, 'wall')),
  )
  table('processor milliseconds of a turn', shown, grown, (each, mark) => fixed(at(each, mark, 'cpu')))
  table('kilobytes sent to the model in a turn', shown, grown, (each, mark) => fixed(kilo(at(each, mark, 'prompt'))))
  const spans = [
    [0, 100],
    [100, 200],
    [200, 300],
    [300, 500],
    [500, 1000],
    [1000, 5000],
  ].filter(([, to]) => to <= reached)
  table('kilobytes stored a turn, over turns', spans, grown, (each, span) => fixed(kilo(stored(each, span))))
  const ours = grown.find(({ side }) => side.name === 'quaero')
  if (ours) printRatios(ours, grown, payload)
}

function printRatios(ours, grown, payload) {
  const last = ours.turns.length
  const ratio = (value, other) => (value / other).toFixed(2)
  console.log('\nQuaero:')
  for (const what of ['wall', 'cpu', 'prompt']) {
    console.log(`  turn ${last} : turn 10 = ${ratio(at(ours, last, what), at(ours, 10, what))} (${what})`)
  }
  if (last >= 1000) {
    const bytes = ratio(stored(ours, [500, 1000]), stored(ours, [100, 200]))
    console.log(`  stored a turn, over 500-1000 : over 100-200 = ${bytes}`)
  }
  const latest = last >= 200 ? stored(ours, [100, last - (last % 100)]) : Number.NaN
  if (payload) console.log(`  stored : payload of ${kilo(payload).toFixed(1)} kB = ${ratio(latest, payload)}`)
  for (const mark of marks.filter((each) => each <= last)) {
    for (const other of grown.filter((each) => each !== ours && each.turns.length >= mark)) {
      const [wall, cpu] = ['wall', 'cpu'].map((what) => ratio(at(ours, mark, what), at(other, mark, what)))
      console.log(`  turn ${mark} : ${other.label} = ${wall} (wall), ${cpu} (cpu)`)
    }
  }
}

/** The median around a turn; not a number where the side did not get so far. */
function at({ turns }, mark, what) {
  if (turns.length < mark) return Number.NaN
  return median(turns.slice(Math.max(0, mark - 1 - around), mark + around).map((turn) => turn[what]))
}

function stored({ bytes }, [from, to]) {
  return ((bytes.get(to) ?? Number.NaN) - (bytes.get(from) ?? Number.NaN)) / (to - from)
}

function table(title, columns, grown, cell) {
  const width = 16
  const names = columns.map((column) => String(Array.isArray(column) ? column.join('-') : column).padStart(width))
  console.log(`\n${title}\n${''.padEnd(width)}${names.join('')}`)
  for (const each of grown) {
    console.log(`${each.label.padEnd(width)}${columns.map((column) => cell(each, column).padStart(width)).join('')}`)
  }
}

function withDifference(value, other) {
  const more = other === undefined ? Number.NaN : value - other
  return Number.isNaN(more) || more === 0 ? fixed(value) : `${fixed(value)} (${more > 0 ? '+' : ''}${more.toFixed(1)})`
}

function fixed(value) {
  return Number.isNaN(value) ? '-' : value.toFixed(1)
}

function kilo(bytes) {
  return bytes / 1000
}
