import { describe, expect, it } from 'vitest'
import { contentStems } from '../../../../src/library/language/terms.ts'
import { newestFirst, versionsOf } from '../../../../src/offline/documents/families.ts'
import { measureOf } from '../../../../src/offline/language/version-words.ts'
import type { DocumentFacts, KnownDocument } from '../../../../src/offline/parts/parts.ts'

function document(title: string | null, source = `${title}.pdf`, year: number | null = null): KnownDocument {
  return { documentId: `${title} ${source}`, title, source, authors: [], year }
}

function dated(each: KnownDocument, firstPage = '') {
  const facts: DocumentFacts = { title: [], authors: [], year: [], pages: 1, firstPage }
  return { document: each, facts }
}

describe('versions of one document', () => {
  it.each([
    ['of several years', document('Annual Report 2022'), document('Annual Report 2023')],
    ['of several versions', document('Travel Policy', 'travel-v1.md'), document('Travel Policy', 'travel-v2.md')],
    ['as draft and final', document('Safety Handbook (draft)'), document('Safety Handbook')],
    ['of several quarters, by their file names', document(null, '/a/q1_2024.txt'), document(null, '/a/q1_2025.txt')],
    [
      'whose titles differ a little',
      document('Report 2022: Water', 'r-2022.pdf'),
      document('Report 2023', 'r-2023.pdf'),
    ],
  ])('are those %s', (_, one, other) => {
    expect(versionsOf(one, [one, other], contentStems)).toEqual([one, other])
  })

  it.each([
    [
      'another company',
      document('Alder Annual Report 2022', 'report-2022.pdf'),
      document('Birch Annual Report 2023', 'report-2023.pdf'),
    ],
    ['another kind', document('Annual Report 2023'), document('Audit Report 2023')],
    ['another thing', document('Kestrel'), document('Heron')],
    ['a document without title', document('Annual Report 2023', 'a-2023.pdf'), document(null, 'a-2022.pdf')],
  ])('are not those of %s', (_, one, other) => {
    expect(versionsOf(one, [one, other], contentStems)).toEqual([one])
  })

  it('are ordered by the years of their names, whatever year they were printed in', () => {
    const [old, recent] = [dated(document('Report 2022', 'a', 2024)), dated(document('Report 2023', 'b', 2023))]
    expect(newestFirst([old, recent])).toEqual([recent, old])
  })

  it('are ordered by version, by the date on the title page, by the year, by draft and final', () => {
    const versions = [dated(document('P', 'p-v2.md')), dated(document('P', 'p-v10.md'))]
    expect(newestFirst(versions)?.[0]).toBe(versions[1])
    const dates = [dated(document('P', 'a.md'), 'P\nMay 2, 2023'), dated(document('P', 'b.md'), 'P\n3 June 2023')]
    expect(newestFirst(dates)?.[0]).toBe(dates[1])
    const years = [dated(document('P', 'a.md', 2020)), dated(document('P', 'b.md', 2021))]
    expect(newestFirst(years)?.[0]).toBe(years[1])
    const states = [dated(document('P (draft)')), dated(document('P (final)'))]
    expect(newestFirst(states)?.[0]).toBe(states[1])
  })

  it('have no order where nothing tells their age', () => {
    expect(newestFirst([dated(document('P', 'a.md')), dated(document('P', 'b.md'))])).toBeNull()
  })

  it('are no part of what a question asks for', () => {
    expect(contentStems(measureOf('How did the rent change between 2022 and the draft v3 of May 2024?'))).toEqual([
      'rent',
    ])
  })
})
