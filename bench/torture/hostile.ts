import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { faults } from '../../tests/faults.ts'
import type { Finding, TortureOptions } from './finding.ts'
import { tidy } from './processes.ts'
import { runTagged, type Test } from './tagged-tests.ts'

const all = Object.entries(faults).filter(([name]) => name.startsWith('S'))
/** Seen by watching all other attacks, not by a test of its own. */
const silence = 'S25'

/** Runs every attack, in processes of which no connection leaves the machine, and counts them by threat. */
export async function hostileFindings({ at }: Pick<TortureOptions, 'at'>): Promise<readonly Finding[]> {
  const named = new Set(at?.split(','))
  const threats = at === undefined ? all : all.filter(([name]) => named.has(name))
  const folder = await mkdtemp(join(tmpdir(), 'quaero-hostile-'))
  try {
    const connections = join(folder, 'connections')
    const preload = join(import.meta.dirname, 'processes', 'only-loopback.cjs')
    const tests = await runTagged(
      threats.map(([name]) => name),
      { NODE_OPTIONS: `--require ${preload}`, QUAERO_CONNECTIONS: connections },
    )
    const made = (await readFile(connections, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
    return threats.map(([name, what]) =>
      name === silence ? silenceOf(what, tests.length, made) : findingOf(name, what, tests),
    )
  } finally {
    await tidy(folder)
  }
}

function findingOf(name: string, what: string, tests: readonly Test[]): Finding {
  const own = tests.filter(({ tags }) => tags.includes(name))
  const failed = own.filter(({ status }) => status !== 'passed')
  return {
    what: `${name.padEnd(3)} ${what}`,
    found: own.length === 0 ? 'not tried' : `${own.length} attacks tried, ${failed.length} reached`,
    ok: own.length > 0 && failed.length === 0,
    details: failed.map(({ fullName }) => fullName),
  }
}

function silenceOf(what: string, tests: number, made: readonly string[]): Finding {
  const found = `${tests} attacks watched, ${made.length} connections or look-ups`
  return { what: `${silence} ${what}`, found, ok: tests > 0 && made.length === 0, details: [...new Set(made)] }
}
