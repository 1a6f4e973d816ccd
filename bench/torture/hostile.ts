import { faults } from '../../tests/faults.ts'
import type { Finding, TortureOptions } from './finding.ts'
import { runWatched, type Test, type Watched } from './tagged-tests.ts'

const all = Object.entries(faults).filter(([name]) => name.startsWith('S'))
/** Seen by watching all other attacks, not by a test of its own. */
const silence = 'S25'

/** Runs every attack, in processes of which no connection leaves the machine, and counts them by threat. */
export async function hostileFindings({ at }: Pick<TortureOptions, 'at'>): Promise<readonly Finding[]> {
  const named = new Set(at?.split(','))
  const threats = at === undefined ? all : all.filter(([name]) => named.has(name))
  const { tests, outward } = await runWatched([`--tags-filter=${threats.map(([name]) => name).join(' or ')}`])
  return threats.map(([name, what]) =>
    name === silence ? silenceOf(`${silence} ${what}`, { tests, outward }) : findingOf(name, what, tests),
  )
}

/** Runs the whole suite, or the parts of it that are named, in the same way. */
export async function silenceFindings({ at }: Pick<TortureOptions, 'at'>): Promise<readonly Finding[]> {
  const watched = await runWatched(['--tags-filter=!slow', ...(at?.split(',') ?? [])])
  const failed = watched.tests.filter(({ status }) => status !== 'passed').map(({ fullName }) => fullName)
  return [
    { what: 'tests that fail without a network', found: `${failed.length}`, ok: failed.length === 0, details: failed },
    silenceOf('connections that leave the machine', watched),
  ]
}

function findingOf(name: string, what: string, tests: readonly Test[]): Finding {
  const own = tests.filter(({ tags }) => tags.includes(name))
  const failed = own.filter(({ status }) => status !== 'passed')
  const built = own.filter(({ isOnBuilt }) => isOnBuilt).length
  return {
    what: `${name.padEnd(3)} ${what}`,
    found:
      own.length === 0
        ? 'not tried'
        : `${own.length} attacks tried, ${built} of them on the built package, ${failed.length} reached`,
    ok: own.length > 0 && failed.length === 0,
    details: failed.map(({ fullName }) => fullName),
  }
}

function silenceOf(what: string, { tests, outward }: Watched): Finding {
  const found = `${tests.length} tests watched, ${outward.length} connections or look-ups`
  return { what, found, ok: tests.length > 0 && outward.length === 0, details: [...new Set(outward)] }
}
