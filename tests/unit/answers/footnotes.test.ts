import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifyDraft } from '../../../src/answers/verification/verify-draft.ts'
import { cited } from '../../fixtures/workflow.ts'
import { evidenceOf, observation } from '../agents/observation.ts'

const size = 'The Marble corpus holds 81.1 million pages.'
const released = 'It was released on 3 March 2021 by the Lund group.'
const kept = 'The filter kept 48 % of the input, and ran before clustering.'
const pages: Readonly<Record<string, string>> = { 'marble 1': `${size} ${released}`, 'halden 2': kept }

const marble = { documentId: 'marble', title: 'The Marble corpus', page: 1 }
const evidence = evidenceOf(
  observation({ ...marble, passageId: 'marble.0', section: 'Size', text: size, start: 0, score: 0.9 }),
  observation({
    ...marble,
    passageId: 'marble.1',
    section: 'Release',
    text: released,
    start: size.length + 1,
    score: 0.8,
  }),
  observation({ documentId: 'halden', passageId: 'halden.0', page: 2, text: kept, start: 0, score: 0.7 }),
)
const pageTextOf = async (documentId: string, page: number) => pages[`${documentId} ${page}`] ?? null

async function verify(draft: string, { question = 'How big is Marble?', from = pageTextOf } = {}) {
  const { dropped, ...verified } = await verifyDraft({ draft, question, evidence, pageTextOf: from })
  return {
    ...verified,
    unsupported: dropped.map(({ sentence }) => sentence),
    reasons: dropped.map(({ reason }) => reason),
  }
}

describe('a verified answer', () => {
  it('cites the page’s own words at their span', { tags: ['Q1'] }, async () => {
    const { text, citations, unsupported } = await verify(
      cited('Marble has 81.1M pages.', 'P1', 'holds 81.1  million\npages'),
    )
    expect(text).toBe('Marble has 81.1M pages. [1]')
    expect(unsupported).toEqual([])
    expect(citations).toEqual([
      {
        marker: 1,
        // The other document is by the same authors and of the same year.
        label: 'Zhang et al., 2021, “The Marble corpus”, p. 1',
        documentId: 'marble',
        title: 'The Marble corpus',
        source: 'papers/halden.pdf',
        page: 1,
        section: 'Size',
        quote: 'holds 81.1 million pages',
        start: 18,
        end: 42,
        verified: true,
      },
    ])
    expect(pages['marble 1']?.slice(18, 42)).toBe('holds 81.1 million pages')
  })

  it('drops a citation whose quote is not on the page, and lists its sentence as unsupported', {
    tags: ['Q1'],
  }, async () => {
    const { text, citations, unsupported } = await verify(
      `${cited('Marble is huge.', 'P1', 'the largest corpus of all')} ${cited('It ran early.', 'P3', 'ran before clustering')}`,
    )
    expect(text).toBe('It ran early. [1]')
    expect(unsupported).toEqual(['Marble is huge.'])
    expect(citations).toHaveLength(1)
  })

  it('keeps no sentence without a citation', { tags: ['R25'] }, async () => {
    const { text, unsupported } = await verify(
      `Everyone knows this. ${cited('It ran early.', 'P3', 'ran before clustering')}`,
    )
    expect(text).toBe('It ran early. [1]')
    expect(unsupported).toEqual(['Everyone knows this.'])
  })

  it.each([
    ['another number', 'Marble holds 82 million pages.', 'P1', 'holds 81.1 million pages'],
    ['another percentage', 'It kept 84 %.', 'P3', 'kept 48 % of the input'],
    ['another year', 'It came out in 2022.', 'P2', 'released on 3 March 2021'],
    ['another day', 'It came out on 4 March 2021.', 'P2', 'released on 3 March 2021'],
    ['another month', 'It came out on 3 May 2021.', 'P2', 'released on 3 March 2021'],
  ])('drops a sentence with %s', { tags: ['Q2'] }, async (_, sentence, passage, quote) => {
    const { text, citations, unsupported } = await verify(cited(sentence, passage, quote))
    expect({ text, citations, unsupported }).toEqual({ text: '', citations: [], unsupported: [sentence] })
  })

  it('quotes the words that state a number, where the writer’s quote leaves it out', { tags: ['Q2'] }, async () => {
    const { text, quotes } = await verify(cited('Marble holds 81.1 million pages.', 'P1', 'The Marble corpus holds'))
    expect(text).toMatch(/^Marble holds 81.1 million pages\. \[1\]/)
    expect(quotes.map(({ quote }) => quote)).toContain(size)
  })

  it('accepts numbers that stand in any of the sentence’s quotes', { tags: ['Q2'] }, async () => {
    const draft = `${cited('Of 81.1 million pages, 48 % were kept.', 'P1', 'holds 81.1 million pages')}<cite id="P3">kept 48 %</cite>`
    expect(await verify(draft)).toMatchObject({
      text: 'Of 81.1 million pages, 48 % were kept. [1][2]',
      unsupported: [],
    })
  })

  it.each(['P4', 'P0', 'marble.0', 'marble'])(
    'accepts no citation to %j, which was not retrieved, even for words that are on a page',
    { tags: ['Q3'] },
    async (id) => {
      const { citations, unsupported } = await verify(cited('It ran early.', id, 'ran before clustering'))
      expect(citations).toEqual([])
      expect(unsupported).toHaveLength(1)
    },
  )

  it('takes the marks around words in bold for no text', async () => {
    const bold = await verify(cited('It was released in **March 2021**.', 'P2', 'released on 3 March 2021'))
    expect(bold).toMatchObject({ text: 'It was released in **March 2021**. [1]', unsupported: [] })
    const altered = await verify(cited('It was released in **March 2022**.', 'P2', 'released on 3 March 2021'))
    expect(altered).toMatchObject({ text: '', unsupported: ['It was released in **March 2022**.'] })
  })

  it('cites only documents of the evidence, with spans that hold, whatever a model writes', {
    tags: ['Q3'],
  }, async () => {
    const id = fc.constantFrom('P1', 'P2', 'P3', 'P4', 'halden.0', 'nothing')
    const quote = fc.oneof(
      fc.constantFrom(size, released, kept, 'kept 48 %', 'kept 84 %', '81.1', 'the', ''),
      fc.nat({ max: 60 }).map((from) => `${size} ${released} ${kept}`.slice(from, from + 25)),
    )
    const sentence = fc.constantFrom('It is so.', 'It kept 48 %.', 'In 2021, 81.1 million.', 'In short:', '')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(sentence, id, quote), { maxLength: 5 }), async (parts) => {
        const { text, citations } = await verify(parts.map((part) => cited(...part)).join(' '))
        for (const each of citations) {
          expect(pages[`${each.documentId} ${each.page}`]?.slice(each.start, each.end)).toBe(each.quote)
        }
        const markers = [...text.matchAll(/\[(\d+)\]/g)].map(([, marker]) => Number(marker))
        expect(new Set(markers)).toEqual(new Set(citations.map(({ marker }) => marker)))
      }),
    )
  })

  it('finds a quote that was given to the wrong passage where it really stands', async () => {
    const { citations, quotes } = await verify(
      `${cited('It came out in 2021.', 'P1', 'released on 3 March 2021')} ${cited('It ran early.', 'P2', 'ran before clustering')}`,
    )
    expect(citations.map(({ documentId, page, section }) => [documentId, page, section])).toEqual([
      ['marble', 1, 'Release'],
      ['halden', 2, 'Results'],
    ])
    expect(quotes.map(({ id }) => id)).toEqual(['P2', 'P3'])
  })

  it('numbers footnotes in order, one for each place', async () => {
    const { text, citations } = await verify(
      [
        cited('It ran early.', 'P3', 'ran before clustering'),
        cited('It holds pages.', 'P1', 'holds 81.1 million pages'),
        cited('It did run early.', 'P3', 'ran before clustering'),
      ].join(' '),
    )
    expect(text).toBe('It ran early. [1] It holds pages. [2] It did run early. [1]')
    expect(citations.map(({ marker }) => marker)).toEqual([1, 2])
  })

  it('keeps a sentence that names a disagreement, with the quotes of both sides, and the words that lead in', {
    tags: ['R25'],
  }, async () => {
    const both = `The sources disagree on size.<cite id="P1">holds 81.1 million pages</cite><cite id="P3">kept 48 % of the input</cite>`
    expect((await verify(both)).text).toBe('The sources disagree on size. [1][2]')
    const list = `The sources say:\n\n- ${cited('It ran early.', 'P3', 'ran before clustering')}\n- ${cited('It flew.', 'P1', 'nowhere said')}`
    expect(await verify(list)).toMatchObject({
      text: 'The sources say:\n\n- It ran early. [1]',
      unsupported: ['- It flew.'],
    })
    expect((await verify(`The sources say:\n\n- ${cited('It flew.', 'P1', 'nowhere said')}`)).text).toBe('')
  })

  it('is empty for an empty draft, and for pages that are gone', async () => {
    expect(await verify('')).toMatchObject({ text: '', citations: [], quotes: [], unsupported: [], lostFirst: false })
    const gone = await verify(cited('It ran early.', 'P3', 'ran before clustering'), { from: async () => null })
    expect(gone).toMatchObject({ text: '', citations: [], unsupported: ['It ran early.'], lostFirst: true })
  })
})

describe('the structure of an answer', () => {
  it('stays above what holds, and goes with what does not', async () => {
    const kept = cited('It ran early.', 'P3', 'ran before clustering')
    const { text, unsupported } = await verify(`## Order\n\n${kept}\n\n## Colour\n\nIt is blue.\n\nI hope this helps!`)
    expect(text).toBe('## Order\n\nIt ran early. [1]')
    expect(unsupported).toEqual(['## Colour', 'It is blue.'])
  })

  it('says when the sentence that answers first is lost', async () => {
    const kept = cited('It ran early.', 'P3', 'ran before clustering')
    expect((await verify(`It took 12 days. ${kept}`)).lostFirst).toBe(true)
    expect((await verify(`${kept} It took 12 days.`)).lostFirst).toBe(false)
  })

  it('opens with a line that says how documents stand to each other, and nothing else', async () => {
    const kept = `- ${cited('It ran early.', 'P3', 'ran before clustering')}`
    for (const line of ['The documents differ; the newest comes first:', 'The two sources agree:']) {
      expect(await verify(`${line}\n${kept}`)).toMatchObject({ text: `${line}\n- It ran early. [1]`, lostFirst: false })
      expect((await verify(line)).text).toBe('')
    }
    for (const line of [
      'The 7 documents differ:',
      'The documents differ, since Lund erred:',
      'The documents differ.',
    ]) {
      expect(await verify(`${line}\n${kept}`)).toMatchObject({ text: '- It ran early. [1]', unsupported: [line] })
    }
  })
})

describe('a label in front of a sentence', () => {
  const revenue = 'Revenue rose to 8.1 million euros.'
  const policy = `Tarn Policy\nVersion 2, approved on 2 May 2023.\n${revenue}`
  const of = (title: string, source: string, year: number) =>
    observation({ title, source, year, documentId: source, authors: ['Ada Berg'], text: policy, start: 0 })
  const held = evidenceOf(of('Annual Report 2022', 'papers/tarn-2022.md', 2023))
  const both = evidenceOf(
    of('Annual Report 2022', 'tarn-2022.md', 2022),
    of('Annual Report 2023', 'tarn-2023.md', 2023),
  )
  const isKept = async (draft: string, over = held) => {
    const from = async () => policy
    return (await verifyDraft({ draft, question: '', evidence: over, pageTextOf: from })).dropped.length === 0
  }

  it.each([
    'Annual Report 2022:',
    '- **Annual Report 2022**:',
    '- “Annual Report 2022”:',
    '| Report 2022:',
    'Berg (2023):',
    'tarn-2022.md:',
    '- Version 2, approved on 2 May 2023:',
    'According to Annual Report 2022,',
  ])('is no claim if it names the document: %s', async (label) => {
    expect(await isKept(cited(`${label} ${revenue}`, 'P1', revenue))).toBe(true)
  })

  it.each([
    'Annual Report 2021:',
    '- **Annual Report 2022, 7 % more**:',
    '2 May 2023:',
    'Report of the 9 members:',
    'Version 3, approved on 2 May 2023:',
    '7:',
  ])('is checked like the rest if it says more, or of another document: %s', async (label) => {
    expect(await isKept(cited(`${label} ${revenue}`, 'P1', revenue))).toBe(false)
  })

  it('must name each document that the sentence quotes', async () => {
    const quotes = '<cite id="P1">Revenue rose</cite><cite id="P2">8.1 million euros</cite>'
    expect(await isKept(`Annual Report: ${revenue}${quotes}`, both)).toBe(true)
    expect(await isKept(`Report of 2022: ${revenue}${quotes}`, both)).toBe(false)
    expect(await isKept(`Report of 2022: ${revenue}<cite id="P2">${revenue}</cite>`, both)).toBe(false)
  })
})
