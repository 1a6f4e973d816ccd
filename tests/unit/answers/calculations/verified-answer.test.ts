import { describe, expect, it } from 'vitest'
import { verifyDraft } from '../../../../src/answers/verification/verify-draft.ts'
import { cited } from '../../../fixtures/workflow.ts'
import { evidenceOf, observation } from '../../agents/observation.ts'

const text = [
  'Balance sheet (in millions)',
  'As of December 31, | 2022 | 2021',
  'Cash and cash equivalents | 1,875 | 1,020',
  'Accounts receivable, net | 689 | 640',
  'Total current liabilities | 3,720 | 3,480',
].join('\n')
const evidence = evidenceOf(
  observation({
    documentId: 'filing',
    passageId: 'filing.0',
    title: 'Report',
    kind: 'table',
    text,
    start: 0,
    section: null,
  }),
)

async function verify(draft: string) {
  const question = 'How large was the quick ratio at the end of 2022?'
  return verifyDraft({ draft, question, evidence, pageTextOf: async () => text })
}

const rows =
  'Cash and cash equivalents 1,875 1,020|Accounts receivable, net 689 640|Total current liabilities 3,720 3,480'
    .split('|')
    .map((row) => `<cite id="P1">${row}</cite>`)
    .join('')

const cite = '<cite id="P1">Total current liabilities 3,720 3,480</cite>'

describe('an answer with a calculation', () => {
  it('shows the formula as a footnote, with the citation of each figure', { tags: ['Q9'] }, async () => {
    const {
      text: shown,
      citations,
      calculations,
      dropped,
    } = await verify(`The quick ratio fell to 0.69.<calc expr="(1,875 + 689) / 3,720">0.69</calc>${rows}`)
    expect(dropped).toEqual([])
    expect(shown).toBe('The quick ratio fell to 0.69. [1][2][3][4]')
    expect(citations.map(({ marker }) => marker)).toEqual([1, 2, 3])
    expect(calculations).toEqual([
      {
        marker: 4,
        expression: '(1,875 + 689) / 3,720',
        value: expect.closeTo(0.689247, 6),
        operands: [
          { value: 1875, marker: 1 },
          { value: 689, marker: 2 },
          { value: 3720, marker: 3 },
        ],
      },
    ])
  })

  it('may begin with the result', async () => {
    const first = `The liabilities were 3,720. ${cite}`
    const { text: shown, dropped } = await verify(
      `${first} <calc expr="3,720 - 3,480">240</calc> million were added to current liabilities in 2022.${rows}`,
    )
    expect(dropped).toEqual([])
    expect(shown).toMatch(/^The liabilities were 3,720\. \[1\] 240 million were added/)
  })

  it('may take its figures from the quotes of other sentences', async () => {
    const { text: shown, calculations } = await verify(
      [
        'The quick ratio was 0.69.<calc expr="(1,875 + 689) / 3,720"/>',
        cited('Cash was $1,875 million.', 'P1', 'Cash and cash equivalents 1,875 1,020'),
        cited('Receivables were $689 million.', 'P1', 'Accounts receivable, net 689 640'),
        cited('Current liabilities were $3,720 million.', 'P1', 'Total current liabilities 3,720 3,480'),
      ].join(' '),
    )
    expect(shown).toMatch(/^The quick ratio was 0\.69\. \[1\]\[2\]\[3\]\[4\]/)
    expect(calculations).toHaveLength(1)
  })

  it('is dropped with the reason if the result is another', async () => {
    const {
      text: shown,
      dropped,
      calculations,
      citations,
    } = await verify(`The quick ratio fell to 0.75.<calc expr="(1,875 + 689) / 3,720">0.75</calc>${rows}`)
    expect({ shown, calculations, citations }).toEqual({ shown: '', calculations: [], citations: [] })
    expect(dropped[0]?.reason).toBe('the formula gives 0.689, not 0.75 ((1,875 + 689) / 3,720)')
  })

  it('is still checked for what its figures are about', async () => {
    const { dropped } = await verify(
      `The quick ratio of Zebrafin Industries fell to 0.69.<calc expr="(1,875 + 689) / 3,720">0.69</calc>${rows}`,
    )
    expect(dropped[0]?.reason).toContain('Zebrafin')
  })
})
