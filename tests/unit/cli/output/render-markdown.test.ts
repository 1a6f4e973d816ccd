import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { highlight, renderMarkdown } from '../../../../src/cli/output/answer/render-markdown.ts'
import { columnsOf, wrapped } from '../../../../src/cli/output/plain-text.ts'

const piped = { color: false, width: Number.POSITIVE_INFINITY }
const plain = (markdown: string, width = piped.width) => renderMarkdown(markdown, { color: false, width })
const styled = (markdown: string, width = 80) => renderMarkdown(markdown, { color: true, width })

describe('emphasis', () => {
  it.each([
    ['It **reaches** 87.2 % [1].', 'It reaches 87.2 % [1].'],
    ['__Both__ *say* _so_ ~~not~~ ***at all***.', 'Both say so not at all.'],
    ['A `WAL` file.', 'A WAL file.'],
    ['# **Title**\n\n> a *quote*', 'Title\n\n  a quote'],
    // The rules of Markdown read no emphasis beside brackets where no space follows.
    ['它于**1991年（初）**开始。', '它于1991年（初）开始。'],
    ['Das sind **„87 %“**der Fälle.', 'Das sind „87 %“der Fälle.'],
    // A sentence that the checks dropped took the other mark with it.
    ['**It reaches 87.2 %. [1]', 'It reaches 87.2 %. [1]'],
    ['It reaches 87.2 %.** [1]', 'It reaches 87.2 %. [1]'],
    [
      'The value is 2 ** 3, or x**2, with 3 * 4 beside snake_case_name.',
      'The value is 2 ** 3, or x**2, with 3 * 4 beside snake_case_name.',
    ],
    ['[**a bank**](https://one.example/x)', 'a bank (one.example)'],
    ['AT&amp;T &lt;1', 'AT&T <1'],
  ])('of %j is no mark in a pipe', (markdown, shown) => {
    expect(plain(markdown)).toBe(shown)
    expect(stripVTControlCharacters(styled(markdown))).toBe(shown)
  })

  it('is a style on a terminal with colours, also where Markdown does not read it', () => {
    expect(styled('It **reaches** *it*')).toBe('It \u001b[1mreaches\u001b[22m \u001b[3mit\u001b[23m')
    expect(styled('它于**1991年（初）**开始')).toBe('它于\u001b[1m1991年（初）\u001b[22m开始')
    expect(styled(`它于${highlight.start}1991年（初）${highlight.end}开始`)).toBe(
      '它于\u001b[1m1991年（初）\u001b[22m开始',
    )
  })
})

it('keeps the lines of a paragraph in a pipe, and fills them anew on a terminal', () => {
  expect(plain('By Ada\nand Bo\n\n- a\n  b')).toBe('By Ada\nand Bo\n\n- a\n  b')
  expect(plain('By Ada\nand Bo  \nof 1912\n\n- a\n  b', 40)).toBe('By Ada and Bo\nof 1912\n\n- a b')
})

describe('a list', () => {
  it('keeps its numbers, those of a list that goes on too', () => {
    expect(plain('9. nine\n10. ten\n    - inner\n11. eleven')).toBe(' 9. nine\n10. ten\n    - inner\n11. eleven')
    expect(plain('Text\n\n3. three\n\nMore\n\n4. four')).toBe('Text\n\n3. three\n\nMore\n\n4. four')
  })

  it('is wrapped behind its mark', () => {
    const text = plain(`1. ${'word '.repeat(12)}`, 40)
    expect(text).toBe(`1. ${'word '.repeat(7).trim()}\n   ${'word '.repeat(5).trim()}`)
  })

  it('has an empty line between items that have one', () => {
    expect(plain('- a\n\n- b\n\n  c')).toBe('- a\n\n- b\n\n  c')
  })
})

describe('a table', () => {
  const table = '| Brand | Sold |\n|---|--:|\n| Amberline | 3,128 |\n| 北京 **B** | 4 |'

  it('is aligned by columns of the terminal, East Asian characters too', () => {
    expect(plain(table)).toBe(
      ['Brand       Sold', '─────────  ─────', 'Amberline  3,128', '北京 B         4'].join('\n'),
    )
    expect(stripVTControlCharacters(styled(table, 40))).toBe(plain(table))
  })

  const wide = `| Year | What was found |\n|---|---|\n| 2021 | ${'word '.repeat(14)}end |\n| 2022 | nothing |`

  it('has its widest column wrapped where it is too wide', () => {
    const lines = plain(wide, 40).split('\n')
    expect(lines[2]).toBe(`2021  ${'word '.repeat(7).trim()}`)
    expect(lines[3]).toBe(`      ${'word '.repeat(7).trim()}`)
    expect(lines.at(-1)).toBe('2022  nothing')
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(40)
  })

  it('is a block for each row where that does not make it fit', () => {
    const names = ['First quarter', 'Second quarter', 'Third quarter', 'Fourth quarter']
    const text = plain(
      `| Brand | ${names.join(' | ')} |\n|---|${'---|'.repeat(4)}\n| Amber | 1 | 2 | 3 | |\n| Birch | 5 | 6 | 7 | 8 |`,
      40,
    )
    expect(text).toBe(
      'Brand: Amber\nFirst quarter: 1\nSecond quarter: 2\nThird quarter: 3\n\n' +
        'Brand: Birch\nFirst quarter: 5\nSecond quarter: 6\nThird quarter: 7\nFourth quarter: 8',
    )
  })
})

describe('a line of a terminal', () => {
  it.each([
    ['plain', 5],
    ['北京', 4],
    ['ｱ', 1],
    ['한글', 4],
    ['e\u0301', 1],
    ['😀', 2],
    ['👩‍👩‍👧', 2],
    ['\u001b[1mbold\u001b[22m', 4],
    ['“87 %” – …', 10],
  ])('has the columns of %j', (text, columns) => {
    expect(columnsOf(text)).toBe(columns)
  })

  it('is broken between East Asian characters, but not before a mark that ends something', () => {
    expect(wrapped('北京北京，北京（上海）北京', 10)).toBe('北京北京，\n北京（上\n海）北京')
  })

  it.each([20, 40, 80])('is never longer than the terminal: %i', (width) => {
    const texts = [
      '北京大学在1998年发布了87.2%的结果（见表1）。'.repeat(9),
      `It **reaches** ${'so many words '.repeat(30)}`,
    ]
    for (const text of texts) {
      for (const markdown of [text, `- ${text}`, `> 3. ${text}`]) {
        for (const line of styled(markdown, width).split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(width)
      }
    }
  })
})
