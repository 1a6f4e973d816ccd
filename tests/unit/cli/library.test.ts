import { describe, expect, it } from 'vitest'
import { runLibraryList, runLibraryRemove, runLibraryText } from '../../../src/cli/library.ts'
import type { DocumentRecord } from '../../../src/index.ts'
import { capturedOutput, typedInput } from './captured-terminal.ts'
import { fakeQuaero } from './fake-quaero.ts'

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
}

describe('quaero library', () => {
  it('lists the documents in a table', async () => {
    const output = capturedOutput()
    await runLibraryList(fakeQuaero({ documents: [document] }).quaero, typedInput(), output, {})
    expect(output.out()).toMatch(/^0123456789abcdef +12 +80 +A study +papers\/zhang\.pdf$/m)
  })

  it('lists with --json exactly what is promised of a document', async () => {
    const output = capturedOutput()
    await runLibraryList(fakeQuaero({ documents: [document] }).quaero, typedInput(), output, { json: true })
    const { format: _, ...promised } = document
    expect(JSON.parse(output.out())).toEqual({ documents: [promised] })
  })

  it('says how to add documents where there are none', async () => {
    const output = capturedOutput()
    expect(await runLibraryList(fakeQuaero({}).quaero, typedInput(), output, {})).toBe(0)
    expect([output.out(), output.err()]).toEqual(['', expect.stringContaining('quaero add')])
  })

  it('prints the text of a page in a pipe without changing a character', async () => {
    const page = '  It reaches\u00ad 87.2 %\t\u001b[31m\n\n'
    const output = capturedOutput()
    await runLibraryText(fakeQuaero({ page }).quaero, typedInput(), output, { documentId, page: 5 })
    expect(output.out()).toBe(`${page}\n`)
  })

  it('S21: loses the escapes of a page on a terminal', async () => {
    const output = capturedOutput({ stdoutIsTerminal: true })
    await runLibraryText(fakeQuaero({ page: 'a\u001b[31mb' }).quaero, typedInput(), output, { documentId, page: 5 })
    expect(output.out()).toBe('ab\n')
  })

  it('prints a page with --json', async () => {
    const output = capturedOutput()
    await runLibraryText(fakeQuaero({ page: 'text' }).quaero, typedInput(), output, { documentId, page: 5, json: true })
    expect(JSON.parse(output.out())).toEqual({ documentId, page: 5, text: 'text' })
  })

  it('removes a document', async () => {
    const { quaero, calls } = fakeQuaero({})
    await runLibraryRemove(quaero, typedInput(), capturedOutput(), { documentId })
    expect(calls).toEqual([{ name: 'remove', id: documentId }])
  })
})
