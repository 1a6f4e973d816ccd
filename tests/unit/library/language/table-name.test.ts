import { describe, expect, it } from 'vitest'
import { tableName, tableNamedIn } from '../../../../src/library/language/table-name.ts'

const rows = 'Model | F1 | EM\nBiDAF | 77.3 | 68.0\nBERT | 90.9 | 84.1'

describe('the name of a table', () => {
  it.each([
    ['Table 2: Accuracy', 'Table 2'],
    ['TABLE IV. RESULTS', 'Table IV'],
    ['Tab. 3 Sizes', 'Tab. 3'],
    ['Table A.1 Hyperparameters', 'Table A.1'],
    ['Table S1', 'Table S1'],
    ['Table 2a – Details', 'Table 2a'],
    ['**Table 7.** Costs', 'Table 7'],
    ['Supplementary Table 3: More', 'Supplementary Table 3'],
    ['TABLE 1', 'Table 1'],
  ])('is read from %j', (caption, name) => {
    expect(tableNamedIn(caption)).toBe(name)
  })

  it.each([
    'Table of contents',
    'Tables 1 and 2',
    'Table mix of things',
    'As Table 2 shows',
    'Tablet 3',
    'Table 2 | 17',
  ])('is not read from %j', (text) => {
    expect(tableNamedIn(text)).toBeNull()
  })

  it('is found in the passage, wherever its caption stands there', () => {
    expect(nameIn(`${rows}\nTable 2: Accuracy`, `${rows}\nTable 2: Accuracy`)).toBe('Table 2')
  })

  it('is found above the rows, where a long table was cut', () => {
    const page = `Table 1: Old\n${rows}\nSome text between the tables that is long enough to be a sentence.\nTable 2: New\n${rows}\nbase models\nLSTM | 1 | 2`
    expect(nameIn(page, 'LSTM | 1 | 2')).toBe('Table 2')
  })

  it('is found in the paragraph above, in documents that keep captions apart', () => {
    expect(
      nameIn(`Costs fell.\nTable 3: Costs by year and site, in thousands of euros, before tax\n${rows}`, rows),
    ).toBe('Table 3')
  })

  it('is found below the rows, but not if that caption heads the next table', () => {
    expect(nameIn(`Costs fell.\n${rows}\nTable 3: Costs\nMore text.`, rows)).toBe('Table 3')
    expect(nameIn(`Costs fell.\n${rows}\nTable 3: Costs\nA | 1 | 2`, rows)).toBeNull()
  })

  it('is found in the heading', () => {
    expect(nameIn(rows, rows, '4 Results > Table 5: Sizes')).toBe('Table 5')
  })

  it('is not taken from a table that running text parts from it', () => {
    const text = 'Running text that goes on for more than sixty characters, as sentences do.'
    expect(nameIn(`Table 1: Old\n${rows}\n${text}\nLSTM | 1 | 2`, 'LSTM | 1 | 2')).toBeNull()
  })
})

function nameIn(page: string, text: string, section: string | null = '4 Results'): string | null {
  const start = page.indexOf(text)
  return tableName({ section, text, start, end: start + text.length }, page)
}
