// Paper A: bytes that a graph workflow leaves in SQLite, turn by turn.
// Run: node checkpoint-growth.mjs
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { Annotation, END, messagesStateReducer, START, StateGraph } from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import Database from 'better-sqlite3'
import { median, prose, random, table, withFolder } from './common.mjs'

const QUESTION = 120 // characters of a question
const ANSWER = 800 // characters of an answer, unless said otherwise
const PASSAGES = 3 // passages found in a turn
const PASSAGE = 300 // characters of a passage
const WINDOW = 12 // messages kept by the bounded list: six turns
const MARKS = [1, 10, 50, 100, 200] // turns at which the store is measured
const TRIALS = 3

/** Two nodes: one finds passages, one writes the answer. */
function workflow(saver, { window, answer = ANSWER, next }) {
  const join = (old, update) => {
    const all = messagesStateReducer(old, update)
    return window ? all.slice(-window) : all
  }
  const State = Annotation.Root({
    messages: Annotation({ reducer: join, default: () => [] }),
    evidence: Annotation(),
  })
  const passages = () => Array.from({ length: PASSAGES }, () => prose(next, PASSAGE))
  return new StateGraph(State)
    .addNode('retrieve', () => ({ evidence: passages() }))
    .addNode('answer', () => ({ messages: [new AIMessage(prose(next, answer))] }))
    .addEdge(START, 'retrieve')
    .addEdge('retrieve', 'answer')
    .addEdge('answer', END)
    .compile({ checkpointer: saver })
}

/** Keeps the newest checkpoint of the thread and its writes. */
function prune(db) {
  const { id } = db.prepare('SELECT max(checkpoint_id) AS id FROM checkpoints').get()
  db.prepare('DELETE FROM writes WHERE checkpoint_id <> ?').run(id)
  db.prepare('DELETE FROM checkpoints WHERE checkpoint_id <> ?').run(id)
}

function measure(db, file) {
  const kept = db
    .prepare(
      `SELECT count(*) AS rows, sum(length(checkpoint)) AS state, sum(length(metadata)) AS metadata,
              max(length(checkpoint)) AS largest FROM checkpoints`,
    )
    .get()
  const writes = db.prepare('SELECT count(*) AS rows, total(length(value)) AS bytes FROM writes').get()
  db.pragma('wal_checkpoint(TRUNCATE)')
  const checkpoints = kept.state + kept.metadata
  return {
    rows: kept.rows,
    largest: kept.largest,
    checkpoints,
    writeRows: writes.rows,
    writes: writes.bytes,
    total: checkpoints + writes.bytes,
    file: statSync(file).size,
  }
}

function run(arm, seed, turns = MARKS.at(-1)) {
  return withFolder(async (folder) => {
    const file = join(folder, 'threads.sqlite')
    const db = new Database(file)
    const next = random(seed)
    const graph = workflow(new SqliteSaver(db), { ...arm, next })
    const config = { configurable: { thread_id: 't' }, durability: arm.durability ?? 'async' }
    const marks = {}
    const times = []
    let state
    for (let turn = 1; turn <= turns; turn++) {
      const began = process.hrtime.bigint()
      state = await graph.invoke({ messages: [new HumanMessage(prose(next, QUESTION))] }, config)
      if (arm.prune) prune(db)
      times.push(Number(process.hrtime.bigint() - began))
      if (MARKS.includes(turn)) marks[turn] = measure(db, file)
    }
    db.close()
    const slower = median(times.slice(-20)) / median(times.slice(5, 25))
    return { marks, messages: state.messages.length, slower }
  })
}

const ARMS = [
  { name: 'stock' },
  { name: 'window', window: WINDOW },
  { name: 'prune', prune: true },
  { name: 'exit', durability: 'exit' },
  { name: 'window+prune', window: WINDOW, prune: true },
]

const results = new Map()
for (const arm of ARMS) {
  const trials = []
  for (let trial = 0; trial < TRIALS; trial++) trials.push(await run(arm, 1 + trial))
  results.set(arm.name, trials)
}
const at = (name, turn) => results.get(name)[0].marks[turn]

table(
  '1. Bytes stored (checkpoints + writes) after a turn',
  ['arm', ...MARKS.map((turn) => `turn ${turn}`)],
  ARMS.map(({ name }) => [name, ...MARKS.map((turn) => at(name, turn).total)]),
)
table(
  '2. After the last turn',
  ['arm', 'cp rows', 'cp bytes', 'w rows', 'w bytes', 'largest cp', 'file', 'messages', 'slower'],
  ARMS.map(({ name }) => {
    const last = at(name, MARKS.at(-1))
    return [
      name,
      last.rows,
      last.checkpoints,
      last.writeRows,
      last.writes,
      last.largest,
      last.file,
      results.get(name)[0].messages,
      median(results.get(name).map((trial) => trial.slower)).toFixed(2),
    ]
  }),
)
table(
  '3. Spread of the stored bytes over the trials (largest / smallest - 1, last turn)',
  ['arm', 'trials', 'spread %'],
  ARMS.map(({ name }) => {
    const totals = results.get(name).map((trial) => trial.marks[MARKS.at(-1)].total)
    return [name, TRIALS, ((Math.max(...totals) / Math.min(...totals) - 1) * 100).toFixed(3)]
  }),
)

const lengths = []
for (const answer of [200, 800, 3200]) {
  const stock = (await run({ answer }, 1, 100)).marks[100]
  const bound = (await run({ answer, window: WINDOW, prune: true }, 1, 100)).marks[100]
  const typed = 100 * (QUESTION + answer)
  lengths.push([
    answer,
    typed,
    stock.total,
    (stock.total / typed).toFixed(1),
    bound.total,
    (stock.total / bound.total).toFixed(0),
  ])
}
table(
  '4. Length of the answers, 100 turns',
  ['answer', 'conversation', 'stock', 'stock/conv', 'window+prune', 'stock/bound'],
  lengths,
)
