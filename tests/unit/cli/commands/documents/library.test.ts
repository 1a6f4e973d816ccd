import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../../../../scripts/json-outputs.ts'
import {
  libraryList,
  libraryRemove,
  librarySet,
  libraryShow,
  libraryText,
} from '../../../../../src/cli/commands/library.ts'
import { type DocumentDetails, type DocumentRecord, UsageError } from '../../../../../src/index.ts'
import { capturedOutput, runWith, typedInput } from '../../captured-terminal.ts'
import { fakeQuaero } from '../../fake-quaero.ts'

const documentId = '0123456789abcdef'
const document: DocumentRecord = {
  documentId,
  title: 'A study',
  authors: ['L. Zhang'],
  year: 2021,
  source: 'papers/zhang.pdf',
  format: 'pdf',
  pages: 12,
  passages: 80,
  tags: [],
  addedAt: null,
}

const details: DocumentDetails = {
  document,
  sources: ['papers/zhang.pdf', 'copies/zhang.pdf'],
  metadata: {
    title: [
      { value: 'A study', from: 'library set' },
      { value: 'A stvdy', from: 'largest font on page 1' },
    ],
    authors: [{ value: ['L. Zhang', 'A. Berg'], from: 'papers/zhang.pdf.yaml' }],
    year: [],
  },
  summary: [{ page: 2, text: 'Ponds freeze in winter.', start: 10, end: 33 }],
  questions: ['What is “A study” about?', 'Who wrote “A study”?'],
  leftOut: [
    { page: 1, reason: 'running head', text: 'Annals of Ponds', start: null },
    { page: 1, reason: 'page number', text: '7', start: null },
    { page: 2, reason: 'page number', text: '8', start: 120 },
  ],
  recognised: [],
}

describe('quaero library', () => {
  it('lists the documents in a table', async () => {
    const output = capturedOutput()
    await runWith(libraryList, fakeQuaero({ documents: [document] }).quaero, typedInput(), output, {})
    expect(output.out()).toMatch(/^0123456789abcdef +12 +80 +A study +papers\/zhang\.pdf$/m)
  })

  it('lists with --json exactly what is promised of a document', async () => {
    const output = capturedOutput()
    await runWith(libraryList, fakeQuaero({ documents: [document] }).quaero, typedInput(), output, { json: true })
    const { format: _, ...promised } = document
    expect(JSON.parse(output.out())).toEqual({ documents: [promised] })
  })

  it('says how to add documents where there are none', async () => {
    const output = capturedOutput()
    expect(await runWith(libraryList, fakeQuaero({}).quaero, typedInput(), output, {})).toBe(0)
    expect([output.out(), output.err()]).toEqual(['', expect.stringContaining('quaero add')])
  })

  it('prints the text of a page in a pipe without changing a character', async () => {
    const page = '  It reaches\u00ad 87.2 %\t\u001b[31m\n\n'
    const output = capturedOutput()
    await runWith(libraryText, fakeQuaero({ page }).quaero, typedInput(), output, { documentId, page: 5 })
    expect(output.out()).toBe(`${page}\n`)
  })

  it('loses the escapes of a page on a terminal', { tags: ['S21'] }, async () => {
    const output = capturedOutput({ stdoutIsTerminal: true })
    await runWith(libraryText, fakeQuaero({ page: 'a\u001b[31mb' }).quaero, typedInput(), output, {
      documentId,
      page: 5,
    })
    expect(output.out()).toBe('ab\n')
  })

  it('prints a page with --json', async () => {
    const output = capturedOutput()
    await runWith(libraryText, fakeQuaero({ page: 'text' }).quaero, typedInput(), output, {
      documentId,
      page: 5,
      json: true,
    })
    expect(JSON.parse(output.out())).toEqual({ documentId, page: 5, text: 'text' })
  })

  it('shows what is known of a document, and from where, what it says of itself, and what to ask about it', async () => {
    const output = capturedOutput()
    await runWith(libraryShow, fakeQuaero({ details }).quaero, typedInput(), output, { documentId })
    expect(output.out()).toBe(`0123456789abcdef: 12 pages, 80 passages
                  From                    Value
title             library set             A study
not               largest font on page 1  A stvdy
authors           papers/zhang.pdf.yaml   L. Zhang; A. Berg
year              -                       -
file              pdf                     papers/zhang.pdf
                  the same content        copies/zhang.pdf
in its own words  p. 2                    Ponds freeze in winter.
suggested         title and headings      What is “A study” about?
                                          Who wrote “A study”?
In no passage: 1 running head, 2 page numbers
`)
  })

  it('shows the same with --json', async () => {
    const output = capturedOutput()
    await runWith(libraryShow, fakeQuaero({ details }).quaero, typedInput(), output, { documentId, json: true })
    expect(jsonOutputs['library-show'].parse(JSON.parse(output.out()))).toEqual({
      documentId,
      title: {
        value: 'A study',
        from: 'library set',
        insteadOf: [{ value: 'A stvdy', from: 'largest font on page 1' }],
      },
      authors: { value: ['L. Zhang', 'A. Berg'], from: 'papers/zhang.pdf.yaml', insteadOf: [] },
      year: { value: null, from: null, insteadOf: [] },
      source: 'papers/zhang.pdf',
      sources: ['papers/zhang.pdf', 'copies/zhang.pdf'],
      format: 'pdf',
      pages: 12,
      passages: 80,
      tags: [],
      addedAt: null,
      summary: details.summary,
      questions: details.questions,
      leftOut: details.leftOut,
      recognised: [],
    })
  })

  it('shows how sure it is what was recognised in pictures', async () => {
    const output = capturedOutput()
    const recognised = [
      { page: 1, confidence: 0.93 },
      { page: 2, confidence: 0.61 },
    ]
    const { quaero } = fakeQuaero({ details: { ...details, recognised } })
    await runWith(libraryShow, quaero, typedInput(), output, { documentId })
    expect(output.out()).toContain(
      'Recognised in pictures: 2 pages, with a confidence of 0.77, the least 0.61 on page 2\n',
    )
  })

  it('sets what a person knows better, and shows what holds then', async () => {
    const { quaero, calls } = fakeQuaero({ details })
    const output = capturedOutput()
    const values = ['title=a = b', 'authors=A; B', 'year=']
    await runWith(librarySet, quaero, typedInput(), output, { documentId, values })
    expect(calls).toEqual([{ name: 'set', id: documentId, change: { title: 'a = b', authors: 'A; B', year: '' } }])
    expect(output.out()).toContain('library set')
  })

  it.each(['title', '=x', ''])('refuses to set %j', async (value) => {
    const { quaero } = fakeQuaero({ details })
    const set = runWith(librarySet, quaero, typedInput(), capturedOutput(), { documentId, values: [value] })
    await expect(set).rejects.toThrow(UsageError)
  })

  it('removes a document', async () => {
    const { quaero, calls } = fakeQuaero({})
    await runWith(libraryRemove, quaero, typedInput(), capturedOutput(), { documentId })
    expect(calls).toEqual([{ name: 'remove', id: documentId }])
  })
})
