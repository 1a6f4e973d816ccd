// Field notes: what a copy of a busy SQLite file holds, and what deleting gives back.
// Run: node backup-drill.mjs
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { median, prose, random, sleep, table, withFolder } from './common.mjs'

const TRIALS = 20
const PAYLOAD = 400
const self = fileURLToPath(import.meta.url)

function open(file) {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.exec('CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, body TEXT NOT NULL)')
  return db
}

/** The busy writer: one event a transaction, about one a millisecond, until it is stopped. */
async function write(file) {
  const insert = open(file).prepare('INSERT INTO events (body) VALUES (?)')
  const body = prose(random(1), PAYLOAD)
  for (let seq = 1; ; seq++) {
    insert.run(body)
    if (seq === 1) writeSync(1, 'ready\n')
    if (seq % 5 === 0) await sleep(5)
  }
}

const METHODS = {
  'copy of the main file': (_db, from, to) => copyFileSync(from, to),
  'copy of main, then -wal': (_db, from, to) => {
    copyFileSync(from, to)
    if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${to}-wal`)
  },
  'VACUUM INTO': (db, _from, to) => db.prepare('VACUUM INTO ?').run(to),
  'backup interface': (db, _from, to) => db.backup(to),
}

/** Copies a database that is being written and tells how many committed events the copy lacks. */
function drill(copy, wait) {
  return withFolder(async (folder) => {
    const from = join(folder, 'events.sqlite')
    const to = join(folder, 'copy.sqlite')
    const writer = spawn(process.execPath, [self, 'write', from])
    const gone = new Promise((resolve) => writer.once('close', resolve))
    await new Promise((resolve) => writer.stdout.once('data', resolve))
    await sleep(wait)
    const db = new Database(from)
    const committed = db.prepare('SELECT count(*) FROM events').pluck().get()
    await copy(db, from, to)
    writer.kill('SIGKILL')
    await gone
    db.close()
    try {
      const restored = new Database(to)
      const sound = restored.pragma('integrity_check', { simple: true }) === 'ok'
      const held = restored.prepare('SELECT count(*) FROM events').pluck().get()
      restored.close()
      return { committed, missing: Math.max(0, committed - held), sound, opened: true }
    } catch {
      return { committed, missing: committed, sound: false, opened: false }
    }
  })
}

async function copies() {
  const rows = []
  for (const [name, copy] of Object.entries(METHODS)) {
    const next = random(5)
    const trials = []
    for (let i = 0; i < TRIALS; i++) trials.push(await drill(copy, 300 + next() * 700))
    const missing = trials.map((trial) => trial.missing)
    const committed = trials.reduce((total, trial) => total + trial.committed, 0)
    const lacking = missing.reduce((total, count) => total + count, 0)
    rows.push([
      name,
      TRIALS,
      committed,
      lacking,
      ((100 * lacking) / committed).toFixed(1),
      missing.filter((count) => count > 0).length,
      median(missing),
      Math.max(...missing),
      trials.filter((trial) => !trial.opened).length,
      trials.filter((trial) => !trial.sound).length,
    ])
  }
  table(
    '1. Committed events that a copy lacks',
    ['method', 'trials', 'committed', 'missing', '%', 'with loss', 'median', 'most', 'no table', 'not sound'],
    rows,
  )
}

/** Size of the file before and after four fifths of the events are deleted. */
async function shrink() {
  const rows = []
  for (const mode of ['NONE', 'INCREMENTAL', 'FULL']) {
    await withFolder(async (folder) => {
      const file = join(folder, 'events.sqlite')
      const first = new Database(file)
      first.pragma(`auto_vacuum = ${mode}`)
      first.close()
      const db = open(file)
      const insert = db.prepare('INSERT INTO events (body) VALUES (?)')
      const body = prose(random(1), PAYLOAD)
      db.transaction(() => {
        for (let i = 0; i < 10000; i++) insert.run(body)
      })()
      const size = () => {
        db.pragma('wal_checkpoint(TRUNCATE)')
        return statSync(file).size
      }
      const sizes = [size()]
      db.exec('DELETE FROM events WHERE seq <= 8000')
      sizes.push(size())
      db.pragma('incremental_vacuum')
      sizes.push(size())
      db.exec('VACUUM')
      sizes.push(size())
      db.close()
      rows.push([mode, ...sizes])
    })
  }
  table(
    '2. Bytes of the file: 10,000 events, then 8,000 deleted',
    ['auto_vacuum', 'before', 'after DELETE', 'after incremental_vacuum', 'after VACUUM'],
    rows,
  )
}

const [command, file] = process.argv.slice(2)
if (command === 'write') await write(file)
else {
  await copies()
  await shrink()
}
