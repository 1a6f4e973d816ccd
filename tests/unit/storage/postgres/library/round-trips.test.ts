import { describe, expect, it, onTestFinished } from 'vitest'
import type { NewDocument } from '../../../../../src/library/port/document.ts'
import type { SourceRecord } from '../../../../../src/library/port/passage-index.ts'
import type { Sql } from '../../../../../src/storage/postgres/database/connection.ts'
import { openDatabase, type PostgresDatabase } from '../../../../../src/storage/postgres/database/database.ts'
import { postgresPassageIndex } from '../../../../../src/storage/postgres/library/passage-index.ts'
import { newDatabase } from '../../../../fixtures/storage/new-database.ts'
import { postgresMissing } from '../../../../fixtures/storage/postgres-server.ts'

/** The same database, whose transactions count their statements. */
function counted(database: PostgresDatabase): { readonly database: PostgresDatabase; readonly asked: () => number } {
  let count = 0
  const counting = (sql: Sql): Sql => {
    const once = <T>(statement: () => Promise<T>) => {
      count += 1
      return statement()
    }
    return {
      all: (statement, values) => once(() => sql.all(statement, values)),
      get: (statement, values) => once(() => sql.get(statement, values)),
      run: (statement, values) => once(() => sql.run(statement, values)),
    }
  }
  const transaction: PostgresDatabase['transaction'] = (work, options) =>
    database.transaction((sql) => work(counting(sql)), options)
  return { database: Object.create(database, { transaction: { value: transaction } }), asked: () => count }
}

/** A document of so many pages, with a passage on each. */
function documentOf(documentId: string, count: number): [NewDocument, SourceRecord] {
  const source = `${documentId}.txt`
  const text = 'Whales sing.'
  const numbers = Array.from({ length: count }, (_, ordinal) => ordinal)
  const of = { documentId, kind: 'text', section: null, start: 0, end: text.length, text } as const
  return [
    {
      record: { documentId, title: null, authors: [], year: null, source, format: 'text' },
      pages: numbers.map((ordinal) => ({ number: ordinal + 1, label: null, text, header: null })),
      passages: numbers.map((ordinal) => ({
        ...of,
        passageId: `${documentId}.${ordinal}`,
        ordinal,
        page: ordinal + 1,
      })),
    },
    { source, documentId, size: 0, modifiedMs: 0 },
  ]
}

describe.skipIf(postgresMissing !== null)(`a document that is stored (${postgresMissing ?? 'PostgreSQL'})`, () => {
  it('takes the same few statements however many pages it has', async () => {
    const opened = await openDatabase(await newDatabase())
    onTestFinished(() => opened.close())
    const { database, asked } = counted(opened)
    const index = postgresPassageIndex(database)
    const statements = async (documentId: string, count: number) => {
      const before = asked()
      await index.put(...documentOf(documentId, count))
      return asked() - before
    }
    const few = await statements('short', 1)
    expect(few).toBeLessThan(20)
    expect(await statements('long', 40)).toBe(few)
  })
})
