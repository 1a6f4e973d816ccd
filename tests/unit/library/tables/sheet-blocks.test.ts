import { describe, expect, it } from 'vitest'
import { repeatHeaders } from '../../../../src/library/passages/repeat-headers.ts'
import { splitPassages } from '../../../../src/library/passages/split.ts'
import { readDocument } from '../../../../src/library/readers/read-document.ts'
import { tableAt } from '../../../../src/library/tables/table-at.ts'
import { makePdf } from '../../../fixtures/documents/make-pdf.ts'
import { roomy } from '../readers/read-options.ts'

type Meaning = readonly [cell: string, row: string, column: string, unit: string | null, period: string | null]

/** What the first cell of this text on a line that holds these words means. */
async function meanings(
  name: string,
  bytes: Uint8Array,
  asked: readonly Meaning[],
): Promise<readonly (Meaning | null)[]> {
  const { pages } = repeatHeaders(await readDocument(name, bytes, roomy))
  return asked.map(([cell]) => {
    for (const { text, tables = [] } of pages) {
      const at = [` | ${cell} |`, ` | ${cell}\n`].map((each) => `${text}\n`.indexOf(each)).find((each) => each >= 0)
      const found = at === undefined ? null : tableAt(tables, at + 3, ({ start, end }) => text.slice(start, end))
      if (found) return [cell, found.row ?? '', (found.column ?? []).join(' > '), found.unit, found.period]
    }
    return null
  })
}

const csv = (...lines: readonly string[]) => new TextEncoder().encode(lines.join('\n'))

describe('a sheet with several blocks', { tags: ['Q13'] }, () => {
  it.each<readonly [string, Uint8Array, readonly Meaning[]]>([
    [
      'has no second header in a row with a name, whose cells are words',
      csv('Day,Opens,Closes', 'Monday,closed,closed', 'Saturday,06:30,18:00', 'Sunday,07:30,16:00'),
      [
        ['closed', 'Monday', 'Opens', null, null],
        ['18:00', 'Saturday', 'Closes', null, null],
      ],
    ],
    [
      'has a new header where periods are repeated',
      csv('Plan,2022,2023', 'North,1.5,2.5', 'South,3.5,4.5', 'Actual,2024,2025', 'North,5.5,6.5', 'South,7.5,8.5'),
      [
        ['2.5', 'North', '2023', null, '2023'],
        ['7.5', 'South', '2024', null, '2024'],
      ],
    ],
    [
      'keeps its periods where only a line of units is new',
      csv(
        ',2022,2023',
        ',EUR m,EUR m',
        'Sales,510,620',
        'Costs,410,430',
        ',%,%',
        'Margin,19.6,30.6',
        'Tax rate,25.1,24.9',
      ),
      [
        ['620', 'Sales', '2023 > EUR m', 'EUR m', '2023'],
        ['19.6', 'Margin', '2022 > %', '%', '2022'],
      ],
    ],
    [
      'takes the caption of a table with the same columns above it',
      csv(
        '"Gas, in MWh"',
        'Heating 2023-2024,Oct,Nov',
        'Hall,7.5,8.5',
        'Gym,9.5,6.5',
        '',
        'Heating 2024-2025,Oct,Nov',
        'Hall,1.5,2.5',
        'Gym,3.5,4.5',
      ),
      [
        ['8.5', 'Hall', 'Nov', 'MWh', 'Nov 2023-2024'],
        ['4.5', 'Gym', 'Nov', 'MWh', 'Nov 2024-2025'],
      ],
    ],
    [
      'completes a year by the span that its corner names',
      csv('Six months to September,2025,2024', 'Coaches,1188.5,1240.5', 'Lorries,9420.5,10011.5'),
      [['10011.5', 'Lorries', '2024', null, 'Six months to September 2024']],
    ],
    [
      'has the unit that is written beside it',
      csv('"The table below is in thousands of tonnes."', '', 'Plant,Plan,Actual', 'Hill,11.5,12.5', 'Vale,21.5,23.5'),
      [['23.5', 'Vale', 'Actual', 'thousands of tonnes', null]],
    ],
    [
      'gives a lone period to all columns until the next',
      csv(',2022,,2023,', 'Plant,Plan,Actual,Plan,Actual', 'Hill,11,12,13,14', 'Vale,21,,23,24'),
      [
        ['12', 'Hill', '2022 > Actual', null, '2022'],
        ['23', 'Vale', '2023 > Plan', null, '2023'],
        ['24', 'Vale', '2023 > Actual', null, '2023'],
      ],
    ],
    [
      'is two tables where an empty column parts them',
      csv('Pond,Depth (m),,Mill,Power (kW)', 'North,1.5,,Upper,75', 'South,2.5,,Lower,80', 'West,3.5,,,'),
      [
        ['2.5', 'South', 'Depth (m)', 'm', null],
        ['80', 'Lower', 'Power (kW)', 'kW', null],
      ],
    ],
    [
      'has a title above each block',
      csv(
        'Energy (GWh)',
        'Site,2022,2023',
        'Hill,31,32',
        'Vale,33,34',
        '',
        'Water (m³)',
        'Site,2022,2023',
        'Hill,51,52',
        'Vale,53,54',
      ),
      [
        ['32', 'Hill', '2023', 'GWh', '2023'],
        ['53', 'Vale', '2022', 'm³', '2022'],
      ],
    ],
  ])('%s', async (_, bytes, wanted) => {
    expect(await meanings('a.csv', bytes, wanted)).toEqual(wanted)
  })
})

describe('a table over several pages', { tags: ['Q13'] }, () => {
  const row = (cells: readonly string[], at: number) =>
    cells.map((text, column) => ({ text, x: 72 + column * 110, y: 700 - at * 14, size: 9 }))

  it('means the same on each, and each of its passages has its caption, unit and columns', async () => {
    const rows = Array.from({ length: 90 }, (_, at) => [`Pond ${at + 1}`, `${at}.25`, `${at + 100}.75`])
    const head = [['Table 1: Depths (in metres)'], ['Pond', '2022', '2023']]
    const pages = [[...head, ...rows.slice(0, 45)], rows.slice(45)].map((page) => page.flatMap(row))
    const bytes = makePdf(pages)
    const wanted: readonly Meaning[] = [
      ['3.25', 'Pond 4', '2022', 'metres', '2022'],
      ['188.75', 'Pond 89', '2023', 'metres', '2023'],
    ]
    expect(await meanings('a.pdf', bytes, wanted)).toEqual(wanted)
    const passages = splitPassages('d', await readDocument('a.pdf', bytes, roomy))
    expect(passages.length).toBeGreaterThan(1)
    for (const { text } of passages)
      expect(text).toMatch(/^Table 1: Depths \(in metres\)\nPond \| 2022 \| 2023\nPond \d/)
  })
})
