import { expect, it } from 'vitest'
import { describePlace } from '../../../src/assembly/assemble-storage.ts'

it('names the place of the data without user, password and what else an address carries', () => {
  const dataDir = '/data/library'
  const described = (address: string | null) => describePlace({ dataDir, address })
  expect(described(null)).toBe(dataDir)
  expect(described('postgres://quaero:pass@word@db.example:5432/quaero?sslmode=require&password=hidden-1')).toBe(
    'postgres://db.example:5432/quaero',
  )
  expect(described('postgresql://quaero@/quaero?host=/run/postgresql')).toBe('postgresql:///quaero')
  expect(describePlace({ dataDir: ':memory:', address: 'postgres://db.example/quaero' })).toBe(':memory:')
})
