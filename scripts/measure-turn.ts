/**
 * Prints what one turn of five model calls and two searches runs through. The first turn of a thread warms up, the second
 * is counted. Run it: npx tsx scripts/measure-turn.ts
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createQuaero, loadConfig } from '../src/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'quaero-turn-'))
const endpoint = fork(join(import.meta.dirname, '..', 'bench', 'endpoint.mjs'), ['{}'])
const [baseUrl] = await once(endpoint, 'message')
const session = new Session()
session.connect()
try {
  console.table(await measure())
} finally {
  endpoint.disconnect()
  rmSync(folder, { recursive: true, force: true })
}

async function measure() {
  const seen = { before: new Set<string>(), calls: new Map<string, number>() }
  let onModel = async () => {}
  const quaero = await createQuaero({
    dataDir: folder,
    model: 'openai:scripted',
    config: loadConfig({
      env: {},
      overrides: { research: 'thorough', answer: { secondReading: 'never' }, endpoint: { baseUrl } },
    }),
    hooks: [{ name: 'measure', model: async (request, next) => onModel().then(() => next(request)) }],
  })
  await quaero.library.add(['examples/papers'])
  const ask = (question: string) => quaero.ask(question, { threadId: 'measured' })
  await ask('How does the store grow until turn 100?')
  const commits = countCommits()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  onModel = async () => {
    if (seen.before.size === 0) seen.before = await filesRun(seen.calls)
  }
  const { runId } = await ask('How does the store grow until turn 200?')
  const after = await filesRun(seen.calls)
  const events = []
  for await (const event of quaero.runs.events(runId)) events.push(event)
  const figures = {
    'files, without library and answers': new Set([...seen.before, ...after]).size,
    'of these before the first model call': seen.before.size,
    commits: commits(),
    events: events.length,
    'events read back from the log and checked again': seen.calls.get('parseEvent') ?? 0,
    'folds of a status': seen.calls.get('reduceStatus') ?? 0,
  }
  await quaero.close()
  return figures
}

/** Source files of which a function has run since the last look; adds up how often functions were called, by their name. */
async function filesRun(calls: Map<string, number>): Promise<Set<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ran = result.flatMap(({ url, functions }) => {
    const path = /\/src\/(.*)\.ts$/.exec(url)?.[1] ?? ''
    return functions.map(({ functionName: name, ranges }) => ({ path, name, count: ranges[0]?.count ?? 0 }))
  })
  // The body of a module is a function without a name.
  const named = ran.filter(({ path, name, count }) => path !== '' && name !== '' && count > 0)
  for (const { name, count } of named) calls.set(name, (calls.get(name) ?? 0) + count)
  return new Set(named.map(({ path }) => path).filter((path) => !/^(?:library|answers)\//.test(path)))
}

/** Counts what every connection of the process commits, from now on. */
function countCommits(): () => number {
  const probe = new Database(':memory:')
  const prototype = Object.getPrototypeOf(probe.prepare('SELECT 1'))
  probe.close()
  const run = prototype.run
  let count = 0
  prototype.run = function (this: { readonly source: string }, ...values: readonly unknown[]) {
    if (this.source === 'COMMIT') count += 1
    return run.apply(this, values)
  }
  return () => count
}
