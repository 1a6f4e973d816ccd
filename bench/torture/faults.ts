import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { faults } from '../../tests/faults.ts'
import type { Finding } from './finding.ts'
import { root, tidy } from './processes.ts'

/** What may go wrong around a run; the others concern endpoints and documents. */
const aroundRuns = Object.entries(faults).filter(([name]) => /^F(3[4-9]|[45]\d|6\d)$/.test(name))

/** Runs every test that brings about such a fault, and counts them by fault. */
export async function faultFindings(): Promise<readonly Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-faults-'))
  try {
    const report = join(folder, 'report.json')
    const filter = aroundRuns.map(([name]) => name).join(' or ')
    const words = ['run', `--tags-filter=${filter}`, '--reporter=json', `--outputFile=${report}`]
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    spawnSync(process.execPath, [vitest, ...words], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
    const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
    return aroundRuns.map(([name, what]) => findingOf(name, what, tests))
  } finally {
    await tidy(folder)
  }
}

interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly Test[] }[]
}

interface Test {
  readonly fullName: string
  readonly status: string
  readonly tags: readonly string[]
}

function findingOf(name: string, what: string, tests: readonly Test[]): Finding {
  const own = tests.filter(({ tags, status }) => status !== 'skipped' && tags.includes(name))
  const failed = own.filter(({ status }) => status !== 'passed')
  return {
    what: `${name} ${what}`,
    found: own.length === 0 ? 'no test' : `${own.length - failed.length} of ${own.length} passed`,
    ok: own.length > 0 && failed.length === 0,
    details: failed.map(({ fullName }) => fullName),
  }
}
