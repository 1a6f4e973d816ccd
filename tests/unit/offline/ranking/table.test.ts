import { describe, expect, it } from 'vitest'
import { readRow, readTable } from '../../../../src/offline/ranking/table.ts'

function row(text: string, begin: string) {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => line.startsWith(begin))
  return readRow(lines[at] ?? '', readTable(lines), lines.slice(0, at))
}

const columns = (text: string, begin: string) => row(text, begin).values.map(({ column }) => column)

describe('the columns of a table', () => {
  it('have names where header and row have as many cells', () => {
    expect(columns('Table 1: Sizes.\nName | Size | Age\nA | 1 | 2', 'A')).toEqual(['Size', 'Age'])
  })

  it('have names in shorter rows, if others have as many values and all their labels', () => {
    const text = 'Task | Set | Old | New\nNER | BC5 | 88.8 | 90.0\nJNL | 77.5 | 77.2\nLOC | 77.2'
    expect(columns(text, 'JNL')).toEqual(['Old', 'New'])
    expect(columns(text, 'LOC')).toEqual([null])
  })

  it('have none where a row has more cells than the header', () => {
    const text = 'Set | Base | Better\nA | 1 | 2 | 3\nB | 1 | 2'
    expect(columns(text, 'A')).toEqual([null, null, null])
    expect(columns(text, 'B')).toEqual([null, null])
  })

  it('have none where the lines of the header cannot be joined', () => {
    const text = 'Events per | FULL | NORMAL\ntransaction | / FULL\n1 | 1.0 | 19.6\n10 | 8.5 | 8.4'
    expect(columns(text, '1 ')).toEqual([null, null])
    expect(readTable(text.split('\n'))).toMatchObject({
      headerText: 'Events per | FULL | NORMAL\ntransaction | / FULL',
      body: 2,
    })
  })

  it('have names of several lines, joined column by column', () => {
    const text = 'Events per | Log\ntransaction | (bytes)\n1 | 4,361\n10 | 748'
    expect(readTable(text.split('\n')).header).toEqual(['Events per transaction', 'Log (bytes)'])
    expect(columns(text, '10')).toEqual(['Log (bytes)'])
  })

  it('keep their names beside an empty corner', () => {
    expect(columns('| 2022 | 2023\nRevenue | $1,234 | $1,300', 'Revenue')).toEqual(['2022', '2023'])
  })
})

describe('the header of a table', () => {
  it('is one row in a table of words', () => {
    const text = 'Table 2: Keeping.\nWhat | Kept for | Then\nlogs | until read | deleted\nevents | 400 days | moved'
    expect(readTable(text.split('\n'))).toMatchObject({ headerText: 'What | Kept for | Then', body: 2 })
    expect(row(text, 'events').values).toEqual([
      { column: 'Kept for', value: '400 days' },
      { column: 'Then', value: 'moved' },
    ])
  })

  it('ends before the first row with a value', () => {
    const lines = ['Corpus | Pages | Text | Open', 'A | 8.1M | full | yes', 'B | many | short | no']
    expect(readTable(lines).body).toBe(1)
  })

  it('is missing where the first row holds figures', () => {
    expect(readTable(['none | 1 | 2', 'lease | 3 | 4'])).toMatchObject({ header: [], headerText: '', body: 0 })
  })
})
