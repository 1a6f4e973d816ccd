import { describe, expect, it } from 'vitest'
import { answeringByRule, passage } from './answering.ts'

const { read } = answeringByRule()

describe('an answer from sentences', () => {
  it('begins with the sentence that a pronoun leans on', async () => {
    const text = 'The Amazon basin is a wide plain. It includes the territory of nine nations. Rain is frequent.'
    expect(await read('How many nations are in the Amazon basin?', passage('P1', text))).toBe(
      'The Amazon basin is a wide plain. It includes the territory of **nine** nations.',
    )
  })

  it('is no heading, and no line that says what the question says', async () => {
    const text = 'ROLE OF THE TRUSTEE\nTrustee, Inc.\nThe trustee supervises the cases, which is a role of some weight.'
    expect(await read('What is the role of the trustee of the cases?', passage('P1', text))).toBe(
      'The trustee supervises the cases, which is a role of some weight.',
    )
  })

  it('lets the reader see whether something is so', async () => {
    const text =
      'Indicate whether readers block the writer in this mode. In this mode readers do not block the writer. Go on.'
    expect(await read('Do readers block the writer in this mode?', passage('P1', text))).toMatch(
      /^In this mode readers do not block the writer\./,
    )
  })

  it('is a sentence rather than a row where the question is how or why', async () => {
    const table = passage('P1', 'Table 1: Parsers.\nParser | Score | Rank\nGrobix | 0.9 | 1\nOther | 0.8 | 2', {
      kind: 'table',
    })
    const prose = passage('P2', 'Grobix turns the pages of a file into structured text.')
    expect(await read('What does Grobix do?', table, prose)).toMatch(/^Grobix turns the pages/)
  })

  it('is the part of a long sentence that answers', async () => {
    const aside = 'the weather of the place was mild for most of the year and the harvest had been good'
    const text = `${aside}, and ${aside}, so that ${aside}; the mill by the river was built in 1891 by two brothers.`
    expect(await read('When was the mill by the river built?', passage('P1', text))).toBe(
      'The mill by the river was built in **1891** by two brothers.',
    )
  })

  it('has no caption behind it', async () => {
    const text = 'Most papers are on medicine by field of study.\nFigure 2: Distribution of papers by field of study.'
    expect(await read('What is the distribution of papers by field of study?', passage('P1', text))).not.toMatch(
      /\. Figure 2/,
    )
  })
})

describe('a label in brackets', () => {
  it('is no answer', async () => {
    const form = passage('P1', '12 Quay Street\n(Address of the principal executive officer)', { score: 0.9 })
    const signed = passage('P2', 'The report was signed by Helen Marsh, the executive officer.')
    expect(await read('Who is the principal executive officer?', form, signed)).not.toContain('Address')
  })
})
