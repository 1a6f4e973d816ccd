import { setImmediate } from 'node:timers/promises'
import type { PassageVectors, VectorSpace } from '../port/passage-vectors.ts'

export interface Nearest {
  /** The vectors nearest to the query, the nearest first; similarity is the cosine. */
  readonly found: readonly { readonly vector: number; readonly similarity: number }[]
  /** The mean similarity of all vectors, how near one comes by chance. */
  readonly background: number
  /** How many vectors there are. */
  readonly compared: number
}

/**
 * After so many components the event loop runs: of vectors that are read (1 MB, 341 vectors of 768 dimensions) and of
 * those that are compared. Either takes a few milliseconds. Counted, since time says little on a busy machine.
 */
const READ_AT_ONCE = 2 ** 18
const COMPARED_AT_ONCE = 2 ** 21

/**
 * The vectors of a space in memory: all are read when first needed, later only new ones. Compares the query with every
 * vector: exact, and up to some hundred thousand of them faster than the embedding of the query.
 */
export function vectorTable(vectors: PassageVectors) {
  let known: { readonly rows: Rows; readonly version: string } | null = null
  let lastTurn: Promise<unknown> = Promise.resolve()

  /** What is stored now. Concurrent searches wait for one read. */
  function current(space: VectorSpace): Promise<Rows> {
    const look = async () => {
      const version = await vectors.version()
      const before = known?.rows.space.id === space.id ? known : null
      const rows = before?.version === version ? before.rows : await refresh(vectors, before?.rows ?? null, space)
      known = { rows, version }
      return rows
    }
    const turn = lastTurn.then(look)
    lastTurn = turn.catch(() => {})
    return turn
  }

  return {
    async nearest(
      space: VectorSpace,
      query: Float32Array,
      { limit, documents }: { readonly limit: number; readonly documents: readonly string[] | null },
    ): Promise<Nearest> {
      const { blocks } = await current(space)
      const among = documents && new Set(await vectors.vectorsOf(space, documents))
      return await scan(blocks, query, limit, among)
    },
  }
}

interface Rows {
  readonly space: VectorSpace
  readonly count: number
  readonly last: number
  readonly blocks: readonly Block[]
}

interface Block {
  readonly ids: readonly number[]
  /** The components of all its vectors, one after the other. */
  readonly components: Float32Array
}

/** Adds what is new; reads all again if vectors were deleted. */
async function refresh(vectors: PassageVectors, known: Rows | null, space: VectorSpace): Promise<Rows> {
  const old = known ?? { space, count: 0, last: 0, blocks: [] }
  const added = await readBlocks(vectors, space, old.last)
  const count = old.count + added.reduce((sum, { ids }) => sum + ids.length, 0)
  // Asked last: additions meanwhile only increase it, so a smaller count means that some of those in memory were deleted.
  const { count: stored } = await vectors.extent(space)
  if (known && stored < count) return await refresh(vectors, null, space)
  return { space, count, last: added.at(-1)?.ids.at(-1) ?? old.last, blocks: [...old.blocks, ...added] }
}

async function readBlocks(vectors: PassageVectors, space: VectorSpace, from: number): Promise<Block[]> {
  const blocks: Block[] = []
  let after = from
  for (;;) {
    const read = await vectors.read(space, { after, limit: Math.ceil(READ_AT_ONCE / space.dimensions) })
    const last = read.at(-1)
    if (!last) return blocks
    blocks.push(blockOf(read, space.dimensions))
    after = last.id
    await setImmediate()
  }
}

function blockOf(read: readonly { readonly id: number; readonly components: Uint8Array }[], dimensions: number): Block {
  const bytes = new Uint8Array(4 * dimensions * read.length)
  for (const [row, { components }] of read.entries()) bytes.set(components, 4 * dimensions * row)
  return { ids: read.map(({ id }) => id), components: new Float32Array(bytes.buffer) }
}

/** Shrinks the mean of a few vectors, which says little, towards 0. */
const PRIOR_COUNT = 10

async function scan(
  blocks: readonly Block[],
  query: Float32Array,
  limit: number,
  among: ReadonlySet<number> | null,
): Promise<Nearest> {
  let best: Nearest['found'] = []
  let sum = 0
  let count = 0
  let sinceTurn = 0
  for (const { ids, components } of blocks) {
    const own = ids.map((vector, row) => ({ vector, similarity: dot(query, components, row * query.length) }))
    sum += own.reduce((total, { similarity }) => total + similarity, 0)
    best = [...best, ...own.filter(({ vector }) => !among || among.has(vector))]
      .sort((a, b) => b.similarity - a.similarity || a.vector - b.vector)
      .slice(0, limit)
    count += ids.length
    sinceTurn += components.length
    if (sinceTurn < COMPARED_AT_ONCE) continue
    await setImmediate()
    sinceTurn = 0
  }
  return { found: best, background: sum / (count + PRIOR_COUNT), compared: count }
}

/** Four sums, so that additions need not wait for each other. */
function dot(query: Float32Array, components: Float32Array, start: number): number {
  const { length } = query
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  let i = 0
  for (; i + 3 < length; i += 4) {
    a += (query[i] ?? 0) * (components[start + i] ?? 0)
    b += (query[i + 1] ?? 0) * (components[start + i + 1] ?? 0)
    c += (query[i + 2] ?? 0) * (components[start + i + 2] ?? 0)
    d += (query[i + 3] ?? 0) * (components[start + i + 3] ?? 0)
  }
  for (; i < length; i += 1) a += (query[i] ?? 0) * (components[start + i] ?? 0)
  return a + b + c + d
}
