import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { isSameButMasked } from '../../../../src/runs/log/verify.ts'
import { libraryFolder, openQuaero } from '../../../fixtures/workflow.ts'

const key = 'Quince-Canary-4711'
const masked = '*'.repeat(key.length)
const question = 'How many pages does the Marble corpus hold?'

describe('two values', () => {
  it.each([
    [`my key is ${key}.`, `my key is ${masked}.`],
    [`${key} and ${masked}`, `${masked} and ${key}`],
    [
      [{ text: key, at: 1 }, null],
      [{ at: 1, text: masked }, null],
    ],
  ])('are the same but for what is masked: %j and %j', (one, other) => {
    expect(isSameButMasked(one, other)).toBe(true)
    expect(isSameButMasked(other, one)).toBe(true)
  })

  it.each([
    [`my key is ${key}.`, `my key is ${masked}!`],
    [`my key is ${key}.`, `my key is ${masked}*.`],
    [key, 'Quince-Canary-4712'],
    [[key], [masked, masked]],
    [{ a: key }, { b: masked }],
    [{ a: key }, { a: masked, b: 1 }],
    [{ a: 1 }, { a: 2 }],
    [null, {}],
  ])('are not: %j and %j', (one, other) => {
    expect(isSameButMasked(one, other)).toBe(false)
    expect(isSameButMasked(other, one)).toBe(false)
  })
})

describe('a thread that holds a key in clear, which is configured later', () => {
  async function talk() {
    const dataDir = await libraryFolder()
    const ask = async (env: Readonly<Record<string, string>>, asked: string) => {
      const quaero = await openQuaero({ model: 'extractive', dataDir, env })
      await quaero.ask(asked, { threadId: 'old' })
      const { discrepancies } = await quaero.verify()
      await quaero.close()
      return discrepancies
    }
    return { dataDir, ask }
  }

  it('is found whole when it goes on, and when the key is another again', { tags: ['T10', 'E6'] }, async () => {
    const { ask } = await talk()
    expect(await ask({}, `${question} My key is ${key}.`)).toEqual([])
    expect(await ask({ OPENAI_API_KEY: key }, question)).toEqual([])
    expect(await ask({ OPENAI_API_KEY: 'Another-Canary-1' }, question)).toEqual([])
  })

  it('is found out where anything else of it was changed', { tags: ['T10', 'E6'] }, async () => {
    const { dataDir, ask } = await talk()
    await ask({}, `${question} My key is ${key}.`)
    await ask({ OPENAI_API_KEY: key }, question)
    const database = new Database(`${dataDir}/quaero.db`)
    database.exec(`UPDATE events SET payload = replace(payload, 'My key is', 'My car is') WHERE type = 'run.created'`)
    database.close()
    const quaero = await openQuaero({ model: 'extractive', dataDir, env: { OPENAI_API_KEY: key } })
    expect((await quaero.verify()).discrepancies).not.toEqual([])
  })
})
