import { describe, expect, it } from 'vitest'
import { distinctNames } from '../../../../src/offline/documents/known-as.ts'
import { libraryOf } from '../../models/extractive/documents/library.ts'

const names = (pages: Readonly<Record<string, string>>) => {
  const { documents, parts } = libraryOf(pages)
  return distinctNames(documents, parts)
}

describe('documents of one title', () => {
  it.each([
    ['dates', 'Issued on 1 March 2023.', 'Issued on 4 May 2024.', '1 March 2023', '4 May 2024'],
    ['file names', 'Text.', 'Text.', 'one.md', 'two.md'],
  ])('are told apart by their %s', async (_, one, two, first, second) => {
    expect(await names({ 'x/one.md': `Policy\n${one}`, 'y/two.md': `Policy\n${two}` })).toEqual([
      `Policy (${first})`,
      `Policy (${second})`,
    ])
  })

  it('and one file name are told apart by their folders', async () => {
    expect(await names({ 'x/a.md': 'Policy\nText.', 'y/a.md': 'Policy\nText.' })).toEqual([
      'Policy (x/a.md)',
      'Policy (y/a.md)',
    ])
  })
})
