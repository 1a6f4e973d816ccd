import { describe, expect, it } from 'vitest'
import { answeringByRule, passage } from './answering.ts'

const { answer, read } = answeringByRule()

const glossary = passage('P1', 'A lock that ends by itself unless its holder renews it. Gray described it in 1989.', {
  section: 'Glossary > Lease',
})
const handbook = passage('P2', 'A run takes a lease on its conversation. The lease is a row in a table, with a token.')

describe('a question for the meaning of a term', () => {
  it('is answered with the first sentence under a heading that names it', async () => {
    expect(await read('What is a lease?', handbook, glossary)).toBe(
      'A lock that ends by itself unless its holder renews it.',
    )
  })

  it.each([
    ['A token is a number that grows.', 'What is a token?'],
    ['We introduce Marble, a corpus of 81 million pages.', 'What is Marble?'],
    ['An entity group consists of a root entity and its children.', 'What is an entity group in Marble?'],
  ])('is answered with the sentence that defines it: %s', async (definition, question) => {
    const about = question.replace(/^What is (.+)\?$/, 'There is much to say about $1, and $1 has many uses.')
    const result = await answer(question, passage('P1', `${about} ${definition}`))
    expect(result.text.startsWith(definition)).toBe(true)
    expect(result.basis).toBe('definition')
  })

  it('is not answered with a caption that stands below the heading', async () => {
    const figure = passage('P1', 'Figure 1: Leases\nA lease is a lock that ends by itself.', { section: 'Lease' })
    expect(await read('What is a lease?', figure)).toBe('A lease is a lock that ends by itself.')
  })

  it('falls back on the sentence that says most about it', async () => {
    expect((await answer('What is a lease?', passage('P1', 'Every run takes a lease before it starts.'))).basis).toBe(
      'sentence',
    )
  })
})

describe('a question for what a term stands for', () => {
  it('is answered with the words before it whose letters it has', async () => {
    const text = 'They keep a write-ahead log (WAL) and the rate of errors (ROE).'
    expect(await answer('What does WAL stand for?', passage('P1', text))).toMatchObject({
      text: 'WAL stands for **write-ahead log**.<cite id="P1">write-ahead log (WAL)</cite>',
      basis: 'definition',
    })
    expect(await read('What does ROE stand for?', passage('P1', text))).toBe('ROE stands for **rate of errors**.')
  })

  it('is not answered with words of other letters', async () => {
    const text = 'They measure nothing else (WAL) of note.'
    expect(await read('What does WAL stand for?', passage('P1', text))).not.toContain('stands for')
  })
})

describe('a party of a contract', () => {
  const between = passage(
    'P1',
    'This lease is made by Harbour Estates Ltd (“the Landlord”) and Nadia Farouk (the "Tenant").',
  )
  const duties = passage('P2', 'The Landlord insures the building. The Tenant insures what the Tenant keeps in it.', {
    score: 0.9,
  })

  it.each(['Who is the landlord?', 'Who is the tenant?'])(
    'is answered with the sentence that gives it its name: %s',
    async (question) => {
      expect(await read(question, duties, between)).toBe(between.text)
    },
  )
})
