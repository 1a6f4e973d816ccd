import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Quaero } from '../../../../src/api.ts'
import {
  type EmbeddingEndpointOptions,
  embeddingEndpoint,
  embeddingsBody,
} from '../../../fixtures/embedding-endpoint.ts'
import { folderOf, libraryFolder, openQuaero } from '../../../fixtures/workflow.ts'

const files = {
  'hearts.md': '# Hearts\n\nMyocardial infarctions are treated by physicians at once.\n',
  'bones.md': '# Bones\n\nDoctors set broken bones in plaster.\n',
  'ships.md': '# Ships\n\nShips sail by the wind.\n',
}

/** A library that holds the files, without vectors; or an empty one, in the folder of the files. */
async function open(
  options: EmbeddingEndpointOptions = {},
  { isEmpty = false, ...settings }: Readonly<Record<string, unknown>> = {},
) {
  const endpoint = await embeddingEndpoint(options)
  const folder = await (isEmpty ? folderOf(files) : libraryFolder(files))
  const search = { embeddings: { model: 'concepts', baseUrl: endpoint.url, queryTimeoutSeconds: 60, ...settings } }
  const another = () => openQuaero({ dataDir: folder, settings: { search } })
  const quaero = await another()
  return { quaero, endpoint, folder, another }
}

const sources = async ({ library }: Quaero, query: string, documents?: readonly string[]) =>
  (await library.search(query, documents ? { documents } : {})).map(({ source }) => source.split('/').at(-1))

describe('a semantic index', () => {
  it('finds what the words of a query do not, and scores it like what they do', async () => {
    const { quaero } = await open()
    await quaero.library.embed()
    const [hit, ...others] = await quaero.library.search('heart attack')
    expect(hit?.source).toContain('hearts.md')
    expect(hit?.score).toBeGreaterThan(0.3)
    expect(hit?.score).toBeLessThanOrEqual(1)
    for (const other of others) expect(other.score).toBeLessThan(0.3)
    expect(await sources(quaero, 'zebra crossing')).toEqual([])
  })

  it('is limited to the documents asked for', async () => {
    const { quaero } = await open()
    await quaero.library.embed()
    const documents = await quaero.library.list()
    const idOf = (name: string) => documents.find(({ source }) => source.endsWith(name))?.documentId ?? ''
    expect(await sources(quaero, 'myocardial doctors', [idOf('bones.md')])).toEqual(['bones.md'])
    expect(await sources(quaero, 'heart attack', [idOf('ships.md')])).toEqual([])
  })

  it('asks for the vector of a query once, and puts the prefixes that are set before the texts', async () => {
    const { quaero, endpoint } = await open({}, { passagePrefix: 'passage: ', queryPrefix: 'query: ' })
    await quaero.library.embed()
    await quaero.library.search('heart attack')
    await quaero.library.search('heart attack')
    expect(endpoint.texts().filter((text) => text.startsWith('passage: '))).toHaveLength(3)
    expect(endpoint.texts().slice(3)).toEqual(['query: heart attack'])
  })

  it('sees what another process has added or removed', async () => {
    const { quaero, folder, another } = await open({}, { isEmpty: true })
    await quaero.library.add([join(folder, 'ships.md')])
    expect(await sources(quaero, 'heart attack')).toEqual([])
    const other = await another()
    const added = await other.library.add([join(folder, 'hearts.md')])
    expect(await sources(quaero, 'heart attack')).toEqual(['hearts.md'])
    await other.library.remove(added.documents[0]?.documentId ?? '')
    expect(await sources(quaero, 'heart attack')).toEqual([])
  })

  it('reports progress by passages, and what is left after a stop', async () => {
    const { quaero, folder, endpoint } = await open({}, { batch: 1, isEmpty: true })
    const controller = new AbortController()
    const seen: string[] = []
    const stopped = quaero.library.add([folder], {
      signal: controller.signal,
      onEmbedProgress: ({ done, total }) => {
        seen.push(`${done}/${total}`)
        if (done === 2) controller.abort(new Error('stopped'))
      },
    })
    await expect(stopped).rejects.toThrow('stopped')
    expect(seen).toEqual(['1/3', '2/3'])
    expect(await quaero.library.embeddings()).toMatchObject({ passages: 3, embedded: 2, problem: null })
    expect(await quaero.library.embed()).toMatchObject({ embedded: 1, sent: 1, missing: 0 })
    expect(endpoint.texts()).toHaveLength(3)
  })

  it('works through a library once when asked twice at the same time', async () => {
    const { quaero, endpoint } = await open({ faults: (n) => (n === 0 ? { status: 401 } : undefined) })
    expect(await quaero.library.embed()).toMatchObject({ error: { code: 'key_rejected' } })
    const [one, other] = await Promise.all([quaero.library.embed(), quaero.library.embed()])
    expect([one.embedded, other.embedded]).toEqual([3, 0])
    expect(endpoint.requests).toHaveLength(2)
  })

  it('goes on with what an endpoint takes at once, and counts what that cost', async () => {
    const { quaero, folder, endpoint } = await open(
      { faults: (_, texts) => (texts.length > 1 ? { status: 413 } : undefined) },
      { isEmpty: true },
    )
    await writeFile(join(folder, 'again.md'), files['ships.md'])
    const { embeddings } = await quaero.library.add([folder])
    expect(embeddings).toMatchObject({ embedded: 3, sent: 3, missing: 0, error: null })
    expect(endpoint.requests.map(({ input }) => (input as string[]).length)).toEqual([3, 2, 1, 1, 1])
  })
})

describe('an endpoint that gives vectors of another dimension', () => {
  /** So many dimensions for the requests of these numbers, counted from 0. */
  const oddFor =
    (dimensions: number, ...requests: number[]): NonNullable<EmbeddingEndpointOptions['faults']> =>
    (n, texts) =>
      requests.includes(n) ? { json: embeddingsBody(texts, { dimensions }) } : undefined

  it('for a query, changes nothing that is stored, and the query is asked for anew later', async () => {
    const { quaero, folder, endpoint, another } = await open({ faults: oddFor(64, 1) }, { isEmpty: true })
    const query = 'capital expenditure'
    await writeFile(join(folder, 'ledger.md'), '# Ledger\n\nPurchases of property, plant and equipment rose.\n')
    await quaero.library.add([folder])
    expect(await sources(quaero, query)).toEqual([])
    expect(await quaero.library.embeddings()).toMatchObject({ dimensions: 256, passages: 4, embedded: 4 })
    const later = await another()
    expect(await sources(later, query)).toEqual(['ledger.md'])
    expect(await later.library.embed()).toMatchObject({ sent: 0, missing: 0, error: null })
    expect(endpoint.texts().slice(4)).toEqual([query, query])
  })

  it('is reported when it is asked whether it answers', async () => {
    const { quaero } = await open({ faults: oddFor(64, 1) })
    await quaero.library.embed()
    expect(await quaero.library.embeddings({ ask: true })).toMatchObject({
      dimensions: 256,
      problem: { code: 'embedding_invalid', message: expect.stringContaining('64 dimensions instead of the 256') },
    })
    expect(await quaero.library.embeddings({ ask: true })).toMatchObject({ problem: null })
  })

  it('from one batch to the next, ends the work, and what was stored stays', async () => {
    const { quaero, endpoint } = await open(
      { faults: (n, texts) => (n % 2 === 1 ? { json: embeddingsBody(texts, { dimensions: 64 }) } : undefined) },
      { batch: 1 },
    )
    const embeddings = await quaero.library.embed()
    expect(embeddings).toMatchObject({
      dimensions: 256,
      embedded: 1,
      sent: 2,
      missing: 2,
      error: { code: 'embedding_invalid', message: expect.stringContaining('64 dimensions instead of the 256') },
    })
    expect(endpoint.requests).toHaveLength(2)
    expect(await quaero.library.embed()).toMatchObject({ dimensions: 256, embedded: 1, missing: 1 })
    expect(await quaero.library.embed()).toMatchObject({ dimensions: 256, embedded: 1, missing: 0, error: null })
  })

  it('for a new document, leaves it to be found by words', async () => {
    const { quaero, folder } = await open({ faults: oddFor(64, 1) }, { isEmpty: true })
    await quaero.library.add([join(folder, 'hearts.md'), join(folder, 'bones.md')])
    const { embeddings } = await quaero.library.add([join(folder, 'ships.md')])
    expect(embeddings).toMatchObject({ embedded: 0, missing: 1, error: { code: 'embedding_invalid' } })
    expect(await sources(quaero, 'ships')).toEqual(['ships.md'])
    expect(await sources(quaero, 'heart attack')).toEqual(['hearts.md'])
  })

  it('for good, is followed when all vectors are made anew', async () => {
    const { quaero, endpoint } = await open(
      { faults: (n, texts) => (n > 0 ? { json: embeddingsBody(texts, { dimensions: 64 }) } : undefined) },
      { batch: 3 },
    )
    await quaero.library.embed()
    expect(await quaero.library.embed({ anew: true })).toMatchObject({
      dimensions: 64,
      embedded: 3,
      sent: 3,
      missing: 0,
      error: null,
    })
    expect(await sources(quaero, 'heart attack')).toEqual(['hearts.md'])
    expect(endpoint.texts()).toHaveLength(7)
  })
})

describe('vectors of another model', () => {
  it('take the place of the first once they are complete, and not before', async () => {
    const { quaero, folder } = await open()
    await quaero.library.embed()
    const endpoint = await embeddingEndpoint({ dimensions: 64, faults: (n) => (n === 1 ? { status: 401 } : undefined) })
    const search = { embeddings: { model: 'other', baseUrl: endpoint.url, queryTimeoutSeconds: 60, batch: 2 } }
    const { library } = await openQuaero({ dataDir: folder, settings: { search } })
    await library.search('heart attack')
    expect(endpoint.texts()).toEqual([])
    expect(await library.embed()).toMatchObject({ embedded: 2, missing: 1 })
    expect(await quaero.library.embeddings()).toMatchObject({ dimensions: 256, embedded: 3 })
    expect(await library.embed()).toMatchObject({ embedded: 1, missing: 0, dimensions: 64 })
    expect(await quaero.library.embeddings()).toMatchObject({ dimensions: null, embedded: 0 })
  })
})

describe('vectors that are made anew', () => {
  it('take the place of those of the same dimension, and go on where they were stopped', async () => {
    const { quaero, endpoint } = await open({ faults: (n) => (n === 4 ? { status: 401 } : undefined) }, { batch: 1 })
    await quaero.library.embed()
    expect(await quaero.library.embed({ anew: true })).toMatchObject({ sent: 1, missing: 2 })
    expect(await quaero.library.embed()).toMatchObject({ sent: 2, missing: 0, error: null })
    expect(endpoint.requests).toHaveLength(7)
  })

  it('do not take the place of any before the first is there', async () => {
    const { quaero } = await open({ faults: (n) => (n === 1 ? { status: 401 } : undefined) })
    await quaero.library.embed()
    expect(await quaero.library.embed({ anew: true })).toMatchObject({
      sent: 0,
      missing: 0,
      error: { code: 'key_rejected' },
    })
    expect(await sources(quaero, 'heart attack')).toEqual(['hearts.md'])
  })
})
