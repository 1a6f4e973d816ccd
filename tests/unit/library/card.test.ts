import { describe, expect, it } from 'vitest'
import { readCard } from '../../../src/library/card.ts'
import type { DocumentFormat } from '../../../src/library/port/document.ts'

const page = `Kestrel: A Queue
Mara Ilves and Tom Oduya
1 June 2022
Abstract
Edge devices lose their messages when links fail. We present Kestrel, a queue that survives power loss.
4 Evaluation
The median latency of Kestrel was 12 ms in the field trial.
6 Conclusion
We conclude that a small queue can be durable too.`

/** The whole page as one passage, which has the name of its longest section. */
const passage = (section: string | null) => {
  const place = { passageId: 'a.0', documentId: 'a', ordinal: 0, page: 1, kind: 'text' as const }
  return { ...place, section, start: 0, end: page.length, text: page }
}

const read = (section: string | null, authors: readonly string[] = ['Mara Ilves', 'Tom Oduya']) =>
  readCard({
    document: {
      ...{ documentId: 'a', title: null, authors: [], year: null, source: 'a.md' },
      ...{ format: 'markdown', pages: 1, passages: 1, tags: [], addedAt: null },
    },
    metadata: {
      title: [{ value: 'Kestrel: A Queue', from: 'heading' }],
      authors: [{ value: authors, from: 'byline' }],
      year: [{ value: 2022, from: 'date line' }],
    },
    page,
    passages: [passage(section)],
  })

describe('the card of a document', () => {
  it.each([null, '4 Evaluation', 'Abstract', '6 Conclusion'])(
    'says its own words, whatever %s its passage is called',
    (section) => {
      const { title, byline, date, summary } = read(section)
      expect(title?.text).toBe('Kestrel: A Queue')
      expect(byline.map(({ text }) => text)).toEqual(['Mara Ilves and Tom Oduya'])
      expect(date.map(({ text }) => text)).toEqual(['1 June 2022'])
      expect(summary.map(({ text }) => text)).toEqual([
        'Edge devices lose their messages when links fail.',
        'We present Kestrel, a queue that survives power loss.',
      ])
      for (const { text, start, end } of summary) expect(page.slice(start, end)).toBe(text)
    },
  )

  it('has no line for authors who stand nowhere on its first page', () => {
    expect(read(null, ['Ada Quist']).byline).toEqual([])
  })

  const untitled = (page: string, format: DocumentFormat, section: string | null = null, year: number | null = null) =>
    readCard({
      document: {
        ...{ documentId: 'a', title: null, authors: [], year: null, source: 'a' },
        ...{ format, pages: 1, passages: 1, tags: [], addedAt: null },
      },
      metadata: { title: [], authors: [], year: year === null ? [] : [{ value: year, from: 'e-book metadata' }] },
      page,
      passages: [{ ...passage(section), text: page, end: page.length }],
    })

  it('has neither a form nor a row of figures among the sentences that it says of itself', () => {
    const form = 'UNITED STATES EXCHANGE COMMISSION, WASHINGTON, D.C.\nRAINFALL IN MM: 12 14 17 19 21 25 30 31 33.'
    const { summary } = untitled(`${form}\nPonds freeze in the winter of most years.`, 'text')
    expect(summary.map(({ text }) => text)).toEqual(['Ponds freeze in the winter of most years.'])
  })

  it.each(['A Heading 1', 'Untitled document', 'report.docx'])('is not called %s', (line) => {
    expect(untitled(`${line}\nPonds freeze.`, 'docx').title).toBeNull()
  })

  it('has no sheet for its title, nor for its beginning', () => {
    const { title, beginning } = untitled('Totals\nDepths of ponds\nPond | Depth', 'xlsx', 'Totals')
    expect([title?.text, beginning.text]).toEqual(['Depths of ponds', 'Depths of ponds'])
    expect(untitled('Totals\nPond | Depth |', 'xlsx', 'Totals').title).toBeNull()
  })

  it('is not dated by the release of its e-book', () => {
    const release =
      'The Project Gutenberg eBook of On ponds\nRelease date: August 1, 1997 [eBook #1013]\nUpdated: March 30, 2021'
    expect(untitled(release, 'text').date).toEqual([])
    expect(untitled(`${release}\nLondon, May 1912`, 'text').date).toEqual([{ page: 1, text: 'London, May 1912' }])
    expect(untitled('Pond Kit\nRelease date: August 1, 1997', 'text').date).toEqual([
      { page: 1, text: 'Release date: August 1, 1997' },
    ])
  })
})
