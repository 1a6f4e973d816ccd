import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Event, type EventType, event, type Payloads, statusOf } from '../../../../src/events/index.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/sqlite-storage.ts'
import { openQuaero, temporaryFolder } from '../../../fixtures/workflow.ts'

function fact<T extends EventType>(runId: string, type: T, payload: Payloads[T]): Event {
  return event(type, payload, { correlationId: runId }) as unknown as Event
}

/** The log of a run that is under way. */
function logOf(runId: string, length: number): readonly Event[] {
  return [
    fact(runId, 'run.created', { threadId: runId, turn: 1, question: '?', documents: null }),
    fact(runId, 'run.started', { attempt: 1, question: '?', model: 'm' }),
    ...Array.from({ length: length - 2 }, (_, n) => fact(runId, 'round.started', { calls: [], again: n % 2 === 0 })),
  ]
}

/** Counts the statements that are run, and the rows that they bring. */
function counted() {
  const probe = new Database(':memory:')
  const prototype = Object.getPrototypeOf(probe.prepare('SELECT 1')) as Record<string, (...args: unknown[]) => unknown>
  probe.close()
  const originals = ['run', 'get', 'all', 'iterate'].map((name) => [name, prototype[name]] as const)
  const count = { statements: 0, rows: 0 }
  for (const [name, original] of originals) {
    prototype[name] = function statement(this: { readonly source?: string }, ...args: unknown[]) {
      const result = original?.apply(this, args)
      // How many writes share a commit, and how often others are looked for, is a matter of time.
      if (!/^(?:BEGIN|COMMIT|SAVEPOINT|RELEASE|ROLLBACK|PRAGMA|SELECT data_version)/i.test(this.source ?? ''))
        count.statements += 1
      count.rows += Array.isArray(result) ? result.length : 0
      return result
    }
  }
  onTestFinished(() => {
    for (const [name, original] of originals) if (original) prototype[name] = original
  })
  return count
}

describe('the status of a run', () => {
  it('is read from as few events of a long log as of a short one, and is what the whole log folds to', {
    tags: ['E3'],
  }, async () => {
    const storage = await openSqliteStorage({ path: ':memory:' })
    onTestFinished(() => storage.close())
    const count = counted()
    const rows: number[] = []
    for (const length of [149, 3049]) {
      const log = logOf(`r${length}`, length)
      for (const each of log) await storage.events.append(each)
      count.rows = 0
      expect((await storage.events.run(`r${length}`)).status).toEqual(statusOf(log))
      rows.push(count.rows)
    }
    expect(rows[0]).toBeGreaterThan(0)
    expect(rows[1]).toBe(rows[0])
  })

  it('is folded anew where it was kept by a version that knew less of a run', { tags: ['E3'] }, async () => {
    const path = join(await temporaryFolder(), 'quaero.db')
    const storage = await openSqliteStorage({ path })
    onTestFinished(() => storage.close())
    const log = logOf('r', 60)
    for (const each of log) await storage.events.append(each)
    const other = new Database(path)
    other.exec(`UPDATE runs SET snapshot = json_remove(snapshot, '$.rounds')`)
    other.close()
    expect((await storage.events.run('r')).status).toEqual(statusOf(log))
  })
})

describe('a thread', () => {
  it('takes as many SQL statements at a late turn as at an early one', { tags: ['Q7'] }, async () => {
    // The session log is written beside the run, so that some of its statements would count for the next.
    // A turn looks at the runs whose messages its thread keeps: their number is the same from turn 5 on.
    const settings = { sessionLogs: { text: false, yaml: false }, thread: { messageWindow: 4 } }
    const quaero = await openQuaero({ model: 'extractive', settings })
    const count = counted()
    const statements: number[] = []
    for (let turn = 1; turn <= 24; turn += 1) {
      count.statements = 0
      await quaero.ask('How many pages does the Marble corpus hold?', { threadId: 't' })
      statements.push(count.statements)
    }
    // A turn that takes long is looked at once, in case that another process cancels it.
    expect(Math.min(...statements.slice(-5))).toBe(Math.min(...statements.slice(5, 10)))
  })
})
