/**
 * Preloaded (`node --import`) into a process under test: counts what it writes to SQLite, and at a chosen write kills the
 * process or lets the write fail, as a full or broken disk would.
 *
 *     TORTURE_WRITES='{"kill":7}'                            dies before the 7th write
 *     TORTURE_WRITES='{"kill":7,"after":true}'               dies as soon as the 7th write is done
 *     TORTURE_WRITES='{"completed":3}'                       dies as soon as the log holds that 3 model or tool calls are finished
 *     TORTURE_WRITES='{"fail":7,"code":"SQLITE_FULL"}'       the 7th write throws; with "onwards": and every later one
 *     TORTURE_WRITES='{"journal":"/tmp/x"}'                  adds one line for each write: what it was
 *     TORTURE_WRITES='{"tell":true}'                         tells the parent when the end of each model call is stored, and
 *                                                            what processor time that took since the reply was there
 *
 * A write is a statement that changes the database, or the COMMIT that makes changes last.
 */
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import Database from 'better-sqlite3'

const {
  kill = 0,
  after = false,
  completed = 0,
  fail = 0,
  code = 'SQLITE_FULL',
  onwards = false,
  journal,
  tell = false,
} = JSON.parse(process.env.TORTURE_WRITES ?? '{}')
const probe = new Database(':memory:')
const prototype = Object.getPrototypeOf(probe.prepare('SELECT 1'))
const memory = probe.constructor
let count = 0
/** Model and tool calls that the log says are finished. */
let finished = 0
/** What the transaction under way has changed. */
let changed = []

for (const method of ['run', 'get', 'all']) {
  const original = prototype[method]
  prototype[method] = function (...values) {
    const what = describe(this, values)
    if (what === null || !(this.database instanceof memory)) return original.apply(this, values)
    return counted(what, () => original.apply(this, values))
  }
}

let workedBefore = 0
/** Told by `fetch` when the last byte of a reply is read. */
if (tell)
  subscribe('undici:request:trailers', () => {
    workedBefore = workedMs()
  })

/** Of all threads. */
function workedMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function counted(what, write) {
  count += 1
  if (journal) appendFileSync(journal, `${what}\n`)
  if (!after) dieIf(count === kill)
  if (fail > 0 && (onwards ? count >= fail : count === fail)) {
    throw new Database.SqliteError(code === 'SQLITE_FULL' ? 'database or disk is full' : 'disk I/O error', code)
  }
  const result = write()
  if (what.startsWith('COMMIT')) committed(what)
  dieIf(count === kill || (completed > 0 && finished >= completed))
  return result
}

function committed(what) {
  finished += what.match(/\b(model|tool)\.completed\b/g)?.length ?? 0
  // Milliseconds; of a clock that all processes of the machine share.
  if (tell && what.includes('model.completed'))
    process.send?.({ storedAt: performance.timeOrigin + performance.now(), workedMs: workedMs() - workedBefore })
}

function dieIf(isTime) {
  if (isTime) process.kill(process.pid, 'SIGKILL')
}

/** In words; null for what changes nothing. */
function describe(statement, [first]) {
  const sql = statement.source.trim()
  if (sql === 'COMMIT') {
    const all = changed.join(', ')
    changed = []
    return all === '' ? null : `COMMIT ${all}`
  }
  if (sql.startsWith('BEGIN') || sql === 'ROLLBACK') changed = []
  if (statement.readonly || !/^(INSERT|UPDATE|DELETE|REPLACE)/.test(sql)) return null
  const table = /(?:INTO|UPDATE|FROM)\s+(\w+)/.exec(sql)?.[1] ?? sql
  // The third value of a new event is its type.
  const what = table === 'events' && first?.[2] ? first[2] : `${sql.split(' ', 1)[0]} ${table}`
  changed.push(what)
  return what
}
