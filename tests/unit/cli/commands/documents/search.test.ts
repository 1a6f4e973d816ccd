import { describe, expect, it } from 'vitest'
import { search as searchCommand } from '../../../../../src/cli/commands/search.ts'
import type { DocumentRecord, SearchHit } from '../../../../../src/index.ts'
import { capturedOutput, type FlagsOf, runWith, typedInput } from '../../captured-terminal.ts'
import { fakeQuaero } from '../../fake-quaero.ts'

const stored: DocumentRecord = {
  documentId: '0123456789abcdef',
  title: 'A study',
  authors: [],
  year: null,
  source: 'papers/zhang.pdf',
  format: 'pdf',
  pages: 1,
  passages: 1,
  tags: [],
  addedAt: null,
}

const hit: SearchHit = {
  rank: 1,
  score: 0.734,
  passageId: '0123456789abcdef.7',
  documentId: '0123456789abcdef',
  title: 'A study',
  source: 'papers/zhang.pdf',
  format: 'pdf',
  page: 5,
  pageLabel: null,
  section: '4 Results',
  start: 10,
  end: 27,
  text: 'It reaches 87.2 %',
  also: [],
}

describe('quaero search', () => {
  it('prints the passages with their place and score', async () => {
    const { out } = await search({ query: 'accuracy' }, [hit, { ...hit, rank: 2, title: null, section: null }])
    expect(out).toBe(
      [
        '1. A study, 4 Results, p. 5 (0.73)\nIt reaches 87.2 %\n',
        '2. papers/zhang.pdf, p. 5 (0.73)\nIt reaches 87.2 %\n',
      ].join('\n'),
    )
  })

  it('prints an array with --json, an empty one where nothing is found', async () => {
    expect(JSON.parse((await search({ query: 'x', json: true }, [hit])).out)).toEqual([hit])
    expect(JSON.parse((await search({ query: 'x', json: true }, [])).out)).toEqual([])
  })

  it('says in how many documents nothing was found', { tags: ['F74'] }, async () => {
    const { code, out, err } = await search({ query: 'x' }, [])
    expect([code, out, err]).toEqual([0, '', 'Nothing found in 1 document.\n'])
  })

  it('refuses an empty library, and says how to add to it', async () => {
    await expect(search({ query: 'x' }, [], [])).rejects.toMatchObject({
      code: 'no_documents',
      message: 'The library is empty. Add documents with: quaero add <path>',
    })
  })

  it('passes on the number of passages, the documents, the width and the context', async () => {
    const asked = async (flags: Omit<FlagsOf<typeof searchCommand>, 'query'>) =>
      (await search({ query: 'x', ...flags }, [hit])).calls
    expect(await asked({ k: 3 })).toEqual([{ name: 'search', query: 'x', options: { limit: 3 } }])
    expect(await asked({ document: ['0123', 'b.pdf'], context: 2 })).toEqual([
      { name: 'search', query: 'x', options: { documents: ['0123', 'b.pdf'], context: 2 } },
    ])
  })

  it('names no page of a file that has none', async () => {
    const { out } = await search({ query: 'accuracy' }, [{ ...hit, format: 'docx', page: 1 }])
    expect(out).toBe('1. A study, 4 Results (0.73)\nIt reaches 87.2 %\n')
  })

  it('names the other places of the same text', async () => {
    const draft = { passageId: 'd.1', documentId: 'd', title: 'A draft', source: 'draft.pdf', page: 2, pageLabel: 'ii' }
    const also = [
      { ...draft, format: 'pdf' as const },
      { ...draft, page: 1, title: null, source: 'notes.md', format: 'markdown' as const },
    ]
    const { out } = await search({ query: 'accuracy' }, [{ ...hit, also }])
    expect(out).toContain('\nIt reaches 87.2 %\nAlso in A draft, p. ii (2 of the file); notes.md\n')
  })

  it('tells what stands before and after from what was found', async () => {
    const { documentId, page, section, start, end } = hit
    const place = { passageId: 'x.1', documentId, ordinal: 1, page, section, kind: 'text' as const, start, end }
    const around = { before: [{ ...place, text: 'Two lines\nbefore.' }], after: [{ ...place, text: 'After.' }] }
    const { out } = await search({ query: 'accuracy', context: 1 }, [{ ...hit, ...around }])
    expect(out).toBe('1. A study, 4 Results, p. 5 (0.73)\n| Two lines\n| before.\nIt reaches 87.2 %\n| After.\n')
  })

  it('loses the escapes in a passage', { tags: ['S21'] }, async () => {
    const text = '\u001b]0;owned\u0007It\u001b[2J reaches'
    expect((await search({ query: 'x' }, [{ ...hit, text }])).out).toContain('\nIt reaches\n')
  })
})

async function search(flags: FlagsOf<typeof searchCommand>, hits: readonly SearchHit[], documents = [stored]) {
  const { quaero, calls } = fakeQuaero({ hits, documents })
  const output = capturedOutput()
  const code = await runWith(searchCommand, quaero, typedInput(), output, flags)
  return { code, calls, out: output.out(), err: output.err() }
}
