import { describe, expect, it } from 'vitest'
import { parseDraft, withSharedQuotes } from '../../../src/answers/notation/stream-filter.ts'

const quotesOf = (draft: string) =>
  withSharedQuotes(parseDraft(draft)).map(({ text, citations }) => [text, citations.map(({ quote }) => quote)])

describe('a citation behind several sentences', () => {
  const quote = 'Prepared by Paul Nygaard, Secretary. Published 18 February 2025.'

  it('is shared by those whose words stand in its quote', () => {
    expect(
      quotesOf(`Prepared by Paul Nygaard, Secretary. Published 18 February 2025.<cite id="P1">${quote}</cite>`),
    ).toEqual([
      ['Prepared by Paul Nygaard, Secretary.', [quote]],
      ['Published 18 February 2025.', [quote]],
    ])
  })

  it('is not shared by a sentence that says something else, nor across lines', () => {
    expect(quotesOf(`He resigned. Published 18 February 2025.<cite id="P1">${quote}</cite>`)[0]).toEqual([
      'He resigned.',
      [],
    ])
    expect(quotesOf(`Prepared by Paul Nygaard, Secretary.\nPublished.<cite id="P1">${quote}</cite>`)[0]?.[1]).toEqual(
      [],
    )
  })
})
