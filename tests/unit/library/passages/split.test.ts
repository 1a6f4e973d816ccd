import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { documentBatches, splitPassages } from '../../../../src/library/passages/split.ts'
import type { Passage, ReadDocument } from '../../../../src/library/port/document.ts'
import { documentWriter } from '../../../../src/library/readers/common/document-writer.ts'
import { rowsOf } from './rows-of.ts'

type Write = (writer: ReturnType<typeof documentWriter>) => void

function passages(
  write: Write,
  format: ReadDocument['format'] = 'text',
): { passages: readonly Passage[]; document: ReadDocument } {
  const writer = documentWriter({ pages: 100, characters: 1_000_000 })
  write(writer)
  const document: ReadDocument = { format, title: null, authors: null, year: null, ...writer.finish() }
  return { passages: splitPassages('0123456789abcdef', document), document }
}

function words(text: string): number {
  return text.split(/\s+/u).filter(Boolean).length
}

function sentence(length: number): string {
  return `${Array.from({ length: length - 1 }, (_, at) => `word${at}`).join(' ')} end.`
}

describe('passages', () => {
  it('carry their page and the characters they span there', { tags: ['R30'] }, () => {
    const { passages: found, document } = passages((writer) => {
      writer.page(1)
      writer.heading(1, '1 Results')
      writer.paragraph('It reached 0.93. That is enough.')
      writer.page(2)
      writer.paragraph('It fell later.')
    })
    expect(found.map(({ page, section, text }) => ({ page, section, text }))).toEqual([
      { page: 1, section: '1 Results', text: '1 Results\nIt reached 0.93. That is enough.' },
      { page: 2, section: '1 Results', text: 'It fell later.' },
    ])
    for (const { page, start, end, text } of found) expect(document.pages[page - 1]?.text.slice(start, end)).toBe(text)
    expect(found.map((passage) => passage.passageId)).toEqual(['0123456789abcdef.0', '0123456789abcdef.1'])
  })

  it.each([
    ['pdf', ['It fell later.']],
    ['markdown', ['It fell later.', '21']],
  ] as const)('are no numbers of pages, in a document that has pages: %s', { tags: ['Q14'] }, (format, texts) => {
    const write: Write = (writer) => {
      writer.page(1)
      writer.paragraph('It fell later.')
      writer.page(2)
      writer.paragraph('21')
    }
    const { passages: found, document } = passages(write, format)
    expect(found.map(({ text }) => text)).toEqual(texts)
    const [, second] = [...documentBatches('0', document)].flatMap(({ pages }) => pages)
    expect(second?.leftOut).toEqual(format === 'pdf' ? [{ reason: 'page number', text: '21', start: 0 }] : [])
  })

  it('hold 80 to 120 words of a long section, in whole sentences', () => {
    const { passages: found } = passages((writer) => {
      for (let at = 0; at < 40; at++) writer.paragraph(`${sentence(19)} ${sentence(7)}`)
    })
    expect(found.length).toBeGreaterThan(5)
    for (const { text } of found) {
      expect(words(text)).toBeGreaterThanOrEqual(80)
      expect(words(text)).toBeLessThanOrEqual(120)
      expect(text).toMatch(/end\.$/)
    }
  })

  it('put short sections together, and are called after the longest', () => {
    const { passages: found } = passages((writer) => {
      writer.heading(1, 'A')
      writer.paragraph(sentence(10))
      writer.heading(2, 'B')
      writer.paragraph(sentence(40))
      writer.heading(1, 'C')
      writer.paragraph(sentence(90))
    })
    expect(found.map(({ section, text }) => [section, text.split('\n').filter((line) => line.length === 1)])).toEqual([
      ['A > B', ['A', 'B']],
      ['C', ['C']],
    ])
  })

  it('begin with the headings of what they hold, a table too', () => {
    const { passages: found } = passages((writer) => {
      writer.heading(1, 'Ponds')
      writer.heading(2, 'Depths')
      writer.table(rowsOf('Pond | Depth', 'North | 3'))
      writer.paragraph('After it.')
      writer.heading(1, 'Last')
    })
    expect(found.map(({ kind, section, text }) => ({ kind, section, text }))).toEqual([
      { kind: 'table', section: 'Ponds > Depths', text: 'Ponds\nDepths\nPond | Depth\nNorth | 3' },
      { kind: 'text', section: 'Ponds > Depths', text: 'After it.\nLast' },
    ])
  })

  it('keep a table in one piece, and cut a long one between rows', () => {
    const { passages: found } = passages((writer) => {
      writer.paragraph('Before the table.')
      writer.table(rowsOf('Name | Size', 'A | 1', 'B | 2'), { caption: 'Table 1: Sizes.' })
      writer.paragraph('After the table.')
      writer.table(rowsOf(...Array.from({ length: 100 }, (_, row) => `row ${row} | ${row * 2} | x`)))
    })
    expect(found[1]).toMatchObject({ kind: 'table', text: 'Table 1: Sizes.\nName | Size\nA | 1\nB | 2' })
    expect(found[2]).toMatchObject({ kind: 'text', text: 'After the table.' })
    const long = found.slice(3)
    expect(long.length).toBeGreaterThan(1)
    for (const { text } of long) expect(text).toMatch(/^row \d+ \| .* x$/s)
  })

  it('tell references from text, and keep an entry whole', () => {
    const { passages: found } = passages((writer) => {
      writer.heading(1, 'References')
      writer.paragraph('A. Author. 2020. A title. In a journal.')
      writer.paragraph('B. Author. 2021. Another. In a journal.')
      writer.heading(1, 'A Appendix')
      writer.paragraph('More text.')
    })
    expect(found.map(({ kind, section }) => ({ kind, section }))).toEqual([
      { kind: 'references', section: 'References' },
      { kind: 'text', section: 'A Appendix' },
    ])
  })

  it('cut a sentence without end between words', () => {
    const { passages: found } = passages((writer) => writer.paragraph(`${'word '.repeat(1000)}end`))
    for (const { text } of found) expect(words(text)).toBeLessThanOrEqual(120)
    expect(found.reduce((sum, { text }) => sum + words(text), 0)).toBe(1001)
  })

  it.each([
    ['one word without end', 'x'.repeat(50_000)],
    ['characters of two units', '😀'.repeat(5000)],
    ['Chinese without a stop', '模型在语料库中删除了重复的页面'.repeat(300)],
    ['Chinese sentences', '模型在语料库中删除了重复的页面。'.repeat(300)],
    ['Thai', 'แบบจำลองลบหน้าที่ซ้ำกันออกจากคลังข้อมูล'.repeat(100)],
    ['long words', `${'pneumonoultramicroscopic'.repeat(8)} `.repeat(200)],
    ['a few words far apart', `a${' '.repeat(5000)}b ${'x'.repeat(2000)} c`],
  ])('hold at most 900 characters of %s, and lose none', (_, text) => {
    const { passages: found, document } = passages((writer) => writer.paragraph(text))
    expect(
      found
        .map((passage) => passage.text)
        .join('')
        .replace(/\s/gu, ''),
    ).toBe(text.replace(/\s/gu, ''))
    for (const { page, start, end, text: own } of found) {
      expect(own.length).toBeLessThanOrEqual(900)
      expect(own).toBe(own.trim())
      expect(own).not.toMatch(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/)
      expect(document.pages[page - 1]?.text.slice(start, end)).toBe(own)
    }
    expect(found.length).toBeLessThanOrEqual(Math.ceil(text.length / 450) + 2)
  })

  it('are cut between words in a language without spaces', () => {
    const { passages: found } = passages((writer) => writer.paragraph('数据库'.repeat(400)))
    expect(found.length).toBeGreaterThan(1)
    for (const { text } of found) expect(text).toMatch(/^(?:数据库)+$/)
  })

  it('hold at most 3,000 characters of a table, in whole rows', () => {
    const row = `北 | ${'值'.repeat(400)}`
    const { passages: found } = passages((writer) => writer.table(rowsOf(...Array(20).fill(row), 'y'.repeat(10_000))))
    expect(found.length).toBeGreaterThan(3)
    for (const { kind, text } of found) {
      expect(kind).toBe('table')
      expect(text.length).toBeLessThanOrEqual(3000)
      expect(text.split('\n').every((line) => line === row || /^y+$/.test(line))).toBe(true)
    }
  })

  it('hold every word of the text once, in order', () => {
    const text = fc.array(fc.constantFrom('One', 'two.', 'Three', '4.5', 'et al.', 'six!', '\n', 'seven?'), {
      maxLength: 600,
    })
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (sections) => {
        const { passages: found, document } = passages((writer) => {
          sections.forEach((section, at) => {
            writer.heading(1, `Section ${at}`)
            writer.paragraph(section.join(' ').trim())
          })
        })
        const written = sections.map((section, at) => `Section ${at} ${section.join(' ')}`)
        const expected = written.flatMap((section) => section.split(/\s+/u)).filter(Boolean)
        expect(found.flatMap((passage) => passage.text.split(/\s+/u))).toEqual(expected)
        for (const { page, start, end, text: own } of found) {
          expect(document.pages[page - 1]?.text.slice(start, end)).toBe(own)
          expect(words(own)).toBeLessThanOrEqual(120)
        }
      }),
    )
  })
})
