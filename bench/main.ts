/** Runs one benchmark: `npm run bench -- evidence`. Exit 2 if it or an option is not known, or its data are missing. */
import { comparison } from './comparison.ts'
import { missingData } from './question-sets.ts'

const benches: Readonly<Record<string, () => Promise<{ run: (args: readonly string[]) => Promise<void> }>>> = {
  audit: () => import('./audit.ts'),
  clarification: () => import('./clarification.ts'),
  concurrency: async () => ({ run: comparison('concurrency') }),
  cost: () => import('./cost.ts'),
  coverage: () => import('./coverage.ts'),
  drafts: () => import('./drafts.ts'),
  evidence: () => import('./evidence.ts'),
  delivery: () => import('./delivery.ts'),
  'follow-ups': () => import('./follow-ups.ts'),
  fleet: () => import('./fleet.ts'),
  filings: () => import('./filings.ts'),
  foreign: () => import('./foreign.ts'),
  'fit-confidence': () => import('./fit-confidence.ts'),
  growth: async () => ({ run: comparison('growth') }),
  metadata: () => import('./metadata.ts'),
  ingest: () => import('./ingest.ts'),
  'fit-sentences': () => import('./fit-sentences.ts'),
  judge: () => import('./judge.ts'),
  'langgraph-dev': () => import('./langgraph-dev.ts'),
  overhead: async () => ({ run: comparison('overhead') }),
  'pdf-qa': () => import('./pdf-qa.ts'),
  proofs: () => import('./proofs.ts'),
  reply: () => import('./reply.ts'),
  reports: () => import('./reports.ts'),
  scale: () => import('./scale.ts'),
  scans: () => import('./scans.ts'),
  serve: () => import('./serve.ts'),
  styles: () => import('./styles.ts'),
  storages: () => import('./storages.ts'),
  stream: () => import('./stream.ts'),
  tatqa: () => import('./tatqa.ts'),
  tracing: async () => ({ run: comparison('tracing') }),
  trials: () => import('./trials.ts'),
  warm: () => import('./warm.ts'),
  wice: () => import('./wice.ts'),
}

const [name = '', ...args] = process.argv.slice(2)
const load = benches[name]
if (load) {
  await (await load()).run(args).catch((error) => {
    const problem = missingData(error) ?? (String(error?.code).startsWith('ERR_PARSE_ARGS') ? error.message : null)
    if (!problem) throw error
    console.error(problem)
    process.exitCode = 2
  })
} else {
  console.error(`Name a benchmark: ${Object.keys(benches).join(', ')}`)
  process.exitCode = 2
}
