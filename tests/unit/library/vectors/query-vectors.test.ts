import { describe, expect, it } from 'vitest'
import { StorageUnavailable } from '../../../../src/errors.ts'
import type { Embedder } from '../../../../src/library/vectors/embed-passages.ts'
import { queryVectors } from '../../../../src/library/vectors/semantic-index.ts'

/** An embedder that does what it is told, and a clock that a test moves. */
function queries(answers: readonly (Error | 'silence' | 'vector' | 'odd vector')[], timeoutMs = 10_000) {
  const asked: string[] = []
  const clock = { now: 0 }
  const embedder: Embedder = {
    embed: async ([text = ''], { signal, retry }) => {
      expect(retry).toBe(false)
      const answer = answers[asked.length] ?? 'vector'
      asked.push(text)
      if (answer instanceof Error) throw answer
      if (answer === 'vector') return { vectors: [Float32Array.from([1])], tokens: 3 }
      if (answer === 'odd vector') return { vectors: [Float32Array.from([0.6, 0.8])], tokens: 3 }
      return await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    },
  }
  const of = queryVectors({ embedder, model: 'm', prefix: 'query: ', timeoutMs, now: () => clock.now })
  const vectorOf = (query: string, signal?: AbortSignal, dimensions = 1) => of(query, dimensions, signal)
  return { vectorOf, asked, clock }
}

describe('the vector of a query', () => {
  it('is paid for once, and asked for with its prefix', async () => {
    const { vectorOf, asked } = queries([])
    expect(await vectorOf('ponds')).toMatchObject({ spent: { tokens: 3 } })
    expect(await vectorOf('ponds')).toEqual({ vector: Float32Array.from([1]), spent: null })
    expect(asked).toEqual(['query: ponds'])
  })

  it('is forgotten only after many others', async () => {
    const { vectorOf, asked } = queries([])
    for (let n = 0; n < 201; n += 1) await vectorOf(`query ${n}`)
    await vectorOf('query 200')
    expect(asked).toHaveLength(201)
    await vectorOf('query 0')
    expect(asked).toHaveLength(202)
  })

  it('is not waited for longer than may be', async () => {
    const { vectorOf } = queries(['silence'], 20)
    expect(await vectorOf('ponds')).toEqual({
      problem: { code: 'endpoint_timeout', message: 'the embeddings endpoint did not answer within 0.02 s' },
      spent: null,
    })
  })

  it('is not asked for again within a minute of a failure', async () => {
    const { vectorOf, asked, clock } = queries([new StorageUnavailable('It is down')])
    const problem = { code: 'storage_unavailable', message: 'It is down' }
    expect(await vectorOf('ponds')).toEqual({ problem, spent: null })
    clock.now = 59_999
    expect(await vectorOf('lakes')).toEqual({ problem, spent: null })
    expect(asked).toHaveLength(1)
    clock.now = 60_000
    expect(await vectorOf('lakes')).toHaveProperty('vector')
    expect(asked).toEqual(['query: ponds', 'query: lakes'])
  })

  it('is a problem in another dimension than wanted, told with what it cost and not kept', async () => {
    const { vectorOf, asked, clock } = queries(['odd vector'])
    expect(await vectorOf('ponds')).toMatchObject({
      problem: {
        code: 'embedding_invalid',
        message: expect.stringMatching(/^m gives vectors of 2 .* instead of the 1 of/),
      },
      spent: { tokens: 3 },
    })
    clock.now = 60_000
    expect(await vectorOf('ponds')).toMatchObject({ vector: Float32Array.from([1]) })
    expect(asked).toHaveLength(2)
  })

  it('is asked for again when another dimension is wanted', async () => {
    const { vectorOf } = queries(['vector', 'odd vector'])
    await vectorOf('ponds')
    expect(await vectorOf('ponds', undefined, 2)).toMatchObject({ vector: Float32Array.from([0.6, 0.8]) })
  })

  it('is cancelled with the search, which is no failure of the endpoint', async () => {
    const { vectorOf, asked } = queries(['silence', 'vector'])
    const controller = new AbortController()
    const waiting = vectorOf('ponds', controller.signal)
    controller.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    expect(await vectorOf('ponds')).toHaveProperty('vector')
    expect(asked).toHaveLength(2)
  })
})
