import { describe, expect, it } from 'vitest'
import { answeringByRule, passage } from './answering.ts'

const { answer, read } = answeringByRule()

describe('a question of several parts', () => {
  const pages = passage('P1', 'The Marble corpus holds 81 million pages.')
  const figures = passage('P2', 'The Marble corpus holds 12 million figures.')

  it('is answered with a sentence for each part', async () => {
    expect(await read('How many pages and how many figures does the Marble corpus hold?', pages, figures)).toBe(
      'The Marble corpus holds **81 million** pages. The Marble corpus holds **12 million** figures.',
    )
  })

  it('names the part that nothing answers', async () => {
    const result = await answer('How many pages does the Marble corpus hold and who painted the Halden ceiling?', pages)
    expect(result).toMatchObject({
      basis: 'part',
      remarks: ['Nothing was found on this part of the question: “who painted the Halden ceiling”.'],
    })
    expect(result.text).toMatch(/^The Marble corpus holds \*\*81 million\*\* pages\.<cite/)
  })

  it('takes no sentence without a number for an answer to "how many"', async () => {
    const idle = passage('P2', 'Figures of the Marble corpus hold colours, and hold the corpus together.')
    const result = await answer(
      'How many pages does the Marble corpus hold and how many figures does it hold?',
      pages,
      idle,
    )
    expect(result.text).not.toContain('colours')
  })

  it('knows what "it" is in the second part', async () => {
    const stock = passage('P1', 'The stock arm leaves 800 checkpoints.')
    const writes = passage('P2', 'The stock arm leaves 1,000 writes. The exit arm leaves no writes.')
    expect(
      await read('How many checkpoints does the stock arm leave and how many writes does it leave?', stock, writes),
    ).toBe('The stock arm leaves **800** checkpoints. The stock arm leaves **1,000** writes.')
  })
})
