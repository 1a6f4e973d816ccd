import { faults } from '../../tests/faults.ts'
import type { Finding } from './finding.ts'
import { runTagged, type Test } from './tagged-tests.ts'

/** What may go wrong around a run; the others concern endpoints and documents. */
const aroundRuns = Object.entries(faults).filter(([name]) => /^F(3[4-9]|[45]\d|6\d)$/.test(name))

/** Runs every test that brings about such a fault, and counts them by fault. */
export async function faultFindings(): Promise<readonly Finding[]> {
  const tests = await runTagged(aroundRuns.map(([name]) => name))
  return aroundRuns.map(([name, what]) => findingOf(name, what, tests))
}

function findingOf(name: string, what: string, tests: readonly Test[]): Finding {
  const own = tests.filter(({ tags }) => tags.includes(name))
  const failed = own.filter(({ status }) => status !== 'passed')
  return {
    what: `${name} ${what}`,
    found: own.length === 0 ? 'no test' : `${own.length - failed.length} of ${own.length} passed`,
    ok: own.length > 0 && failed.length === 0,
    details: failed.map(({ fullName }) => fullName),
  }
}
