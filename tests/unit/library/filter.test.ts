import { basename } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FilterInvalid, NothingMatches, UsageError } from '../../../src/errors.ts'
import { type DocumentRecord, documentsMeant, filterFrom } from '../../../src/library/index.ts'

const record = (own: Partial<DocumentRecord> = {}): DocumentRecord => ({
  documentId: '0123456789abcdef',
  title: null,
  authors: [],
  year: null,
  source: 'reports/acme.pdf',
  format: 'pdf',
  pages: 1,
  passages: 1,
  tags: [],
  addedAt: null,
  ...own,
})

const words = ['acme', 'Annual Report', '10-K', 'émile', 'a "b"', "it's", 'and', '(x)', '2020', 'a\\b']
const tags = ['finance', 'kind:10-k', 'kind:memo', 'old stock']
const word = fc.constantFrom(...words)
const days = ['2024-02-29', '2025-12-31', '2026-01-01', '2026-01-31']

const documents = fc.array(
  fc
    .record({
      title: fc.option(word),
      authors: fc.array(word, { maxLength: 2 }),
      year: fc.option(fc.integer({ min: 2018, max: 2022 })),
      source: word.map((name) => `folder/${name.replace('/', '')}.pdf`),
      format: fc.constantFrom('pdf' as const, 'docx' as const),
      tags: fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 3 }),
      addedAt: fc.option(fc.constantFrom(...days).map((day) => `${day}T10:00:00.000Z`)),
    })
    .map(record),
  { minLength: 1, maxLength: 12 },
)

/** A filter as a test writes it: its text, and whether a document is meant, said without the tree. */
interface Written {
  readonly text: string
  readonly means: (document: DocumentRecord) => boolean
}

const quoted = (value: string) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
const small = (value: string) => value.normalize('NFC').toLowerCase()

const texts: Readonly<Record<string, (document: DocumentRecord) => readonly string[]>> = {
  title: ({ title }) => (title === null ? [] : [title]),
  author: ({ authors }) => authors,
  kind: (document) => document.tags.filter((tag) => tag.startsWith('kind:')).map((tag) => tag.slice(5)),
  format: ({ format }) => [format],
  path: ({ source }) => [source],
  file: ({ source }) => [basename(source)],
  tag: (document) => document.tags,
}

const onTexts: fc.Arbitrary<Written> = fc
  .record({
    field: fc.constantFrom(...Object.keys(texts)),
    operator: fc.constantFrom('=', '!=', '~'),
    value: fc.oneof(word, fc.constantFrom('FINANCE', '10-k', 'pdf', 'folder', 'stock', '')),
    space: fc.constantFrom('', ' '),
  })
  .filter(({ field, operator, value }) => field !== 'format' || operator === '~' || value === 'pdf')
  .map(({ field, operator, value, space }) => ({
    text: `${field}${space}${operator}${space}${quoted(value)}`,
    means(document) {
      const own = (texts[field]?.(document) ?? []).map(small)
      if (operator === '~') return own.some((each) => each.indexOf(small(value)) >= 0)
      return own.includes(small(value)) === (operator === '=')
    },
  }))

const compared = (operator: string, order: number | null) => {
  if (order === null) return operator === '!='
  if (operator === '=') return order === 0
  if (operator === '!=') return order !== 0
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  return operator === '>' ? order > 0 : order >= 0
}
const comparison = fc.constantFrom('=', '!=', '<', '<=', '>', '>=')

const onYears: fc.Arbitrary<Written> = fc
  .record({ operator: comparison, year: fc.integer({ min: 2017, max: 2023 }) })
  .map(({ operator, year }) => ({
    text: `year${operator}${year}`,
    means: (document) => compared(operator, document.year === null ? null : document.year - year),
  }))

const onDays: fc.Arbitrary<Written> = fc
  .record({ operator: comparison, day: fc.constantFrom(...days), length: fc.constantFrom(4, 7, 10) })
  .map(({ operator, day, length }) => ({
    text: `added ${operator} ${day.slice(0, length)}`,
    means({ addedAt }) {
      if (addedAt === null) return compared(operator, null)
      const [own, asked] = [addedAt, day].map((each) => Number(each.slice(0, length).replaceAll('-', '')))
      return compared(operator, (own ?? 0) - (asked ?? 0))
    },
  }))

const { filter: written } = fc.letrec<{ filter: Written }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4 },
    onTexts,
    onYears,
    onDays,
    tie('filter').map(({ text, means }) => ({
      text: `not (${text})`,
      means: (document: DocumentRecord) => !means(document),
    })),
    fc.tuple(tie('filter'), tie('filter')).map(([one, other]) => ({
      text: `(${one.text}) AND (${other.text})`,
      means: (document: DocumentRecord) => one.means(document) && other.means(document),
    })),
    fc.tuple(tie('filter'), tie('filter'), tie('filter')).map(([one, other, third]) => ({
      // "and" binds closer than "or".
      text: `(${one.text}) or (${other.text}) and (${third.text})`,
      means: (document: DocumentRecord) => one.means(document) || (other.means(document) && third.means(document)),
    })),
  ),
}))

function meant(all: readonly DocumentRecord[], where: string, tagged: readonly string[] = []) {
  const filter = filterFrom({ where, tags: tagged })
  try {
    return filter ? documentsMeant(all, filter) : all
  } catch (error) {
    if (error instanceof NothingMatches) return []
    throw error
  }
}

describe('a filter of documents', () => {
  it('means the documents that a plain loop finds', () => {
    fc.assert(
      fc.property(documents, written, (list, { text, means }) => {
        const found: DocumentRecord[] = []
        for (const document of list) if (means(document)) found.push(document)
        if (text.length <= 2000) expect(meant(list, text)).toEqual(found)
      }),
      { numRuns: 2000 },
    )
  })

  it('means those with each of its tags, however they are typed', () => {
    const all = [record({ tags: ['finance'] }), record({ tags: ['finance', 'old stock'] })]
    expect(meant(all, '', ['Finance'])).toEqual(all)
    expect(meant(all, 'year!=2020', ['finance', ' OLD stock '])).toEqual(all.slice(1))
    expect(filterFrom({ where: '  ', tags: [] })).toBeNull()
    expect(filterFrom({ where: 'year>2020', tags: ['Old Stock'] })?.text).toBe('tag="old stock" and (year>2020)')
    expect(() => filterFrom({ tags: ['-x'] })).toThrow(UsageError)
  })

  it('says that it means nothing', () => {
    const filter = filterFrom({ where: 'year>2030' })
    expect(() => filter && documentsMeant([record()], filter)).toThrow(
      'The filter means none of 1 document: year>2030. Change it, or leave it out.',
    )
  })

  it.each([
    ['year>=', 6, 'behind >= a value is needed'],
    ['year', 4, 'behind year one of = != < <= > >= ~ is needed'],
    ['year => 2', 6, 'behind = a value is needed'],
    ['colour=red', 0, 'colour is no field; there are title, author'],
    ['()', 1, ') is no field'],
    ['tag=a and', 9, 'a comparison is missing'],
    ['tag=a tag=b', 6, '"and" or "or" is needed before tag'],
    ['(tag=a or (tag=b)', 17, 'the ( at 1 is not closed'],
    ['tag=a)', 5, '"and" or "or" is needed before )'],
    ['title="open', 6, 'the quote " is not closed'],
    ['title>b', 5, 'title has no order'],
    ['year~20', 4, 'year is no text'],
    ['year=soon', 5, 'soon is not a whole number'],
    ['added>2026-13-01', 6, '2026-13-01 is not a date'],
    ['format=pdf or format=md', 21, 'md is not a format; there are pdf, markdown'],
    ['tag=a or !', 9, '! is no field'],
    [`${'('.repeat(200)}tag=a`, 101, 'it nests deeper than 100 levels'],
    [`${'not '.repeat(200)}tag=a`, 404, 'it nests deeper than 100 levels'],
    [`title="${'x'.repeat(2000)}"`, 2000, 'it has more than 2000 characters'],
  ])('is refused with the place: %.20s', (where, position, problem) => {
    const refused = () => filterFrom({ where })
    expect(refused).toThrow(FilterInvalid)
    expect(refused).toThrow(`at character ${position + 1}: ${problem}`)
    expect(refused).toThrow(expect.objectContaining({ position }))
  })

  it('never throws anything else, whatever is typed', () => {
    const signs = fc.constantFrom(
      '(',
      ')',
      '=',
      '!',
      '<',
      '~',
      '"',
      "'",
      '\\',
      ' ',
      'and',
      'not',
      'year',
      'tag',
      'x',
      '1',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(signs).map((each) => each.join('')),
        ),
        (where) => {
          try {
            filterFrom({ where })
          } catch (error) {
            expect(error).toBeInstanceOf(FilterInvalid)
          }
        },
      ),
    )
  })
})
