// Paper D: an event log with one writer in SQLite: what survives kill -9, and what an event costs.
// Run: node event-log.mjs
import { spawn } from 'node:child_process'
import { statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { median, prose, random, sleep, table, withFolder } from './common.mjs'

const TRIALS = 60
const PAYLOAD = 400 // characters of an event, unless said otherwise
const BATCH = 50 // events held in memory by the writer that answers too early
const KILL = [5, 150] // kill between 5 and 150 ms after the first answer

function open(file, synchronous) {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma(`synchronous = ${synchronous}`)
  db.exec(`CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY, run TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL)`)
  const insert = db.prepare("INSERT INTO events (run, type, body) VALUES ('run-1', 'step', ?)")
  const append = db.transaction((bodies) => {
    for (const body of bodies) insert.run(body)
  })
  return { db, append }
}

/** The writer: appends for ever and answers each event with its number on standard output. */
function write(file, synchronous, early) {
  const { append } = open(file, synchronous)
  const body = prose(random(1), PAYLOAD)
  const held = []
  for (let seq = 1; ; seq++) {
    held.push(body)
    if (early) writeSync(1, `${seq}\n`) // answered before it is stored
    if (held.length >= (early ? BATCH : 1)) append(held.splice(0))
    if (!early) writeSync(1, `${seq}\n`) // answered after COMMIT
  }
}

const self = fileURLToPath(import.meta.url)

/** One trial: start a writer, kill it, count the answered events that are not in the file. */
function kill(synchronous, early, after) {
  return withFolder(async (folder) => {
    const file = join(folder, 'events.sqlite')
    const writer = spawn(process.execPath, [self, 'write', file, synchronous, early ? 'early' : ''])
    const gone = new Promise((resolve) => writer.once('close', resolve))
    let output = ''
    writer.stdout.on('data', (chunk) => (output += chunk))
    await new Promise((resolve) => writer.stdout.once('data', resolve))
    await sleep(after)
    writer.kill('SIGKILL')
    await gone
    const answered = Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1))
    const db = new Database(file)
    const { last, rows } = db.prepare('SELECT max(seq) AS last, count(*) AS rows FROM events').get()
    const sound = db.pragma('integrity_check', { simple: true }) === 'ok'
    db.close()
    return { answered, stored: last ?? 0, gaps: (last ?? 0) - rows, sound }
  })
}

async function kills() {
  const rows = []
  for (const [synchronous, early] of [
    ['FULL', false],
    ['NORMAL', false],
    ['OFF', false],
    ['FULL', true],
  ]) {
    const next = random(11)
    const trials = []
    for (let i = 0; i < TRIALS; i++) {
      trials.push(await kill(synchronous, early, KILL[0] + next() * (KILL[1] - KILL[0])))
    }
    const lost = trials.map((trial) => Math.max(0, trial.answered - trial.stored))
    const sum = (values) => values.reduce((total, value) => total + value, 0)
    rows.push([
      synchronous,
      early ? `before COMMIT, ${BATCH} a time` : 'after COMMIT',
      TRIALS,
      sum(trials.map((trial) => trial.answered)),
      sum(lost),
      lost.filter((count) => count > 0).length,
      Math.max(...lost),
      median(lost),
      trials.filter((trial) => trial.stored > trial.answered).length,
      sum(trials.map((trial) => trial.gaps)),
      trials.filter((trial) => !trial.sound).length,
    ])
  }
  table(
    '1. Answered events after kill -9',
    [
      'sync',
      'answers',
      'trials',
      'answered',
      'lost',
      'trials with loss',
      'most',
      'median',
      'stored unanswered',
      'gaps',
      'damaged',
    ],
    rows,
  )
}

/** Bytes in the database and in the write-ahead log for the same events, by size of transaction. */
async function bytes() {
  const rows = []
  for (const payload of [100, 400, 1600]) {
    for (const batch of [1, 10, 100]) {
      await withFolder(async (folder) => {
        const events = 2000
        const file = join(folder, 'events.sqlite')
        const { db, append } = open(file, 'NORMAL')
        db.pragma('wal_checkpoint(TRUNCATE)')
        db.pragma('wal_autocheckpoint = 0')
        const body = prose(random(1), payload)
        for (let i = 0; i < events; i += batch) append(Array(batch).fill(body))
        const wal = statSync(`${file}-wal`).size
        db.pragma('wal_checkpoint(TRUNCATE)')
        const size = statSync(file).size
        db.close()
        rows.push([
          payload,
          batch,
          (size / events).toFixed(0),
          (size / events / payload).toFixed(2),
          (wal / events).toFixed(0),
          (wal / events / payload).toFixed(1),
        ])
      })
    }
  }
  table('2. Bytes per event (2,000 events)', ['payload', 'events/tx', 'db', 'db/payload', 'wal', 'wal/payload'], rows)
}

/** Events per second by setting and batch; rounds are interleaved, so that noise is shared. */
async function rates() {
  const rounds = 7
  const modes = ['FULL', 'NORMAL', 'OFF']
  const batches = [1, 10, 100]
  const seen = new Map()
  for (let round = 0; round < rounds; round++) {
    for (const batch of batches) {
      for (const mode of modes) {
        await withFolder(async (folder) => {
          const { db, append } = open(join(folder, 'events.sqlite'), mode)
          const bodies = Array(batch).fill(prose(random(1), PAYLOAD))
          const times = 100
          const began = performance.now()
          for (let i = 0; i < times; i++) append(bodies)
          const rate = (times * batch) / (performance.now() - began)
          db.close()
          const key = `${mode} ${batch}`
          seen.set(key, [...(seen.get(key) ?? []), rate])
        })
      }
    }
  }
  const base = median(seen.get('FULL 1'))
  table(
    `3. Events per second, relative to FULL with one event a transaction (median of ${rounds} rounds)`,
    ['events/tx', ...modes, 'NORMAL/FULL'],
    batches.map((batch) => {
      const rate = modes.map((mode) => median(seen.get(`${mode} ${batch}`)) / base)
      return [batch, ...rate.map((value) => value.toFixed(1)), (rate[1] / rate[0]).toFixed(1)]
    }),
  )
}

const [command, ...rest] = process.argv.slice(2)
if (command === 'write') write(rest[0], rest[1], rest[2] === 'early')
else {
  await kills()
  await bytes()
  await rates()
}
