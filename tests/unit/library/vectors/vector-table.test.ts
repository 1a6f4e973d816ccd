import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PassageVectors, VectorSpace } from '../../../../src/library/port/passage-vectors.ts'
import { vectorTable } from '../../../../src/library/vectors/vector-table.ts'

/** Vectors in memory, and how often they were read. */
function stored() {
  const kept = new Map<string, Map<number, Float32Array>>()
  const state = { version: 0, reads: 0, next: 1 }
  const of = (space: VectorSpace) => kept.get(String(space.id)) ?? new Map<number, Float32Array>()
  const vectors: Partial<PassageVectors> = {
    version: async () => String(state.version),
    extent: async (space) => ({ count: of(space).size, last: Math.max(0, ...of(space).keys()) }),
    read: async (space, { after, limit }) => {
      state.reads += 1
      const newer = [...of(space)].filter(([id]) => id > after).slice(0, limit)
      return newer.map(([id, vector]) => ({ id, components: new Uint8Array(vector.buffer) }))
    },
    vectorsOf: async (space, documents) => [...of(space).keys()].filter((id) => documents.includes(`d${id}`)),
  }
  return {
    // Only what a table asks for is there.
    table: vectorTable(vectors as PassageVectors),
    state,
    add(space: VectorSpace, ...components: number[]) {
      const id = state.next++
      kept.set(String(space.id), of(space).set(id, Float32Array.from(components)))
      state.version += 1
      return id
    },
    remove(space: VectorSpace, id: number) {
      of(space).delete(id)
      state.version += 1
    },
  }
}

const space = { id: 1, dimensions: 2 }
const all = { limit: 10, documents: null }
const east = Float32Array.from([1, 0])

describe('a table of vectors', () => {
  it('finds the nearest first, and says how near one comes by chance', async () => {
    const { table, add } = stored()
    const [north, eastward, west] = [add(space, 0, 1), add(space, 0.8, 0.6), add(space, -1, 0)]
    const { found, background, compared } = await table.nearest(space, east, all)
    expect(found.map(({ vector }) => vector)).toEqual([eastward, north, west])
    expect(found[0]?.similarity).toBeCloseTo(0.8)
    expect(background).toBeCloseTo(-0.2 / 13)
    expect(compared).toBe(3)
    expect((await table.nearest(space, east, { ...all, limit: 1 })).found).toHaveLength(1)
  })

  it('looks only at the documents asked for', async () => {
    const { table, add } = stored()
    const ids = [add(space, 1, 0), add(space, 0, 1)]
    const { found, compared } = await table.nearest(space, east, { limit: 10, documents: [`d${ids[1]}`] })
    expect([found.map(({ vector }) => vector), compared]).toEqual([[ids[1]], 2])
  })

  it('reads what is new, and nothing where nothing has changed', async () => {
    const { table, add, state } = stored()
    add(space, 1, 0)
    await Promise.all([table.nearest(space, east, all), table.nearest(space, east, all)])
    // Once for the vector, once to see that there are no more.
    expect(state.reads).toBe(2)
    await table.nearest(space, east, all)
    expect(state.reads).toBe(2)
    const added = add(space, 0.6, 0.8)
    const { found } = await table.nearest(space, east, all)
    expect(found.map(({ vector }) => vector)).toContain(added)
  })

  it('forgets what is gone, also when something new came at the same time', async () => {
    const { table, add, remove } = stored()
    const first = add(space, 1, 0)
    const second = add(space, 0.8, 0.6)
    await table.nearest(space, east, all)
    remove(space, first)
    const third = add(space, 0.6, 0.8)
    const { found } = await table.nearest(space, east, all)
    expect(found.map(({ vector }) => vector)).toEqual([second, third])
  })

  it('never compares vectors of two spaces', async () => {
    const { table, add } = stored()
    const other = { id: 2, dimensions: 3 }
    const ids = [add(space, 1, 0), add(other, 0, 0, 1)]
    const asked = [table.nearest(space, east, all), table.nearest(other, Float32Array.from([0, 0, 1]), all)]
    const found = (await Promise.all(asked)).map((nearest) => nearest.found)
    expect(found).toMatchObject([[{ vector: ids[0], similarity: 1 }], [{ vector: ids[1], similarity: 1 }]])
  })

  it('lets others have their turn after a megabyte that is read, and after eight that are compared', async () => {
    const [count, wide] = [9000, { id: 3, dimensions: 768 }]
    const components = new Uint8Array(4 * wide.dimensions)
    const limits: number[] = []
    let turns = 0
    const vectors: Partial<PassageVectors> = {
      version: async () => '1',
      extent: async () => ({ count, last: count }),
      read: async (_, { after, limit }) => {
        limits.push(limit)
        const ids = Array.from({ length: Math.min(limit, count - after) }, (_, at) => after + at + 1)
        return ids.map((id) => ({ id, components }))
      },
    }
    const table = vectorTable(vectors as PassageVectors)
    const turnsDuring = async (work: Promise<unknown>) => {
      let isDone = false
      const done = work.finally(() => {
        isDone = true
      })
      for (turns = 0; !isDone; turns += 1) await setImmediate()
      await done
      return turns
    }
    const query = new Float32Array(wide.dimensions)
    // Each read and each comparison: 27 of 342 vectors, 3 of 2736.
    expect(await turnsDuring(table.nearest(wide, query, all))).toBeGreaterThanOrEqual(27 + 3)
    expect(Math.max(...limits) * components.length).toBeLessThan(1.01 * 2 ** 20)
    expect(await turnsDuring(table.nearest(wide, query, all))).toBeGreaterThanOrEqual(3)
  })

  it('agrees with sorting all of them', async () => {
    const component = fc.double({ min: -1, max: 1, noNaN: true })
    const vector = fc.array(component, { minLength: 7, maxLength: 7 })
    const property = fc.asyncProperty(
      fc.array(vector, { maxLength: 60 }),
      vector,
      fc.integer({ min: 1, max: 9 }),
      async (rows, query, limit) => {
        const seven = { id: 7, dimensions: 7 }
        const { table, add } = stored()
        for (const row of rows) add(seven, ...row)
        const { found } = await table.nearest(seven, Float32Array.from(query), { limit, documents: null })
        const dots = rows.map((row) =>
          row.reduce((sum, each, at) => sum + Math.fround(each) * Math.fround(query[at] ?? 0), 0),
        )
        const expected = dots.sort((a, b) => b - a).slice(0, limit)
        expect(found).toHaveLength(expected.length)
        for (const [at, { similarity }] of found.entries()) expect(similarity).toBeCloseTo(expected[at] ?? 0, 5)
      },
    )
    await fc.assert(property, { numRuns: 100 })
  })
})
