// Paper C: messages lost when several runs use one thread at a time, with and without a lease.
// Run: node lost-updates.mjs
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { Annotation, END, messagesStateReducer, START, StateGraph } from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import Database from 'better-sqlite3'
import { median, random, sleep, table, withFolder } from './common.mjs'

const TRIALS = 30
const SIZES = [2, 5, 10] // runs started at the same moment
const PROCESSES = 3
const WORK = [5, 25] // the node "thinks" for 5 to 25 ms

/** One node that waits as a model call would, then appends its answer. */
function workflow(saver) {
  const State = Annotation.Root({
    messages: Annotation({ reducer: messagesStateReducer, default: () => [] }),
  })
  return new StateGraph(State)
    .addNode('answer', async (_state, { configurable }) => {
      await sleep(configurable.work)
      return { messages: [new AIMessage({ id: `a${configurable.name}`, content: 'answer' })] }
    })
    .addEdge(START, 'answer')
    .addEdge('answer', END)
    .compile({ checkpointer: saver })
}

/** A lease is a row: who holds the thread, until when, and the how-manieth holder that is. */
class Lease {
  constructor(db, ttl) {
    this.db = db
    this.ttl = ttl
    db.exec(
      `CREATE TABLE IF NOT EXISTS leases
       (thread TEXT PRIMARY KEY, owner TEXT, expires INTEGER, token INTEGER)`,
    )
    const read = db.prepare('SELECT owner, expires, token FROM leases WHERE thread = ?')
    const write = db.prepare('INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)')
    this.tryTake = db.transaction((thread, owner) => {
      const held = read.get(thread)
      const now = Date.now()
      if (held?.owner && held.owner !== owner && held.expires > now) return false
      write.run(thread, owner, now + this.ttl, (held?.token ?? 0) + 1)
      return true
    }).immediate // BEGIN IMMEDIATE: the read above already holds the write lock
    this.extend = db.prepare('UPDATE leases SET expires = ? WHERE thread = ? AND owner = ?')
    this.free = db.prepare('UPDATE leases SET owner = NULL WHERE thread = ? AND owner = ?')
  }

  async hold(thread, owner, renew, work) {
    let tries = 1
    while (!this.tryTake(thread, owner)) {
      tries++
      await sleep(2 + Math.random() * 6)
    }
    const beat = () => this.extend.run(Date.now() + this.ttl, thread, owner)
    const timer = renew ? setInterval(beat, this.ttl / 3) : undefined
    try {
      await work()
    } finally {
      clearInterval(timer)
      this.free.run(thread, owner)
    }
    return tries
  }
}

function openStore(file) {
  const db = new Database(file)
  const saver = new SqliteSaver(db)
  saver.setup()
  return { db, graph: workflow(saver) }
}

/** Starts the named runs together and tells how each ended. */
async function runAll({ file, thread, names, guard, works, delays }) {
  const { db, graph } = openStore(file)
  const lease = guard && new Lease(db, guard.ttl)
  const one = async (name, i) => {
    const input = { messages: [new HumanMessage({ id: `q${name}`, content: 'question' })] }
    const config = { configurable: { thread_id: thread, name, work: works[i] } }
    let saw = false
    const work = async () => {
      const state = await graph.invoke(input, config)
      saw = [`q${name}`, `a${name}`].every((id) => state.messages.some((m) => m.id === id))
    }
    if (delays[i] > 0) await sleep(delays[i])
    try {
      let tries = 1
      if (lease) tries = await lease.hold(thread, name, guard.renew, work)
      else await work()
      return { saw, tries }
    } catch (error) {
      return { saw, tries: 1, error: error.code ?? error.name }
    }
  }
  const ends = await Promise.all(names.map(one))
  db.close()
  return ends
}

if (process.send) {
  process.on('message', async (job) => process.send(await runAll(job)))
} else {
  await main()
}

function ask(worker, job) {
  return new Promise((resolve) => {
    worker.once('message', resolve)
    worker.send(job)
  })
}

async function main() {
  const self = fileURLToPath(import.meta.url)
  const workers = Array.from({ length: PROCESSES }, () => fork(self))

  async function arm({ size, processes, guard, work = WORK, spread = 0 }) {
    const next = random(size * 10 + processes)
    const sum = { expected: 0, lost: 0, questions: 0, trialsWithLoss: 0, errors: 0, unseen: 0 }
    const wall = []
    const lostPerTrial = []
    let tries = 0
    for (let trial = 0; trial < TRIALS; trial++) {
      await withFolder(async (folder) => {
        const file = join(folder, 'threads.sqlite')
        openStore(file).db.close()
        const names = Array.from({ length: size }, (_, i) => `${trial}-${i}`)
        const works = names.map(() => Math.round(work[0] + next() * (work[1] - work[0])))
        const delays = names.map(() => Math.round(next() * spread))
        const share = (p) => (_, i) => i % processes === p
        const jobs = Array.from({ length: processes }, (_, p) => ({
          file,
          thread: 't',
          names: names.filter(share(p)),
          works: works.filter(share(p)),
          delays: delays.filter(share(p)),
          guard,
        }))
        const began = performance.now()
        const ends =
          processes === 1
            ? await runAll(jobs[0])
            : (await Promise.all(jobs.map((job, p) => ask(workers[p], job)))).flat()
        wall.push(performance.now() - began)

        const { db, graph } = openStore(file)
        const state = await graph.getState({ configurable: { thread_id: 't' } })
        const ids = new Set(state.values.messages.map((message) => message.id))
        db.close()
        const questions = names.filter((name) => !ids.has(`q${name}`)).length
        const lost = questions + names.filter((name) => !ids.has(`a${name}`)).length
        sum.expected += 2 * size
        sum.lost += lost
        sum.questions += questions
        sum.trialsWithLoss += lost > 0 ? 1 : 0
        sum.errors += ends.filter((end) => end.error).length
        sum.unseen += ends.filter((end) => !end.saw).length
        tries += ends.reduce((total, end) => total + end.tries, 0)
        lostPerTrial.push(lost)
      })
    }
    return { ...sum, wall: median(wall), tries: tries / (TRIALS * size), lostPerTrial }
  }

  const row = (label, r) => [
    ...label,
    r.expected,
    r.lost,
    ((100 * r.lost) / r.expected).toFixed(1),
    r.questions,
    `${Math.min(...r.lostPerTrial)}-${Math.max(...r.lostPerTrial)}`,
    `${r.trialsWithLoss}/${TRIALS}`,
    r.errors,
    r.unseen,
    r.tries.toFixed(1),
  ]
  const head = ['sent', 'lost', 'lost %', 'lost q', 'per trial', 'with loss', 'errors', 'unseen', 'tries']

  const rows = []
  const slow = []
  for (const processes of [1, PROCESSES]) {
    for (const size of SIZES) {
      const bare = await arm({ size, processes })
      const held = await arm({ size, processes, guard: { ttl: 2000, renew: true } })
      rows.push(row(['stock', processes, size], bare), row(['lease', processes, size], held))
      slow.push([processes, size, (held.wall / bare.wall).toFixed(1)])
    }
  }
  table('1. Messages lost', ['guard', 'processes', 'n', ...head], rows)
  table('2. Time until all are done, lease / stock (medians)', ['processes', 'n', 'ratio'], slow)

  const expiry = []
  for (const [label, guard] of [
    ['ttl 20 ms, no renewal', { ttl: 20, renew: false }],
    ['ttl 60 ms, no renewal', { ttl: 60, renew: false }],
    ['ttl 60 ms, renewed', { ttl: 60, renew: true }],
    ['ttl 2000 ms, no renewal', { ttl: 2000, renew: false }],
  ]) {
    const r = await arm({ size: 5, processes: PROCESSES, guard, work: [30, 90] })
    expiry.push(row([label], r))
  }
  table(`3. Leases that run out (n = 5, work 30 to 90 ms)`, ['lease', ...head], expiry)

  const spreads = []
  for (const spread of [0, 10, 50, 100, 200, 400]) {
    const bare = await arm({ size: 5, processes: 1, spread })
    spreads.push(row([spread], bare))
  }
  table('4. Starts spread over a time, stock, one process, n = 5', ['spread ms', ...head], spreads)
  for (const worker of workers) worker.disconnect()
}
