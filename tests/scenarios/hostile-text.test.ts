import { describe, expect, it } from 'vitest'
import { cited, libraryFolder, openQuaero, openWorkflow, route, search } from '../fixtures/workflow.ts'

const label = `The annex of the treaty lists p${'tionss'.repeat(45)} in full.`
const treaty = `# Treaty of the Lakes

The treaty was signed in Lund in 1931. ${label}

${'A'.repeat(5000)} ${'9,'.repeat(2000)} ${' '.repeat(3000)}x
`
const files = { 'treaty.md': treaty }

describe('a document that holds text written to keep a program busy', { tags: ['S19'] }, () => {
  it('is read, and its other sentences are quoted without a language model', async () => {
    const quaero = await openQuaero({ model: 'extractive', dataDir: await libraryFolder(files) })
    const { answer, citations } = await quaero.ask('Where was the treaty signed?')
    expect(answer).toContain('signed in Lund')
    expect(citations.map(({ quote }) => quote).join()).toContain('signed in Lund')
  })

  it('is quoted by a language model, that text too', async () => {
    const draft = [
      cited('The treaty was signed in Lund in 1931.', 'P1', 'The treaty was signed in Lund in 1931.'),
      cited(label, 'P1', label),
    ].join(' ')
    const { quaero } = await openWorkflow([route(), search('treaty signed Lund'), 'found', draft], {
      dataDir: await libraryFolder(files),
    })
    const { answer } = await quaero.ask('Where was the treaty signed?')
    expect(answer).toContain('signed in Lund in 1931. [1]')
  })

  it('may be asked about with such a question', async () => {
    const quaero = await openQuaero({ model: 'extractive', dataDir: await libraryFolder(files) })
    const result = await quaero.ask(`Where was the treaty signed that lists p${'tionss'.repeat(45)}?`)
    expect(result.status).toBe('completed')
  })
})
