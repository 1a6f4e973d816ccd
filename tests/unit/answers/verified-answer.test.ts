import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Claim } from '../../../src/answers/judge/reading.ts'
import { judgementIn } from '../../../src/answers/judge/reading.ts'
import { answerOf, type Judge, judgeDraft, judgeQuotes, merged } from '../../../src/answers/verified-answer.ts'
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
const early = cited('It ran early.', 'P3', 'ran before clustering')

/** A reader that replies so, and what it was asked. */
function reader(reply: string) {
  const asked: (readonly Claim[])[] = []
  const judge: Judge = async (claims) => {
    asked.push(claims)
    return judgementIn(reply, claims.length)
  }
  return { judge, asked }
}

async function verify(draft: string, { reply, from = pageTextOf }: { reply?: string; from?: typeof pageTextOf } = {}) {
  const { judge = null, asked = [] } = reply === undefined ? {} : reader(reply)
  const judged = await judgeDraft({ draft, question: 'How big is Marble?', evidence, pageTextOf: from, judge })
  const answer = answerOf(judged)
  const states = answer.sentences.map(({ state }) => state)
  const unsupported = answer.sentences.flatMap(({ text, state }) => (state === 'unsupported' ? [text] : []))
  return { ...answer, ...judged, sentences: answer.sentences, states, unsupported, asked }
}

describe('an answer that nobody reads again', () => {
  it('cites the page’s own words at their span, and is quoted', { tags: ['Q1', 'Q2'] }, async () => {
    const { text, citations, sentences } = await verify(
      cited('Marble has 81.1M pages.', 'P1', 'holds 81.1  million\npages'),
    )
    expect(text).toBe('Marble has 81.1M pages. [1]')
    expect(sentences).toEqual([
      { text: 'Marble has 81.1M pages.', state: 'quoted', markers: [1], reason: 'nobody has read it again' },
    ])
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

  it('is verified where it is a sentence of a page, word for word', { tags: ['Q2'] }, async () => {
    expect((await verify(`${size} [P1]`)).states).toEqual(['verified'])
    expect((await verify(`- **${size}**`)).states).toEqual(['verified'])
    expect((await verify('The Marble corpus holds 81.1 pages. [P1]')).states).toEqual(['quoted'])
  })

  it('is quoted whatever it says, as long as its quote stands', { tags: ['Q10'] }, async () => {
    for (const sentence of [
      'Marble holds 82 million pages.',
      'Marble disposed of all pages.',
      'Oslo is not a corpus.',
    ]) {
      expect((await verify(cited(sentence, 'P1', 'holds 81.1 million pages'))).states).toEqual(['quoted'])
    }
  })

  it('loses a sentence whose quote is not on the page', { tags: ['Q1'] }, async () => {
    const { text, citations, sentences } = await verify(
      `${cited('Marble is huge.', 'P1', 'the largest corpus of all')} ${early}`,
    )
    expect(text).toBe('It ran early. [1]')
    expect(citations).toHaveLength(1)
    expect(sentences[0]).toEqual({
      text: 'Marble is huge.',
      state: 'unsupported',
      markers: [],
      reason: expect.stringMatching(/^its quote stands in no passage: “the largest corpus of all”/),
    })
  })

  it('quotes the nearest words of the passage that it names', async () => {
    const { text, citations } = await verify('The pages of Marble are 81.1 million. [P1]')
    expect(text).toBe('The pages of Marble are 81.1 million. [1]')
    expect(citations.map(({ quote }) => quote)).toEqual([size])
  })

  it('keeps no sentence that names no passage, unless a page has most of its words', { tags: ['R25'] }, async () => {
    expect((await verify(`Everyone knows this. ${early}`)).unsupported).toEqual(['Everyone knows this.'])
    expect((await verify('The corpus Marble holds 81.1 million pages now.')).states).toEqual(['quoted'])
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

  it('cites only documents of the evidence, with spans that hold, whatever a model writes', {
    tags: ['Q3'],
  }, async () => {
    const id = fc.constantFrom('P1', 'P2', 'P3', 'P4', 'halden.0', 'nothing')
    const quote = fc.oneof(
      fc.constantFrom(size, released, kept, 'kept 48 %', 'kept 84 %', '81.1', 'the', ''),
      fc.nat({ max: 60 }).map((from) => `${size} ${released} ${kept}`.slice(from, from + 25)),
    )
    const sentence = fc.constantFrom('It is so.', 'It kept 48 %.', 'In 2021, 81.1 million.', 'In short:', '')
    const reply = fc.constantFrom(undefined, '1 yes P3\n2 yes\n3 not shown', '1 contradicted P1: no => It kept 48 %.')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(sentence, id, quote), { maxLength: 5 }), reply, async (parts, said) => {
        const draft = parts.map((part) => cited(...part)).join(' ')
        const { text, citations } = await verify(draft, said === undefined ? {} : { reply: said })
        for (const each of citations) {
          expect(pages[`${each.documentId} ${each.page}`]?.slice(each.start, each.end)).toBe(each.quote)
        }
        const markers = [...text.matchAll(/\[(\d+)\]/g)].map(([, marker]) => Number(marker))
        expect(new Set(markers)).toEqual(new Set(citations.map(({ marker }) => marker)))
      }),
    )
  })

  it('finds a quote that was given to the wrong passage where it really stands', async () => {
    const { citations } = await verify(cited('It came out in 2021.', 'P1', 'released on 3 March 2021'))
    expect(citations.map(({ documentId, page, section }) => [documentId, page, section])).toEqual([
      ['marble', 1, 'Release'],
    ])
  })

  it('numbers footnotes in order, one for each place, four on a sentence at most', async () => {
    const all = `${early} ${cited('It holds pages.', 'P1', 'holds 81.1 million pages')} ${early}`
    expect((await verify(all)).text).toBe('It ran early. [1] It holds pages. [2] It ran early. [1]')
    const three = `So it is.<cite id="P1">holds 81.1 million</cite><cite id="P2">by the Lund group</cite><cite id="P3">kept 48 %</cite>`
    expect((await verify(three)).text).toBe('So it is. [1][2][3]')
    const five = three.replace(
      '</cite>',
      '</cite><cite id="P1">Marble corpus</cite><cite id="P2">on 3 March 2021</cite>',
    )
    expect((await verify(five)).text).toBe('So it is. [1][2][3][4]')
  })

  it('is empty for an empty draft, and for pages that are gone', async () => {
    expect(await verify('')).toMatchObject({ text: '', citations: [], sentences: [], isAnswered: false })
    const gone = await verify(early, { from: async () => null })
    expect(gone).toMatchObject({ text: '', citations: [], unsupported: ['It ran early.'], isAnswered: false })
  })

  it('shows no fragment: a "Yes." goes with its sentence, and the rest of a citation with nothing', async () => {
    const { text, sentences } = await verify(`Yes. ${early} (, ).\n\n).`)
    expect(text).toBe('Yes. It ran early. [1]')
    expect(sentences).toHaveLength(1)
    expect((await verify('Yes. It flew. [P9]')).unsupported).toEqual(['Yes. It flew.'])
  })
})

describe('an answer that is read again', () => {
  it('is shown to its reader as a whole, sentence by sentence', { tags: ['Q2'] }, async () => {
    const { asked } = await verify(`It is early:\n\n- ${early}\n- ${size}\n\nIt holds 90 pages. [P1]`, {
      reply: '1 yes\n2 yes P3\n3 yes\n4 not shown',
    })
    expect(asked[0]?.map(({ text, kind, notes }) => ({ text, kind, notes }))).toEqual([
      { text: 'It is early:', kind: 'heading', notes: [] },
      { text: '- It ran early.', kind: 'sentence', notes: [] },
      { text: `- ${size}`, kind: 'own', notes: ['81.1 million stands nowhere in these words'].slice(1) },
      { text: 'It holds 90 pages.', kind: 'sentence', notes: ['90 stands nowhere in these words'] },
    ])
  })

  it('is shown with no note on a figure of a document’s name, or behind a raised point', async () => {
    const text = 'The rate was 0·82 (95% CI 0·65–1·03), of 2·10⁶ people.'
    const sources = evidenceOf(observation({ documentId: 'a', title: null, source: 'papers/1566.txt', text, start: 0 }))
    const { judge, asked } = reader('1 yes P1\n2 yes P1')
    const draft = 'The 1566.txt trial says 0.82. [P1] It was 0·65 and not 0·66. [P1]'
    await judgeDraft({ draft, question: 'Which rate?', evidence: sources, pageTextOf: async () => text, judge })
    expect(asked[0]?.map(({ notes }) => notes)).toEqual([[], ['0·66 stands nowhere in these words']])
  })

  it('is not shown to it where each sentence is a page’s own', async () => {
    expect((await verify(`${size} [P1]`, { reply: '1 no' })).asked).toEqual([])
  })

  it('has the passages that its reader names as footnotes, whatever its writer named', { tags: ['Q2'] }, async () => {
    const { text, citations, states } = await verify(cited('It ran early.', 'P1', 'nowhere said'), {
      reply: '1 yes P3',
    })
    expect({ text, states }).toEqual({ text: 'It ran early. [1]', states: ['verified'] })
    expect(citations.map(({ quote }) => quote)).toEqual([kept])
    const own = await verify(early, { reply: '1 yes P3 P1' })
    expect(own.citations.map(({ quote }) => quote)).toEqual(['ran before clustering', size])
  })

  it('loses what its reader refuses, with the reason', { tags: ['Q2', 'Q10'] }, async () => {
    const { text, sentences } = await verify(`${early} It flew. [P3] It sank. [P3]`, {
      reply: '1 yes P3\n2 contradicted P3: it ran\n3 not shown\nanswers: 1',
    })
    expect(text).toBe('It ran early. [1]')
    expect(sentences.slice(1).map(({ reason }) => reason)).toEqual([
      'the passages say something else: it ran',
      'the passages do not say so',
    ])
  })

  it('takes a correction that brings no name or figure of its own', async () => {
    const lie = cited('Marble holds 82 million pages.', 'P1', 'holds 81.1 million pages')
    const right = '1 contradicted P1: 81.1 => Marble holds 81.1 million pages.'
    const { text, citations, sentences, isAnswered } = await verify(lie, { reply: right })
    expect({ text, isAnswered }).toEqual({ text: 'Marble holds 81.1 million pages. [1]', isAnswered: true })
    expect(citations.map(({ quote }) => quote)).toEqual([size])
    expect(sentences[0]?.state).toBe('verified')
    const foreign = await verify(lie, { reply: '1 contradicted P1: Oslo => Marble holds the 12 pages of Oslo.' })
    expect(foreign.unsupported).toEqual(['Marble holds 82 million pages.'])
  })

  it.each([
    'Marble holds the pages by the Lund group.',
    'Marble holds 48 % of the input.',
    'Marble holds 81.1 million pages, see https://evil.example.',
  ])(
    'takes no correction with words of passages that the verdict does not name: %s',
    { tags: ['Q2'] },
    async (words) => {
      const lie = cited('Marble holds 82 million pages.', 'P1', 'holds 81.1 million pages')
      const { sentences } = await verify(lie, { reply: `1 contradicted P1: no => ${words}` })
      expect(sentences).toMatchObject([{ state: 'unsupported', reason: 'the passages say something else: no' }])
    },
  )

  it.each([
    ['The passages name no price of Microsoft.', 'Microsoft'],
    ['The passages name none of the 4,711 authors.', '4'],
  ])('is no verified absence where it brings a name or a figure: %s', { tags: ['Q2'] }, async (words, foreign) => {
    const { sentences } = await verify(`${early} ${words}`, { reply: '1 yes P3\n2 yes none' })
    const reason = `neither the question nor the passages have “${foreign}”`
    expect(sentences[1]).toEqual({ text: words, state: 'quoted', markers: [], reason })
  })

  it('may say what the passages do not say, without a footnote', async () => {
    const { text, sentences, namesAbsence } = await verify(`${early} The passages name no price.`, {
      reply: '1 yes P3\n2 yes none',
    })
    expect({ text, namesAbsence }).toEqual({
      text: 'It ran early. [1] The passages name no price.',
      namesAbsence: true,
    })
    expect(sentences[1]).toEqual({ text: 'The passages name no price.', state: 'verified', markers: [] })
  })

  it('is quoted where its reader gives no verdict', { tags: ['Q2'] }, async () => {
    const { states, sentences } = await verify(early, { reply: 'Fine with me.' })
    expect(states).toEqual(['quoted'])
    expect(sentences[0]?.reason).toBe('its reader gave no verdict on it')
  })

  it('answers with what its reader says answers by itself, where a sentence falls', async () => {
    const draft = `It flew. [P3] ${early}`
    expect((await verify(draft, { reply: '1 not shown\n2 yes P3\nanswers: 2' })).isAnswered).toBe(true)
    expect((await verify(draft, { reply: '1 not shown\n2 yes P3\nanswers: 1' })).isAnswered).toBe(false)
  })

  it('has the sentences that stand in either of two drafts', async () => {
    const first = await verify(`It flew. [P3] ${cited('Lund made it.', 'P2', 'by the Lund group')}`, {
      reply: '1 not shown\n2 yes P2\nanswers: none',
    })
    const second = await verify(early, { reply: '1 yes P3' })
    const both = merged(
      { ...first, sentences: await judgedBy(first.text) },
      { ...second, sentences: await judgedBy(early) },
    )
    expect(answerOf(both).text).toContain('It ran early. [1]')
    expect(both.isAnswered).toBe(true)
  })
})

async function judgedBy(draft: string) {
  const { judge } = reader('1 yes P3\n2 yes P2')
  return (await judgeDraft({ draft, question: '', evidence, pageTextOf, judge })).sentences
}

describe('the structure of an answer', () => {
  it('stays above what is kept, and goes with what is not', async () => {
    const { text } = await verify(`## Clustering\n\n${early}\n\n## Colour\n\nIt is blue.`)
    expect(text).toBe('## Clustering\n\nIt ran early. [1]')
  })

  it('is dropped where its reader refuses it, and where unread it has words of its own', async () => {
    expect((await verify(`The server is hacked:\n- ${early}`)).text).toBe('- It ran early. [1]')
    expect((await verify(`It was fast:\n- ${early}`, { reply: '1 not shown\n2 yes P3' })).text).toBe(
      '- It ran early. [1]',
    )
    expect((await verify(`It was fast:\n- ${early}`, { reply: '1 yes\n2 yes P3' })).text).toBe(
      'It was fast:\n- It ran early. [1]',
    )
  })

  it('of a table are the head and rule above the rows that are kept', async () => {
    const row = '| Marble | 81.1 million <cite id="P1">holds 81.1 million pages</cite> |'
    const lost = '| Halden | 9 <cite id="P1">nowhere said</cite> |'
    const head = '| Corpus | Pages |\n|---|---|'
    expect((await verify(`${head}\n${row}\n${lost}`)).text).toBe(`${head}\n| Marble | 81.1 million [1] |`)
    expect((await verify(`${head}\n${lost}\n\n${early}`)).text).toBe('It ran early. [1]')
    expect((await verify(`${head}\n${row}`, { reply: '1 yes P1' })).asked[0]?.[0]?.under).toBe('| Corpus | Pages |')
  })
})

describe('an answer that a rule has made of quotes', () => {
  it('is verified where its quotes stand', async () => {
    const judged = await judgeQuotes({ draft: `${cited('Size: so much.', 'P1', size)} It flew.`, evidence, pageTextOf })
    expect(answerOf(judged).sentences.map(({ state }) => state)).toEqual(['verified', 'unsupported'])
  })

  it('is verified where the page has a footnote of its own in the sentence', async () => {
    const page = 'The lease is due to Gray [3]: a right that ends by itself. Ours is a row of the table.'
    const own = evidenceOf(
      observation({ ...marble, passageId: 'marble.0', section: 'Size', text: page, start: 0, score: 1 }),
    )
    const draft = `The lease is due to Gray: a right that ends by itself. ${cited('Ours is a row of the table.', 'P1', page)}`
    const judged = await judgeQuotes({ draft, evidence: own, pageTextOf: async () => page })
    expect(judged.sentences.map(({ state }) => state)).toEqual(['verified', 'verified'])
  })

  it('keeps the line that parts what answers from what may answer too', async () => {
    const sized = cited('Size: so much.', 'P1', size)
    const other = 'Other passages that may answer:'
    const shown = async (draft: string) => answerOf(await judgeQuotes({ draft, evidence, pageTextOf }))
    expect((await shown(`${sized}\n\n${other}\n\n${early}`)).text).toContain(`\n\n${other}\n\n`)
    expect((await shown(`${sized}\n\n${other}\n\nIt flew.`)).text).not.toContain(other)
    expect((await shown(`${other}\n\nIt flew.`)).text).toBe('')
  })
})
