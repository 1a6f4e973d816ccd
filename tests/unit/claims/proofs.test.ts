import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReadLibrary } from '../../../src/claims/cards/standing.ts'
import { type TableFormat, tableFile, tableFormatOf } from '../../../src/claims/export/table-files.ts'
import type { AnswerCell, Table } from '../../../src/claims/table/table.ts'
import { digested } from '../../../src/claims/verify/answer.ts'
import { verifyFile } from '../../../src/claims/verify/verify-file.ts'
import { UsageError } from '../../../src/errors.ts'
import type { DocumentRecord } from '../../../src/library/index.ts'
import { digitsOf } from '../../fixtures/changed-digits.ts'
import { tamperedWith, untouchedAs } from '../../fixtures/tampered-files.ts'
import { citation, runResult } from '../cli/run-result.ts'

const page =
  'Of 2,040 messages 1,678 were lost, that is 82.3 %.\nThe aOR was 0·82 (95% CI 0·65–1·03), p < 0.08; see [4] & “Table 2”. In 2019 it was 17 kg.'
const record = { documentId: 'd1', title: 'Of 2 trials', source: 'papers/a.pdf', pages: 1 }

/** A library of one page, whose search finds nothing. */
const library: ReadLibrary = {
  // Only these fields of a record are read.
  list: async () => [record as unknown as DocumentRecord],
  text: async (_, number = 1) => {
    if (number !== 1) throw new Error(`there is no page ${number}`)
    return { number, label: null, text: page, header: null }
  },
  search: async () => [],
}

const quote = fc
  .constantFrom(
    /Of 2,040 .* lost/,
    /82\.3 %/,
    /The aOR .* 0\.08/,
    /In 2019 it was 17 kg/,
    /0·65–1·03\), p < 0\.08; see \[4\]/,
  )
  .map((words) => {
    const [text = ''] = words.exec(page) ?? []
    const start = page.indexOf(text)
    const { documentId, title, source } = record
    return { documentId, title, source, section: '3 Results', page: 1, start, end: start + text.length, text }
  })
const strange = fc.constantFrom(
  '=1+1',
  ' 5 ',
  'a\r\nb 7',
  '\f8',
  '\ud800',
  '_x0041_',
  '#REF!',
  '<b>3</b>',
  '-->',
  '</script>',
  'é😀',
  '|',
  '0x1',
  '`',
)
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  strange,
  fc.double().map(String),
  fc.integer().map(String),
)
const cell: fc.Arbitrary<AnswerCell> = fc.oneof(
  fc.record({
    value: text,
    state: fc.constantFrom('verified', 'quoted'),
    text,
    quotes: fc.array(quote, { minLength: 1, maxLength: 3 }),
    runId: fc.constant('r1'),
  }),
  fc.record({
    value: fc.constant(null),
    state: fc.constantFrom('not reported', 'open', 'failed'),
    text: fc.constant(''),
    quotes: fc.constant<AnswerCell['quotes']>([]),
    reason: text,
    runId: fc.constant(null),
  }),
)
const tables: fc.Arbitrary<Table> = fc.record({
  columns: fc
    .tuple(text, text)
    .map((questions) => questions.map((question, at) => ({ id: `${at + 1}`, question, form: 'text' as const }))),
  limitedTo: fc.constantFrom(null, { documents: 1, filter: null }, { documents: 3, filter: 'title~"--> </script>"' }),
  rows: fc.array(
    fc.record({ document: text, documentId: fc.constant('d1'), cells: fc.array(cell, { minLength: 2, maxLength: 2 }) }),
    { minLength: 1, maxLength: 3 },
  ),
})

const quotedTables = tables.filter(({ rows }) => rows[0]?.cells[0]?.value !== null)

const bytesOf = async (table: Table, format: TableFormat) => {
  const file = await tableFile(table, format)
  return typeof file === 'string' ? new TextEncoder().encode(file) : file
}
const stands = async (format: TableFormat, bytes: Uint8Array) =>
  (await verifyFile(`t.${format}`, bytes, library)).stands

/** A file that cannot be verified at all is no false proof either. */
const isFound = async (format: TableFormat, bytes: Uint8Array) =>
  stands(format, bytes).then(
    (stood) => !stood,
    (error) => error instanceof UsageError,
  )

const longTable = { columns: [{ id: '1', question: 'a?', form: 'text' }], limitedTo: null, rows: [] } as const
const many = (count: number): Table => ({
  columns: [...longTable.columns],
  limitedTo: null,
  rows: Array.from({ length: count }, (_, at) => ({
    document: `d ${at}`,
    documentId: 'd1',
    cells: [{ value: `😀${'é'.repeat(at)}`, state: 'quoted', text: '', quotes: [], runId: null }],
  })),
})

describe('an untouched export', { tags: ['Q19'] }, () => {
  it.each([
    ['md', 100],
    ['html', 100],
    ['json', 100],
    ['xlsx', 30],
  ] as const)('as %s is proven, as other programs save it too', async (format, numRuns) => {
    await fc.assert(
      fc.asyncProperty(tables, async (table) => {
        const bytes = await bytesOf(table, format)
        const copies = [['as it is', bytes] as const, ...(await untouchedAs(format, bytes))]
        const isProven = table.rows.some(({ cells }) => cells.some(({ value }) => value !== null))
        for (const [what, copy] of copies) {
          const verified = await verifyFile(`t.${format}`, copy, library)
          expect([what, verified.changes, verified.stands]).toEqual([what, [], isProven])
        }
      }),
      { numRuns },
    )
  })

  it('proves nothing if it has no value at all', async () => {
    for (const format of ['xlsx', 'md', 'html', 'json'] as const) {
      const empty = await verifyFile(`t.${format}`, await bytesOf(many(0), format), library)
      expect(empty).toEqual({ stands: false, changes: [], claims: [] })
    }
  })
})

describe('a tampered export', { tags: ['Q19'] }, () => {
  it.each(['md', 'html', 'json', 'xlsx'] as const)('as %s is found, whatever was done to it', async (format) => {
    const [table = many(1)] = fc.sample(quotedTables, { numRuns: 1, seed: 7 })
    const bytes = await bytesOf(table, format)
    expect(await stands(format, bytes)).toBe(true)
    const tampered = await tamperedWith(format, bytes)
    const missed: string[] = []
    for (const [what, copy] of tampered) if (!(await isFound(format, copy))) missed.push(what)
    expect(tampered.length).toBeGreaterThan(8)
    expect(missed).toEqual([])
  })
})

describe('an export with one changed digit', { tags: ['Q19'] }, () => {
  it.each([
    ['md', 200],
    ['html', 200],
    ['json', 200],
    ['xlsx', 100],
  ] as const)('as %s is found, wherever it stands', async (format, numRuns) => {
    await fc.assert(
      fc.asyncProperty(tables, fc.nat(), fc.integer({ min: 1, max: 9 }), async (table, nth, by) => {
        const { count, changed } = await digitsOf(format, await bytesOf(table, format))
        expect(await isFound(format, await changed(nth % count, by))).toBe(true)
      }),
      { numRuns },
    )
  })
})

describe('a file without a proof that can be read', () => {
  const encoded = (file: string) => new TextEncoder().encode(file)

  it.each([
    ['t.md', '| a |\n', /carries no proof/],
    ['t.json', '{ "a": 1 }', /carries no proof/],
    ['t.json', 'no JSON', /carries no proof/],
    ['t.json', '[]', /carries no proof/],
    ['t.json', '{ "a": 1, "proof": { "format": "quaero-proof", "version": 1 } }', /of a version that is not known/],
    ['t.md', 'a\n\n<!-- quaero-proof\n{ torn\n-->\n', /was changed/],
    ['t.md', 'a\n\n<!-- quaero-proof\n{}\n-->\n<!-- -->\n', /was changed/],
    ['t.md', '\xff', /carries no proof/],
    ['t.json', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, /carries no proof/],
    ['t.json', `{ "a": 1, "proof": ${'['.repeat(200_000)}${']'.repeat(200_000)} }`, /cannot be read/],
    ['t.xlsx', 'no workbook', /cannot be read as a workbook/],
    ['t.csv', 'a,b', /is no file of \.md/],
    ['table', '', /is no file of \.md/],
  ])('is refused: %s of %.80j', async (name, file, message) => {
    const verified = () => verifyFile(name, encoded(file), library)
    await expect(verified()).rejects.toThrow(UsageError)
    await expect(verified()).rejects.toThrow(message)
  })

  it('is a table of another ending, too', () => {
    expect(() => tableFormatOf('t.docx')).toThrow(UsageError)
    expect(tableFormatOf('a/T.XLSX')).toBe('xlsx')
  })
})

describe('an answer as JSON', { tags: ['Q19'] }, () => {
  const words = 'In 2019 it was 17 kg'
  const start = page.indexOf(words)
  const place = { documentId: 'd1', page: 1, quote: words, start, end: start + words.length }
  const sentence = { text: 'It was 17 kg in 2019.', state: 'verified' as const, markers: [1] }
  const answer = runResult({ answer: 'It was 17 kg in 2019. [1]', citations: [citation(place)], sentences: [sentence] })
  const verified = (result: object) => verifyFile('a.json', new TextEncoder().encode(JSON.stringify(result)), library)

  it('is proven as its sentences, quotes and formulas', async () => {
    expect(await verified(digested(answer))).toMatchObject({
      stands: true,
      claims: [{ claim: { text: sentence.text } }],
    })
    const citations = [citation({ ...place, quote: 'In 2019 it was 18 kg' })]
    expect(await verified(digested({ ...answer, citations }))).toMatchObject({ claims: [{ stands: false }] })
    const calculations = [{ marker: 2, expression: '17 + 17', value: 35, operands: [{ value: 17, marker: 1 }] }]
    const sentences = [{ ...sentence, markers: [2] }]
    expect(await verified(digested({ ...answer, calculations, sentences }))).toMatchObject({
      claims: [{ formulas: ['“17 + 17” is 34, not 35'] }],
    })
  })

  it.each([
    ['a sentence more', { answer: 'It was 17 kg in 2019. [1] It is 99 kg now.' }],
    ['another question', { question: 'What is the real value?' }],
    ['no sentences', { sentences: [] }],
    ['another page', { citations: [citation({ ...place, page: 2 })] }],
  ])('with %s is found', async (_, change) => {
    const told = await verified({ ...digested(answer), ...change })
    expect(told).toMatchObject({ stands: false, changes: [expect.stringContaining('Edited')] })
  })

  it('without sentences proves nothing, and without its digest it is none', async () => {
    expect(await verified(digested({ ...answer, sentences: [] }))).toEqual({ stands: false, changes: [], claims: [] })
    await expect(verified(answer)).rejects.toThrow(/carries no proof/)
  })
})
