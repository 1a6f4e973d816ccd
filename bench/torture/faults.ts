import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Finding } from './finding.ts'
import { root, tidy } from './processes.ts'

/** What may go wrong around a run, by the number that tests name it with. */
const faults = {
  F34: 'tool arguments that are not JSON',
  F35: 'tool arguments of the wrong type',
  F36: 'an unknown tool',
  F37: 'call ids that are missing or used twice',
  F38: 'a tool that throws',
  F39: 'a tool that hangs',
  F40: 'the same call three times running',
  F41: 'endless distinct calls',
  F42: 'the cost limit',
  F43: 'clarifications without end',
  F44: 'a route that does not exist',
  F45: 'structured output that is invalid',
  F46: 'a tool result of 200 KB',
  F47: 'one failing call of several',
  F48: 'an approval that never comes',
  F49: 'an approval that is answered twice',
  F50: 'kill -9 before the first checkpoint',
  F51: 'kill -9 anywhere else',
  F52: 'kill -9 between results and checkpoint',
  F53: 'a crash in tools, then a new question',
  F54: 'a finished tool that would run again',
  F55: 'SIGTERM and Ctrl-C',
  F56: 'two runs on one thread, one process',
  F57: 'two runs on one thread, two processes',
  F58: 'the same question sent twice',
  F59: 'a reader that leaves in mid-stream',
  F60: 'a full disk',
  F61: 'a database that cannot be used',
  F62: 'a locked database',
  F63: 'a damaged database',
  F64: 'a poisoned checkpoint',
  F65: 'another schema version',
  F66: 'a graph that has changed',
  F67: 'a database that grows',
  F68: 'a write-ahead log that grows',
  F69: 'a subscriber whose service fails',
} as const

/** Runs every test that names a fault, and counts them by fault. */
export async function faultFindings(): Promise<readonly Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-faults-'))
  try {
    const report = join(folder, 'report.json')
    const words = ['run', '-t', 'F(3[4-9]|[45]\\d|6\\d)\\b', '--reporter=json', `--outputFile=${report}`]
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    spawnSync(process.execPath, [vitest, ...words], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
    const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
    return Object.entries(faults).map(([row, what]) => findingOf(row, what, tests))
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
}

function findingOf(row: string, what: string, tests: readonly Test[]): Finding {
  const own = tests.filter(({ fullName, status }) => status !== 'skipped' && new RegExp(`\\b${row}\\b`).test(fullName))
  const failed = own.filter(({ status }) => status !== 'passed')
  return {
    what: `${row} ${what}`,
    found: own.length === 0 ? 'no test' : `${own.length - failed.length} of ${own.length} passed`,
    ok: own.length > 0 && failed.length === 0,
    details: failed.map(({ fullName }) => fullName),
  }
}
