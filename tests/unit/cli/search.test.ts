import { describe, expect, it } from 'vitest'
import { runSearch, type SearchFlags } from '../../../src/cli/search.ts'
import type { SearchHit } from '../../../src/index.ts'
import { capturedOutput, typedInput } from './captured-terminal.ts'
import { fakeQuaero } from './fake-quaero.ts'

const hit: SearchHit = {
  rank: 1,
  score: 0.734,
  passageId: '0123456789abcdef.7',
  documentId: '0123456789abcdef',
  title: 'A study',
  source: 'papers/zhang.pdf',
  page: 5,
  section: '4 Results',
  start: 10,
  end: 27,
  text: 'It reaches 87.2 %',
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

  it('F74: says in how many documents nothing was found', async () => {
    const { code, out, err } = await search({ query: 'x' }, [])
    expect([code, out, err]).toEqual([0, '', 'Nothing found in 0 documents.\n'])
  })

  it('hands on how many passages are wanted', async () => {
    expect((await search({ query: 'x', k: 3 }, [hit])).calls).toEqual([{ name: 'search', query: 'x', limit: 3 }])
  })

  it('S21: loses the escapes in a passage', async () => {
    const text = '\u001b]0;owned\u0007It\u001b[2J reaches'
    expect((await search({ query: 'x' }, [{ ...hit, text }])).out).toContain('\nIt reaches\n')
  })
})

async function search(flags: SearchFlags, hits: readonly SearchHit[]) {
  const { quaero, calls } = fakeQuaero({ hits })
  const output = capturedOutput()
  const code = await runSearch(quaero, typedInput(), output, flags)
  return { code, calls, out: output.out(), err: output.err() }
}
