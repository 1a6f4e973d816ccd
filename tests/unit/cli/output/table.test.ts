import { describe, expect, it } from 'vitest'
import { formatFindings, formatTable, formatTime, shorten } from '../../../../src/cli/output/table.ts'
import { redactor } from '../../../../src/redact.ts'

describe('a table', () => {
  it('aligns its columns and has no blanks at the ends of lines', () => {
    expect(
      formatTable(
        ['Id', 'Turns', 'Title'],
        [
          ['a', 10, 'Short'],
          ['bcd', 2, 'Émile 😀'],
          ['e', 3, ''],
        ],
      ),
    ).toBe(['Id   Turns  Title', 'a    10     Short', 'bcd  2      Émile 😀', 'e    3'].join('\n'))
  })

  it('cuts the last column to the width', () => {
    const table = formatTable(['Id', 'Title'], [['a', 'x'.repeat(100)]], { width: 40, hide: String })
    expect(table.split('\n')[1]).toBe(`a   ${'x'.repeat(35)}…`)
  })

  it('cuts the longest columns where several are too long, a path at its beginning, and never the short ones', () => {
    const row = [
      '3ca5b02ef9a70434',
      1,
      'Field notes of a long drill',
      'examples/papers/field-notes-of-a-long-drill.html',
    ]
    const table = formatTable(['Document', 'Pages', 'Title', 'Source'], [row], { width: 80, hide: String })
    expect(table.split('\n')[1]).toBe(
      '3ca5b02ef9a70434  1      Field notes of a long drill  …otes-of-a-long-drill.html',
    )
    const narrow = formatTable(['Document', 'Pages', 'Title', 'Source'], [row], { width: 69, hide: String })
    expect(narrow.split('\n')[1]).toBe('3ca5b02ef9a70434  1      Field notes of a lon…  …of-a-long-drill.html')
  })

  it('of findings has its last column wrapped below itself', () => {
    expect(formatFindings(['', 'Check', 'Finding'], [['ok', 'storage', 'one two three four five six seven']], 34)).toBe(
      ['    Check    Finding', 'ok  storage  one two three four', '             five six seven'].join('\n'),
    )
  })

  it('aligns East Asian characters by their columns', () => {
    expect(
      formatTable(
        ['Title', 'Turns'],
        [
          ['北京', 1],
          ['Pond', 2],
        ],
      ),
    ).toBe('Title  Turns\n北京   1\nPond   2')
  })

  it('keeps a title with escapes and line breaks on one plain line', { tags: ['S21'] }, () => {
    expect(formatTable(['Title'], [['one\u001b[31m\n\ttwo\u0007']])).toBe('Title\none two')
  })
})

describe('a shortened text', () => {
  it('is hidden before it is cut, and so is the last column of a table', { tags: ['T10'] }, () => {
    const hide = redactor(['Quince-Canary-4711'])
    const text = `${'x'.repeat(30)} Quince-Canary-4711`
    expect(shorten(text, 40, hide)).toBe(`${'x'.repeat(30)} [redacte…`)
    expect(formatTable(['Id', 'Title'], [['a', text]], { width: 40, hide })).not.toContain('Quin')
  })

  it('never ends within a character', () => {
    expect(shorten('😀😀😀', 3, String)).toBe('😀…')
    expect(shorten('😀😀😀', 2, String)).toBe('…')
  })

  it('is untouched where it fits', () => {
    expect(shorten('fits', 4, String)).toBe('fits')
  })
})

it('a time is shown in minutes, a missing one as a dash', () => {
  expect(formatTime('2026-01-02T03:04:05.678Z')).toBe('2026-01-02 03:04')
  expect(formatTime(null)).toBe('-')
})
