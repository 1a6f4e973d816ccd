import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endingWithUs } from '../../tests/fixtures/stop-after-us.ts'
import { root, tidy } from './processes.ts'

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly Omit<Test, 'isOnBuilt'>[]
  }[]
}

export interface Test {
  readonly fullName: string
  readonly status: string
  readonly tags: readonly string[]
  /** It runs the built package, not its source. */
  readonly isOnBuilt: boolean
}

export interface Watched {
  readonly tests: readonly Test[]
  /** Connections and look-ups that would have left the machine: `connect 192.0.2.1`. */
  readonly outward: readonly string[]
}

/** Runs tests likewise, chosen by words for Vitest, in processes of which no connection leaves the machine. */
export async function runWatched(chosen: readonly string[]): Promise<Watched> {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-watched-'))
  try {
    const connections = join(folder, 'connections')
    const preload = join(import.meta.dirname, 'processes', 'only-loopback.cjs')
    const tests = await runTests(chosen, { NODE_OPTIONS: `--require ${preload}`, QUAERO_CONNECTIONS: connections })
    const made = (await readFile(connections, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
    return { tests, outward: made }
  } finally {
    await tidy(folder)
  }
}

/** Tests that were skipped are left out. */
async function runTests(chosen: readonly string[], env: Readonly<Record<string, string>>): Promise<readonly Test[]> {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-tagged-'))
  try {
    const report = join(folder, 'report.json')
    const words = ['run', ...chosen, '--reporter=json', `--outputFile=${report}`]
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    // A group of its own, to which the programs belong that tests start.
    const child = spawn(process.execPath, [vitest, ...words], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true,
    })
    await once(endingWithUs(child, { detached: true }), 'exit')
    const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report
    const tests = testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map((test) => ({ ...test, isOnBuilt: name.includes('/tests/scenarios/') })),
    )
    return tests.filter(({ status }) => status === 'passed' || status === 'failed')
  } finally {
    await tidy(folder)
  }
}
