/** `npm run torture -- kill`: proof under fire. Prints a table; exit 1 if a zero is not zero. */
import { parseArgs } from 'node:util'
import type { Finding, TortureOptions } from './finding.ts'

interface Torture {
  readonly says: string
  /** How many by default. */
  readonly runs?: string
  readonly run: (options: TortureOptions) => Promise<readonly Finding[]>
}

const tortures: Readonly<Record<string, Torture>> = {
  kill: {
    says: 'kills a process at --runs points spread over everything a run writes (kill -9), resumes, and checks',
    run: async (options) => (await import('./kill.ts')).killFindings(options),
  },
  paid: {
    says: 'kills --runs processes 10 to 40 ms after the last byte of a reply, resumes, and counts calls that are paid twice',
    run: async (options) => (await import('./paid.ts')).paidFindings(options),
  },
  table: {
    says: 'kills --runs processes while they fill a table of 30 cells, asks for it again, and counts cells that are paid twice',
    run: async (options) => (await import('./claims.ts')).claimsFindings('table', options),
  },
  report: {
    says: 'the same with a report of 6 sections over 30 questions',
    run: async (options) => (await import('./claims.ts')).claimsFindings('report', options),
  },
  thread: {
    says: 'asks many questions on one thread at once: in one process, in several, and willing to wait',
    run: async () => (await import('./thread.ts')).threadFindings(),
  },
  lock: {
    says: 'lets another process hold the write lock for 10 s, and for longer than a run waits',
    run: async () => (await import('./lock.ts')).lockFindings(),
  },
  writes: {
    says: 'lets writes fail at --runs of all places, as a full or broken disk does, once or from there on',
    run: async (options) => (await import('./writes.ts')).writeFindings(options),
  },
  replay: {
    says: 'replays 50 finished runs of every kind with the network off, here and after export and import',
    run: async () => (await import('./replay.ts')).replayFindings(),
  },
  fleet: {
    says: 'kills, freezes and cuts off 4 workers on PostgreSQL while they answer --runs queued questions on many threads, and read files',
    run: async (options) => (await import('./fleet.ts')).fleetFindings(options),
  },
  fuzz: {
    says: 'reads hostile texts with every function that reads texts, for --minutes; none may take 200 ms',
    run: async (options) => (await import('./fuzz-text.ts')).fuzzFindings(options),
  },
  queries: {
    says: 'searches for --runs texts with all signs of query languages, and asks one of twenty; none may fail',
    run: async (options) => (await import('./queries.ts')).queryFindings(options),
  },
  mutants: {
    says: 'adds --runs damaged files of all formats: none may end, stop or swell the process that adds them',
    run: async (options) => (await import('./mutants.ts')).mutantFindings(options),
  },
  watch: {
    says: 'keeps a folder of 2,000 files current while --runs files (500) are changed, renamed, removed and written in pieces',
    runs: '500',
    run: async (options) => (await import('./watch.ts')).watchFindings(options),
  },
  'long-life': {
    says: 'asks --runs questions over many threads, adds, removes, exports and kills, then half as many on one thread',
    run: async (options) => (await import('./long-life.ts')).longLifeFindings(options),
  },
  silence: {
    says: 'runs the whole suite with the network off, and counts the connections and look-ups that would leave',
    run: async (options) => (await import('./hostile.ts')).silenceFindings(options),
  },
  hostile: {
    says: 'runs every attack that is tagged with a threat S1 to S27, with the network off: tried and reached, by threat',
    run: async (options) => (await import('./hostile.ts')).hostileFindings(options),
  },
}

const usage = `npm run torture -- <${Object.keys(tortures).join(' | ')}> [--runs 200] [--seed 1] [--lanes 1] [--minutes 1] [--at completed] [--only 55]

${Object.entries(tortures)
  .map(([name, { says }]) => `  ${name.padEnd(9)} ${says}`)
  .join('\n')}

--runs     of table and report: at so many moments, spread over its calls; 20 are enough
--at       kill: where to, by how the name of the place begins: completed (as soon as the log says that a model or tool
           call is finished), before or after (a commit), during (the reply to a model call)
           hostile: the only threats to try, for instance S1,S17
           silence: the only tests to run, by words of their paths: tests/unit/tools,tests/contract
--only     kill, mutants: the case that a failure names, with the same --seed (and, for kill, --runs and --at)

Builds dist where it is stale, and runs it in processes of its own, in temporary folders. Nothing leaves the machine.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '1' },
    at: { type: 'string' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const chosen = tortures[positionals[0] ?? '']
if (values.help || !chosen) {
  console.log(usage)
  process.exitCode = values.help ? 0 : 2
} else {
  const { runs = chosen.runs ?? '200', seed, lanes, minutes, at, only } = values
  const findings = await chosen.run({
    runs: Number(runs),
    seed: Number(seed),
    lanes: Number(lanes),
    minutes: Number(minutes),
    ...(at && { at }),
    ...(only && { only: Number(only) }),
  })
  print(findings)
  process.exitCode = findings.every(({ ok }) => ok) ? 0 : 1
}

function print(findings: readonly Finding[]): void {
  const width = Math.max(...findings.map(({ what }) => what.length))
  for (const { what, found, ok, details = [] } of findings) {
    console.log(`${ok ? 'ok  ' : 'FAIL'}  ${what.padEnd(width)}  ${found}`)
    for (const detail of details) console.log(`      ${detail}`)
  }
}
