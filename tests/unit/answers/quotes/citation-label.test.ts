import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { citationLabel } from '../../../../src/answers/quotes/citation-label.ts'
import { observation } from '../../agents/observation.ts'

const one = ['Wei Zhang']

describe('the label of a citation', () => {
  it.each([
    ['et al. for three authors or more', observation(), 'Zhang et al., 2021, p. 1'],
    ['two names', observation({ authors: ['Zhang, Wei', 'Ada van Berg'] }), 'Zhang and van Berg, 2021, p. 1'],
    ['one name, and no year where none is known', observation({ authors: one, year: null }), 'Zhang, p. 1'],
    ['the title without authors', observation({ authors: [] }), 'The Halden filter, 2021, p. 1'],
    ['the file name without a title', observation({ authors: [], title: null, page: 5 }), 'halden.pdf, 2021, p. 5'],
    [
      'the table that it quotes',
      observation({ authors: one, kind: 'table', section: 'Table 2: Accuracy', page: 5 }),
      'Zhang, 2021, Table 2, p. 5',
    ],
    [
      'the table by its own first words',
      observation({ authors: one, kind: 'table', section: null, text: 'Tab. 3 Sizes | 1' }),
      'Zhang, 2021, Tab. 3, p. 1',
    ],
    [
      'the host of a web page instead of a page number',
      observation({ authors: [], title: 'Filters', origin: 'web', source: 'https://example.org/a/b', year: null }),
      'Filters, example.org',
    ],
    [
      'the table whose caption stands elsewhere on the page',
      observation({ authors: one, kind: 'table', section: '4 Results', text: 'a | 1', table: 'Table 2', page: 5 }),
      'Zhang, 2021, Table 2, p. 5',
    ],
    [
      'the table by its caption, although it stands in a section',
      observation({ authors: one, kind: 'table', section: '4 Results > 4.1 Costs', text: 'TABLE IV: Costs\na | 1' }),
      'Zhang, 2021, Table IV, p. 1',
    ],
    [
      'no table that is none',
      observation({ authors: one, kind: 'table', text: 'Table of costs\na | 1' }),
      'Zhang, 2021, p. 1',
    ],
    [
      'the page as it is printed',
      observation({ authors: one, format: 'pdf', page: 6, pageLabel: 'iv' }),
      'Zhang, 2021, p. iv (6 of the file)',
    ],
    [
      'the page as it is counted',
      observation({ authors: one, format: 'pdf', page: 6, pageLabel: null }),
      'Zhang, 2021, p. 6',
    ],
    [
      'the page as it is counted, where what is printed is no page number',
      observation({ authors: one, page: 6, pageLabel: 'Chapter 1, see also [2]' }),
      'Zhang, 2021, p. 6',
    ],
    [
      'the innermost section of a document without pages',
      observation({ authors: [], title: 'Operations', year: null, format: 'docx', section: 'Operations > 2 Backups' }),
      'Operations, § 2 Backups',
    ],
    [
      'the table and the section of a document without pages',
      observation({ authors: one, format: 'markdown', kind: 'table', section: 'Backups', table: 'Table 3' }),
      'Zhang, 2021, Table 3, § Backups',
    ],
    [
      'no section that only repeats the title',
      observation({ authors: [], title: 'Operations', year: null, format: 'html', section: 'Operations' }),
      'Operations',
    ],
    [
      'neither page nor section where there is none',
      observation({ authors: [], title: null, year: null, format: 'text', section: null, source: 'a/notes.txt' }),
      'notes.txt',
    ],
  ])('gives %s', (_, of, label) => {
    expect(citationLabel(of)).toBe(label)
  })

  it('names a year once', () => {
    const title = 'Pond Wholesale, 10-K 2021'
    expect(citationLabel(observation({ authors: [], title, year: 2021, page: 7, pageLabel: null }))).toBe(
      `${title}, p. 7`,
    )
  })

  it('cites the maker after which the title is called as a whole', () => {
    const manual = { authors: ['Merid Nova'], title: 'Merid M40 Centrifuge: User Manual', year: null }
    expect(citationLabel(observation(manual))).toBe('Merid Nova, p. 1')
    expect(citationLabel(observation({ ...manual, title: 'The M40 Centrifuge' }))).toBe('Nova, p. 1')
  })

  it.each([
    ['the file name, where another document has its title', { title: 'Policy' }, 'Policy', 'policy-v1.md'],
    ['nothing, where the titles differ', { title: 'Other Policy' }, 'Policy', null],
    [
      'the path, where the file names are the same too',
      { title: 'Policy', source: 'b/policy-v1.md' },
      'Policy',
      'a/policy-v1.md',
    ],
  ])('tells a document apart by %s', (_, other, title, mark) => {
    const bare = { authors: [], year: null, format: 'markdown' as const, section: null }
    const one = observation({ ...bare, documentId: '1', title, source: 'a/policy-v1.md' })
    const two = observation({ ...bare, documentId: '2', source: 'a/policy-v2.md', ...other })
    expect(citationLabel(one, [one, two])).toBe(mark === null ? title : `${title}, ${mark}`)
    expect(citationLabel(one, [one])).toBe(title)
  })

  it('tells two documents of the same authors and year apart by their titles', () => {
    const [filter, moss] = [observation({ documentId: '1' }), observation({ documentId: '2', title: 'Moss' })]
    expect(citationLabel(moss, [filter, moss])).toBe('Zhang et al., 2021, “Moss”, p. 1')
  })

  it.each([
    ['Ada van der Berg', 'van der Berg'],
    ['van der Berg, Ada', 'van der Berg'],
    ['Martin Luther King, Jr.', 'King'],
    ['Martin Luther King Jr.', 'King'],
    ['William Gates III', 'Gates'],
    ['张伟', '张伟'],
    ['김 민준', '김'],
    ['World Health Organization', 'World Health Organization'],
    ['Acme, Inc.', 'Acme, Inc.'],
    ['Quaero contributors', 'Quaero contributors'],
    ['Plato', 'Plato'],
    ['Brennhaven Water Cooperative', 'Brennhaven Water Cooperative'],
    ['Corvell Instruments', 'Corvell Instruments'],
    ['Halden Maren', 'Maren'],
    ['  ', 'The Halden filter'],
  ])('cites %j as %j', (name, cited) => {
    expect(citationLabel(observation({ authors: [name], year: null }))).toBe(`${cited}, p. 1`)
  })

  it('cuts titles and sections at the end of a word', () => {
    const title = 'How lantern fish of the deep lakes find their food at night, and why it matters'
    const long = observation({ authors: [], title, year: null, format: 'html', section: `Results > ${title}!` })
    const cut = 'How lantern fish of the deep lakes find their food at night…'
    expect(citationLabel(long)).toBe(`${cut}, § ${cut}`)
    const wide = citationLabel(observation({ authors: [], title: '漢字😀'.repeat(40), year: null }))
    expect(wide).toMatch(/^(漢字😀)+漢?字?…, p\. 1$/u)
  })

  it('is never page 1 of a document without pages, and never empty', () => {
    const formats = fc.constantFrom('docx', 'html', 'markdown', 'text')
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string()), formats, fc.boolean(), (title, section, format, isTable) => {
        const kind = isTable ? 'table' : 'text'
        const label = citationLabel(observation({ title, section, format, kind, authors: [], source: 'a.md' }))
        expect(label.replace(title.trim(), '').replace(section?.trim() ?? '', '')).not.toMatch(/, p\. 1$/)
        expect(label).not.toBe('')
      }),
    )
  })
})
