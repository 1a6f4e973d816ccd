import { expect, it } from 'vitest'
import { embeddingEndpoint } from '../../fixtures/embedding-endpoint.ts'
import { writeTinyEmbedder } from '../../fixtures/tiny-models.ts'
import { folderOf, openQuaero, temporaryFolder } from '../../fixtures/workflow.ts'

const key = 'Quince-Canary-4711'
const masked = '*'.repeat(key.length)

it('passages and queries are embedded without the configured credentials', { tags: ['T10'] }, async () => {
  const endpoint = await embeddingEndpoint()
  const quaero = await openQuaero({
    model: 'extractive',
    documents: [await folderOf({ 'notes.md': `# Notes\n\nThe key of the server is ${key}, says the operator.` })],
    env: { OPENAI_API_KEY: key },
    settings: { search: { embeddings: { model: 'test-embedding', baseUrl: endpoint.url } } },
  })
  await quaero.library.search(`the key ${key}`)
  const sent = endpoint.texts().join('\n')
  expect(sent).toContain(`server is ${masked}, says`)
  expect(sent).toContain(`the key ${masked}`)
  expect(sent).not.toContain(key)
})

it('a model that could not be opened is opened anew when it is needed again', async () => {
  const folder = await temporaryFolder()
  const search = { embeddings: { model: `local:${folder}` } }
  const quaero = await openQuaero({ model: 'extractive', settings: { search } })
  const problem = async () => (await quaero.library.embeddings({ ask: true }))?.problem?.message ?? ''
  expect(await problem()).toContain('holds no config.json')
  writeTinyEmbedder(folder)
  expect(await problem()).not.toContain('holds no config.json')
})
