import { z } from 'zod'
import { EmbeddingInvalid } from '../../errors.ts'

/** Vectors of length 1, in the order of the texts, and the tokens that they cost; null if the endpoint does not say. */
export interface EmbeddingReply {
  readonly vectors: readonly Float32Array[]
  readonly tokens: number | null
}

export interface ExpectedEmbeddings {
  readonly host: string
  readonly count: number
  /** What was asked for; null if that was left to the endpoint. */
  readonly dimensions: number | null
}

const reply = z.object({
  data: z.array(z.object({ index: z.number().int().nullish(), embedding: z.unknown() })),
  usage: z
    .object({ prompt_tokens: z.number().int().nonnegative().nullish(), total_tokens: z.unknown() })
    .nullish()
    .catch(null),
})

/**
 * Reads the body of an answer to `/embeddings`, strictly: as many vectors as there were texts, each named once, all of
 * one dimension, every component a finite number and not all of them 0. Throws `EmbeddingInvalid`.
 */
export function readEmbeddings(body: unknown, expected: ExpectedEmbeddings): EmbeddingReply {
  const { host, count } = expected
  const parsed = reply.safeParse(body)
  if (!parsed.success) throw new EmbeddingInvalid(`${host} answered without a list of vectors`)
  const { data, usage } = parsed.data
  if (data.length !== count) {
    throw new EmbeddingInvalid(`${host} answered ${count} texts with ${data.length} vectors`)
  }
  const vectors = inOrder(data, host).map((embedding) => toUnitLength(toVector(embedding, host), host))
  checkDimensions(vectors, expected)
  return { vectors, tokens: usage?.prompt_tokens ?? null }
}

/** Servers name the text that each vector belongs to; where none does, the vectors come in order. */
function inOrder(data: z.output<typeof reply>['data'], host: string): readonly unknown[] {
  if (data.every(({ index }) => index == null)) return data.map(({ embedding }) => embedding)
  const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]))
  return data.map((_, at) => {
    if (!byIndex.has(at)) throw new EmbeddingInvalid(`${host} numbered its vectors so that text ${at + 1} has none`)
    return byIndex.get(at)
  })
}

/** An array of numbers, or the base64 text of 32-bit floats, least significant byte first. */
function toVector(embedding: unknown, host: string): Float32Array {
  if (typeof embedding === 'string') {
    const bytes = Buffer.from(embedding, 'base64')
    if (bytes.length > 0 && bytes.length % 4 === 0) {
      return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at))
    }
  }
  if (Array.isArray(embedding) && embedding.length > 0 && embedding.every((each) => typeof each === 'number')) {
    return Float32Array.from(embedding)
  }
  throw new EmbeddingInvalid(`${host} answered with something that is no vector of numbers`)
}

/** So that the dot product of two vectors is their cosine. A vector of zeros has none: it is near to nothing. */
function toUnitLength(vector: Float32Array, host: string): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, component) => sum + component * component, 0))
  if (!Number.isFinite(length)) throw new EmbeddingInvalid(`${host} answered with a vector that holds no finite number`)
  if (length === 0) throw new EmbeddingInvalid(`${host} answered with a vector that holds nothing but zeros`)
  return vector.map((component) => component / length)
}

function checkDimensions(vectors: readonly Float32Array[], { host, dimensions }: ExpectedEmbeddings): void {
  const wanted = dimensions ?? vectors[0]?.length
  const other = vectors.find(({ length }) => length !== wanted)
  if (!other) return
  throw new EmbeddingInvalid(
    `${host} answered with a vector of ${other.length} dimensions instead of ${wanted}. Check search.embeddings.dimensions`,
  )
}
