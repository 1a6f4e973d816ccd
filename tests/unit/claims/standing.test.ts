import { rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formulaProblem } from '../../../src/claims/cards/formula.ts'
import { DocumentNotFound } from '../../../src/errors.ts'
import { cellModel } from '../../fixtures/cell-model.ts'
import { folderOf, openQuaero, papers } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

/** An answer that quotes both papers, and a way to change them. */
async function answered() {
  const folder = await folderOf()
  const quaero = await openQuaero({ model: 'extractive', documents: [folder] })
  const { runId } = await quaero.ask(question)
  const claims = await quaero.claims.list({ runId })
  return {
    quaero,
    claims,
    runId,
    async becomes(text: string | null) {
      const path = join(folder, 'marble.md')
      if (text === null) rmSync(path)
      else writeFileSync(path, text)
      await quaero.library.add([folder], { sync: true })
      return quaero.claims.check({ runId })
    },
  }
}

const figure = 'holds 81.1 million pages'
const told = (standing: Awaited<ReturnType<Awaited<ReturnType<typeof answered>>['becomes']>>) =>
  standing.find(({ claim }) => claim.text.includes('81.1 million pages'))

describe('the sentences of answers', { tags: ['Q20'] }, () => {
  it('are claims with the quotes they rest on, each at its place in its document', async () => {
    const { quaero, claims, runId } = await answered()
    expect(claims.map(({ id }) => id)).toEqual(claims.map((_, index) => `${runId}.${index + 1}`))
    const quotes = claims.flatMap((each) => each.quotes)
    expect(quotes.length).toBeGreaterThan(0)
    for (const { documentId, page, start, end, text } of quotes) {
      expect((await quaero.library.text(documentId, page)).text.slice(start, end)).toBe(text)
    }
    const [{ documentId } = { documentId: '' }] = quotes
    const { source } = await quaero.library.document(documentId)
    const resting = claims.filter((claim) => claim.quotes.some((quote) => quote.documentId === documentId))
    for (const named of [documentId, documentId.slice(0, 6), basename(source), source]) {
      expect(await quaero.claims.list({ documentId: named })).toEqual(resting)
      expect(await quaero.claims.page({ documentId: named })).toMatchObject({ claims: { length: resting.length } })
      expect(await quaero.claims.check({ documentId: named })).toHaveLength(resting.length)
    }
    for (const documentId of ['none', '']) {
      await expect(quaero.claims.list({ documentId })).rejects.toThrow(DocumentNotFound)
      await expect(quaero.claims.check({ documentId })).rejects.toThrow(DocumentNotFound)
    }
    expect((await quaero.claims.check()).every(({ stands }) => stands)).toBe(true)
  })

  it('stand where the document was replaced, and the words have moved', async () => {
    const { becomes } = await answered()
    const moved = await becomes(
      `# The Marble corpus\n\n## New\n\nA new part comes first.\n\n${papers['marble.md'].slice(21)}`,
    )
    expect(moved.every(({ stands }) => stands)).toBe(true)
    expect(told(moved)?.quotes).toMatchObject([{ stands: true, change: 'document changed', now: { page: 1 } }])
  })

  it('fall where a digit has changed, and name the nearest words of now', async () => {
    const { becomes } = await answered()
    const changed = await becomes(papers['marble.md'].replace('81.1', '81.7'))
    const fallen = changed.filter(({ stands }) => !stands)
    expect(fallen.length).toBeGreaterThan(0)
    expect(told(changed)).toMatchObject({
      stands: false,
      quotes: [{ change: 'document changed', now: { text: expect.stringContaining('holds 81.7 million pages') } }],
    })
    expect(told(changed)?.quotes[0]?.quote.text).toContain(figure)
  })

  it('fall where the document is gone, and are still found by its id', async () => {
    const { quaero, becomes } = await answered()
    const fallen = told(await becomes(null))
    expect(fallen).toMatchObject({
      stands: false,
      quotes: [{ stands: false, change: 'document gone', now: null }],
    })
    const documentId = fallen?.claim.quotes[0]?.documentId ?? ''
    expect((await quaero.claims.check({ documentId })).map(({ claim }) => claim.id)).toContain(fallen?.claim.id)
  })

  it('are those of answers that a limit has ended, too', async () => {
    const quaero = await openQuaero({ model: cellModel() })
    const { status, sentences } = await quaero.ask(question, { limits: { modelCalls: 1 } })
    expect(status).toBe('limit_reached')
    expect(sentences.length).toBeGreaterThan(0)
    expect((await quaero.claims.list()).map(({ text }) => text)).toEqual(sentences.map(({ text }) => text))
  })
})

describe('a formula', { tags: ['Q20'] }, () => {
  const quotes = [{ text: 'Sales were 5,583 in 2023 and 5,014 in 2022.' }]

  it.each([
    ['(5,583 - 5,014) / 5,014', 0.11348224970083765, null],
    ['(5,583 - 5,014) / 5,014', 0.12, /is 0\.113\d*, not 0\.12/],
    ['(5,583 - 5,015) / 5,015', 0.113, /./],
    ['5,583 -', 1, /cannot be read/],
  ])('%s = %d stands only if it is computed to that from figures of its quotes', (expression, value, problem) => {
    const found = formulaProblem({ expression, value }, quotes)
    if (problem === null) expect(found).toBeNull()
    else expect(found).toMatch(problem)
  })

  it('of a text with decimal commas is read as that text is written', () => {
    expect(formulaProblem({ expression: '1,5 + 2,5', value: 4 }, [{ text: 'Erst 1,5 kg, dann 2,5 kg.' }])).toBeNull()
  })
})
