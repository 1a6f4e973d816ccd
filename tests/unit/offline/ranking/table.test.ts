import { describe, expect, it } from 'vitest'
import type { PageTable } from '../../../../src/library/port/document.ts'
import { phraseRow } from '../../../../src/offline/answers/write-quote.ts'
import { readQuestion } from '../../../../src/offline/ranking/question.ts'
import { rowAt } from '../../../../src/offline/ranking/table.ts'

const before = 'Before the table.\n'
const head = 'Sales by brand\nCHF million | January–June 2023 | January–June 2022\n'
const lines = ['Nespresso | 3,128 | 3,224', 'Nescafé | 4,010 | 3,870']
const text = head + lines.join('\n')

/** The table as it is kept with a page that has a line before it. */
function kept(): PageTable {
  const start = before.length
  const rows = lines.map((line) => {
    const at = start + text.indexOf(line)
    const cells = line.split(' | ').map((cell, column): [number, number, number] => {
      const begin = at + line.indexOf(cell)
      return [column, begin, begin + cell.length]
    })
    const [label = ''] = line.split(' | ')
    return { start: at, end: at + line.length, label, section: [], unit: null, period: null, cells }
  })
  const column = (path: readonly string[], period: string | null) => ({
    path,
    unit: null,
    period,
    isLabel: path.length === 0,
  })
  return {
    ...{ start, end: start + text.length, whole: { start, end: start + text.length } },
    caption: 'Sales by brand',
    unit: 'CHF million',
    columns: [
      column([], null),
      column(['January–June 2023'], 'January–June 2023'),
      column(['January–June 2022'], 'January–June 2022'),
    ],
    rows,
  }
}

const around = { start: before.length, tables: [kept()] }
const rowOf = (line: string) => {
  const row = rowAt(text, text.indexOf(line), around)
  if (row === null || row === 'header') throw new Error('no row')
  return row
}

describe('a row of a table that was kept with its page', () => {
  it('has its label, and each figure with column, period and unit', () => {
    expect(rowOf('Nespresso')).toEqual({
      label: 'Nespresso',
      caption: 'Sales by brand',
      header: head.trim(),
      values: [
        { column: 'January–June 2023', period: 'January–June 2023', amount: 'CHF 3,128 million' },
        { column: 'January–June 2022', period: 'January–June 2022', amount: 'CHF 3,224 million' },
      ],
    })
  })

  it('is told apart from what stands above it, and from text', () => {
    expect(rowAt(text, 3, around)).toBe('header')
    expect(rowAt(text, 3, { start: 500, tables: [kept()] })).toBeNull()
  })

  it.each([
    ['What were the sales of Nespresso in 2023?', 'Nespresso, January–June 2023: **CHF 3,128 million**.'],
    ['What were the sales of Nespresso in 2022?', 'Nespresso, January–June 2022: **CHF 3,224 million**.'],
    [
      'What were the sales of Nespresso?',
      'Nespresso — January–June 2023: CHF 3,128 million; January–June 2022: CHF 3,224 million.',
    ],
  ])('is said with the period that is asked for: %s', (question, said) => {
    expect(phraseRow(rowOf('Nespresso'), readQuestion(question))).toBe(said)
  })
})
