import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, tidy } from './processes.ts'

interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly Test[] }[]
}

export interface Test {
  readonly fullName: string
  readonly status: string
  readonly tags: readonly string[]
}

/** Runs every test with one of the tags; those that were skipped are left out. */
export async function runTagged(
  tags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Test[]> {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-tagged-'))
  try {
    const report = join(folder, 'report.json')
    const words = ['run', `--tags-filter=${tags.join(' or ')}`, '--reporter=json', `--outputFile=${report}`]
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    const options = { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] as const }
    spawnSync(process.execPath, [vitest, ...words], { ...options, stdio: [...options.stdio] })
    const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
    return tests.filter(({ status }) => status === 'passed' || status === 'failed')
  } finally {
    await tidy(folder)
  }
}
