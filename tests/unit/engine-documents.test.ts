import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DocumentNotFound, NoDocuments, UsageError } from '../../src/errors.ts'
import { openQuaero, temporaryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

async function opened() {
  const quaero = await openQuaero({ model: 'extractive' })
  const documents = await quaero.library.list()
  const idOf = (name: string) => documents.find(({ source }) => source.endsWith(name))?.documentId ?? ''
  return { quaero, marble: idOf('marble.md'), halden: idOf('halden.md') }
}

describe('a question limited to documents by their ids', () => {
  it('searches no others, and neither does the next on its thread', { tags: ['R23'] }, async () => {
    const { quaero, marble, halden } = await opened()
    const found = await quaero.ask(question, { documentIds: [marble, marble] })
    expect(found.citations.map(({ documentId }) => documentId)).toContain(marble)
    const { threadId, citations } = await quaero.ask(question, { documentIds: [halden] })
    expect(citations.map(({ documentId }) => documentId)).not.toContain(marble)
    const again = await quaero.ask(question, { threadId })
    expect(again.citations.map(({ documentId }) => documentId)).not.toContain(marble)
  })

  it('is refused once they are removed, and while the library is empty', async () => {
    const { quaero, marble } = await opened()
    const { threadId } = await quaero.ask(question, { documentIds: [marble] })
    await quaero.library.remove(marble)
    const again = () => quaero.ask(question, { threadId })
    await expect(again()).rejects.toThrow(/would search are not in the library/)
    for (const { documentId } of await quaero.library.list()) await quaero.library.remove(documentId)
    await expect(again()).rejects.toThrow(/the library is empty/)
    await expect(quaero.tools.run('pdf_retrieval', { query: 'x' })).rejects.toThrow(NoDocuments)
  })

  it('is refused for a document that is not there, and for paths beside ids; nothing is stored', async () => {
    const { quaero, marble } = await opened()
    await expect(quaero.ask(question, { documentIds: [marble, 'none'] })).rejects.toThrow(DocumentNotFound)
    await expect(quaero.ask(question, { documentIds: [marble], documents: ['.'] })).rejects.toThrow(UsageError)
    expect(await quaero.runs.list()).toEqual([])
  })
})

describe('a file that an engine is opened with and cannot read', () => {
  it('is told of, and the others are read', { tags: ['Q14'] }, async () => {
    const folder = await temporaryFolder()
    writeFileSync(join(folder, 'ponds.md'), 'Ponds are small.')
    writeFileSync(join(folder, 'broken.pdf'), 'no PDF')
    const notices: string[] = []
    const quaero = await openQuaero({
      model: 'extractive',
      documents: [folder],
      onNotice: (message) => notices.push(message),
    })
    expect(notices).toEqual([expect.stringMatching(/broken\.pdf was not read: It is named \.pdf but is no PDF/)])
    expect(await quaero.library.list()).toHaveLength(1)
  })
})
