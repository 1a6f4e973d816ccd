import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searchPassages } from '../../../../src/library/search.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { putText } from '../put-text.ts'

const companies = ['Oakfield', 'Pinecrest', 'Larkspur', 'Thornbury', 'Wexcombe', 'Yarrowby', 'Zellhurst']

/** A report says its organisation and year on its first page only. */
function report(company: string, year: number): readonly string[] {
  const notes = Array.from({ length: 10 }, (_, i) => `Note ${i} explains the accounting policy for item ${i}.`)
  return [
    `${company} plc. Report for the year ended ${year}.`,
    `Total assets were ${company.length} million.`,
    ...notes,
  ]
}

describe('a question that names a document', () => {
  let storage: Storage

  beforeAll(async () => {
    storage = await openSqliteStorage({ path: ':memory:' })
    for (const [i, company] of companies.entries()) {
      await putText(storage.library, { id: company, title: null, source: `${i}.pdf`, passages: report(company, 2020) })
    }
    const later = { id: 'later', title: null, source: 'later.pdf', passages: report('Oakfield', 2021) }
    await putText(storage.library, later)
  })
  afterAll(() => storage.close())

  async function found(question: string, documents: readonly string[] | null = null) {
    return (await searchPassages(storage.library, question, { documents }))[0]
  }

  it('is about that document, not about the words around its name', async () => {
    const talk = {
      id: 'talk',
      title: 'Talk',
      source: 'talk.txt',
      passages: ['Do you have anything? We have anything.'],
    }
    await putText(storage.library, talk)
    expect((await found('Do you have anything on Zellhurst?'))?.documentId).toBe('Zellhurst')
    await storage.library.remove('talk')
  })

  it('is about that document, also where only its first page has the name', async () => {
    expect(await found('What were the total assets of Wexcombe?')).toMatchObject({
      documentId: 'Wexcombe',
      text: 'Total assets were 8 million.',
    })
    expect(await found('total assets of thornbury')).toMatchObject({ documentId: 'Thornbury' })
  })

  it('is not the one whose subject a question in sentence case has for a word', async () => {
    const paper = Array.from({ length: 12 }, (_, i) => `A lease protects the thread of run ${i} first.`)
    await putText(storage.library, { id: 'paper', title: 'A Lease', source: 'paper.txt', passages: paper })
    const others = Array.from({ length: 12 }, (_, i) => `Term ${i}: what somebody described as number ${i}.`)
    const glossary = ['Lease: a lock that ends by itself. Gray and Cheriton described leases in 1989.', ...others]
    await putText(storage.library, { id: 'glossary', title: 'Glossary', source: 'glossary.txt', passages: glossary })
    expect(await found('Who described leases first?')).toMatchObject({ documentId: 'glossary' })
    for (const id of ['paper', 'glossary']) await storage.library.remove(id)
  })

  it('prefers the document of its latest year', async () => {
    const question = (years: string) => `How did the total assets of Oakfield change ${years}?`
    expect(await found(question('from 2020 to 2021'))).toMatchObject({ documentId: 'later' })
    expect(await found(question('in 2020'))).toMatchObject({ documentId: 'Oakfield' })
  })

  it('searches only what it is limited to', async () => {
    expect(await found('total assets of Wexcombe', ['Larkspur'])).toMatchObject({ documentId: 'Larkspur' })
  })

  it('finds it under a new title at once, and no longer when it is removed', async () => {
    await storage.library.override('Zellhurst', { title: 'Quillon Holdings' })
    const question = 'What were the total assets of Quillon?'
    expect(await found(question)).toMatchObject({ documentId: 'Zellhurst' })
    await storage.library.remove('Zellhurst')
    expect(await found(question)).not.toMatchObject({ documentId: 'Zellhurst' })
    expect((await storage.library.namedBy(['quillon'])).of.get('quillon')).toEqual([])
  })

  it('knows a document by its initials, by digits in its name, and written together', async () => {
    const named = {
      qbd: ['Quick Brown Devices', 'a.pdf'],
      tape: ['9T', 'b.pdf'],
      mills: [null, 'FERNHILLMILLS_2022.pdf'],
    }
    for (const [id, [title, source]] of Object.entries(named)) {
      const passages = report('The Company', 2022)
      await putText(storage.library, { id, title: title ?? null, source: source ?? '', passages })
    }
    expect(await found('What were the total assets of QBD?')).toMatchObject({ documentId: 'qbd' })
    expect(await found("What were 9T's total assets?")).toMatchObject({ documentId: 'tape' })
    expect(await found('What were the total assets of Fernhill Mills?')).toMatchObject({ documentId: 'mills' })
  })

  it('prefers the document of its quarter, however that is written', async () => {
    for (const quarter of ['Q1', 'Q2', 'Q3']) {
      const document = { id: quarter, title: null, source: `BRINDLE_2023${quarter}.pdf` }
      await putText(storage.library, { ...document, passages: report('Brindle', 2023) })
    }
    for (const asked of ['Q2 2023', "Q2'2023", 'Q2 FY23', '2023Q2', '2Q 2023']) {
      expect(await found(`What were the total assets of Brindle in ${asked}?`)).toMatchObject({ documentId: 'Q2' })
    }
  })
})
