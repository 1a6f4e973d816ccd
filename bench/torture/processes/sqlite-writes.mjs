/**
 * Preloaded (`node --import`) into a process under test: counts what it writes to SQLite, and at a chosen write kills the
 * process or lets the write fail, as a full or broken disk would.
 *
 *     TORTURE_WRITES='{"kill":7}'                            dies before the 7th write
 *     TORTURE_WRITES='{"kill":7,"after":true}'               dies as soon as the 7th write is done
 *     TORTURE_WRITES='{"completed":3}'                       dies as soon as the log holds that 3 model or tool calls are finished
 *     TORTURE_WRITES='{"fail":7,"code":"SQLITE_FULL"}'       the 7th write throws; with "onwards": and every later one
 *     TORTURE_WRITES='{"journal":"/tmp/x"}'                  adds one line for each write: what it was
 *
 * A write is a statement that changes the database, or the COMMIT that makes changes last.
 */
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

function counted(what, write) {
  count += 1
  if (journal) appendFileSync(journal, `${what}\n`)
  if (!after) dieIf(count === kill)
  if (fail > 0 && (onwards ? count >= fail : count === fail)) {
    throw new Database.SqliteError(code === 'SQLITE_FULL' ? 'database or disk is full' : 'disk I/O error', code)
  }
  const result = write()
  if (what.startsWith('COMMIT')) finished += what.match(/\b(model|tool)\.completed\b/g)?.length ?? 0
  dieIf(count === kill || (completed > 0 && finished >= completed))
  return result
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
  const what = table === 'events' && first?.type ? first.type : `${sql.split(' ', 1)[0]} ${table}`
  changed.push(what)
  return what
}
