import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Quaero } from '../../../src/api.ts'
import { createQuaero } from '../../../src/quaero.ts'

const colours = ['Amber', 'Azure', 'Beige', 'Black', 'Bronze', 'Coral', 'Cyan', 'Golden', 'Indigo', 'Ivory']
const kinds = ['Market', 'Arcade']
const stores = kinds.flatMap((kind) => colours.map((colour) => `${colour} ${kind}`))
const rows = stores.map((store, at) => ({
  store,
  city: `Town ${at + 1}`,
  opened: 1990 + at,
  staff: 20 + 3 * at,
  revenue: (5 + at / 2).toFixed(1),
}))
const csv = ['Store,City,Opened,Staff,Revenue (EUR m)']
  .concat(rows.map(({ store, city, opened, staff, revenue }) => [store, city, opened, staff, revenue].join(',')))
  .join('\n')

const sales = `# Half-year report

## Sales by brand

CHF million

| Brand | January–June 2023 | January–June 2022 |
|---|---|---|
| Nespresso | 3,128 | 3,224 |
| Nescafé | 4,010 | 3,870 |
`

let quaero: Quaero
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quaero-'))
  await writeFile(join(folder, 'stores.csv'), csv)
  await writeFile(join(folder, 'sales.md'), sales)
  quaero = await createQuaero({ dataDir: ':memory:', documents: [folder], model: 'extractive' })
})
afterAll(async () => {
  await quaero.close()
  await rm(folder, { recursive: true })
})

const first = async (question: string) => {
  const { answer } = await quaero.ask(question)
  return answer.split('\n')[0]?.replaceAll('*', '')
}

describe('a row whose label ends with a number', () => {
  it.each(rows)('answers for the staff of $store', async ({ store, staff }) => {
    expect(await first(`How many staff does the ${store} have?`)).toMatch(
      new RegExp(`${store}.*\\bStaff:? ${staff}\\b`),
    )
  })

  it.each(rows.slice(0, 3))('answers for the year and the revenue of $store', async ({ store, opened, revenue }) => {
    expect(await first(`When was the ${store} opened?`)).toContain(`${opened}`)
    expect(await first(`What is the revenue of the ${store}?`)).toContain(`${revenue}`)
  })
})

describe('a row with periods', () => {
  it('is said with row, column and period', async () => {
    expect(await first('What were the sales of Nespresso in 2023?')).toMatch(/^Nespresso, January–June 2023: .*3,128/)
    expect(await first('What were the sales of Nescafé in 2022?')).toMatch(/^Nescafé, January–June 2022: .*3,870/)
  })

  it('goes to the year before with the question', async () => {
    const { threadId } = await quaero.ask('What were the sales of Nespresso in 2023?')
    const { answer, standaloneQuestion } = await quaero.ask('And the year before?', { threadId })
    expect(standaloneQuestion).toBe('What were the sales of Nespresso in 2023? And the year before (2022)?')
    expect(answer.replaceAll('*', '')).toMatch(/^Nespresso, January–June 2022: .*3,224/)
  })

  it('never answers for another period', async () => {
    const { answer } = await quaero.ask('What were the sales of Nespresso in 2019?')
    expect(answer).not.toMatch(/^\W*Nespresso.*3,/)
  })
})
