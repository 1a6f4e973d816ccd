import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emphasisIn, withWholeEmphasis } from '../../../../src/answers/draft/emphasis.ts'
import { answerOf, judgeDraft } from '../../../../src/answers/verified-answer.ts'
import { evidenceOf, observation } from '../../agents/observation.ts'

const shown = (text: string) =>
  emphasisIn(text).map(({ mark, open, close }) => `${mark} ${text.slice(open + mark.length, close)}`)

describe('emphasis', () => {
  it('is found as writers set it, one within the other', () => {
    expect(shown('**Sales** rose *by 4%*.')).toEqual(['** Sales', '* by 4%'])
    expect(shown('***Sales* rose**')).toEqual(['** *Sales* rose', '* Sales'])
    expect(shown('**Sales:**they ~~fell~~ _rose_')).toEqual(['** Sales:', '~~ fell', '_ rose'])
    expect(shown('**売上高**は')).toEqual(['** 売上高'])
    expect(shown('\ufdd0**Sales rose.**\ufdd1')).toEqual(['** Sales rose.'])
  })

  it('is no star, no code, no address and no name with underscores', () => {
    for (const text of [
      '4 * 3 * 2',
      '10.5* (at 5%)',
      'a `**b**` c',
      'the_long_name',
      '\\*kept\\*',
      '[a](https://b.org/_c_d_)',
    ])
      expect(emphasisIn(text)).toEqual([])
  })

  it('is paired in time that grows with its text alone', () => {
    const text = '*a **b _c ~~d '.repeat(20_000)
    expect(emphasisIn(`${text}x**`)).toHaveLength(1)
  })

  it('that is cut is whole in each part, and the words are the same', () => {
    const mark = fc.constantFrom('*', '**', '***', '_', '~~', ' ', ' ', ' ', '. ', '\n', '\n\n- ')
    const text = fc
      .array(fc.tuple(mark, fc.constantFrom('rose', 'Sales', '4%', 'x')))
      .map((parts) => parts.flat().join(''))
    fc.assert(
      fc.property(text, fc.nat(), (whole, at) => {
        const cut = whole.length === 0 ? 0 : at % (whole.length + 1)
        const isInMark = /[*_~]/.test(whole.charAt(cut - 1)) && /[*_~]/.test(whole.charAt(cut))
        fc.pre(!isInMark)
        const spans = [
          { start: 0, end: cut },
          { start: cut, end: whole.length },
        ]
        const parts = withWholeEmphasis(whole, spans)
        const plain = (words: string) => words.replace(/[*_~]/g, '')
        expect(parts.map(plain)).toEqual([plain(whole.slice(0, cut)), plain(whole.slice(cut))])
      }),
      { numRuns: 1000 },
    )
  })
})

const size = 'The Marble corpus holds 81.1 million pages.'
const released = 'It was released on 3 March 2021 by the Lund group.'
const marble = { documentId: 'marble', title: 'The Marble corpus', page: 1 }
const evidence = evidenceOf(
  observation({ ...marble, passageId: 'marble.0', text: size, start: 0 }),
  observation({ ...marble, passageId: 'marble.1', text: released, start: size.length + 1 }),
)

async function answerTo(draft: string) {
  const pageTextOf = async () => `${size} ${released}`
  return answerOf(await judgeDraft({ draft, question: 'How big is Marble?', evidence, pageTextOf, judge: null }))
}

interface Place {
  readonly wrap: string
  readonly cite: (id: string, quote: string) => string
  /** In the emphasis before the stop or behind it, or behind the emphasis before or behind the stop. */
  readonly where: number
  readonly space: string
  /** Else the last words alone are emphasised. */
  readonly isWhole: boolean
}

const place: fc.Arbitrary<Place> = fc.record({
  wrap: fc.constantFrom('', '*', '**', '***', '_', '__', '~~', '`'),
  cite: fc.constantFrom(
    (id: string, quote: string) => `<cite id="${id}">${quote}</cite>`,
    (id: string) => `[${id}]`,
    (id: string) => `**[${id}]**`,
    (id: string) => `[*${id}*]`,
    (id: string, quote: string) => `<cite id="${id}">**${quote}**</cite>`,
  ),
  where: fc.constantFrom(0, 1, 2, 3),
  space: fc.constantFrom('', ' '),
  isWhole: fc.boolean(),
})

function written(first: string, last: string, cited: readonly [string, string], place: Place): string {
  const { wrap, where, space, isWhole, cite } = place
  const [before, inside] = isWhole ? ['', `${first} ${last}`] : [`${first} `, last]
  const mark = `${space}${cite(...cited)}`
  const forms = [
    `${inside}${mark}.${wrap}`,
    `${inside}.${mark}${wrap}`,
    `${inside}${wrap}${mark}.`,
    `${inside}${wrap}.${mark}`,
  ]
  return `${before}${wrap}${forms[where]}`
}

/** What stands around two statements. */
const frames: readonly (readonly [string, string, string])[] = [
  ['', ' ', ''],
  ['', '\n\n', ''],
  ['- ', '\n- ', ''],
  ['7. ', '\n8. ', ''],
  ['## ', '\n\n', ''],
  ['> ', '\n\n', ''],
  ['| Size |\n|---|\n| ', ' |\n| ', ' |'],
]

describe('a citation with emphasis around or inside it', () => {
  it('leaves whole emphasis, and its footnote behind its sentence', async () => {
    await fc.assert(
      fc.asyncProperty(place, place, fc.constantFrom(...frames), async (one, other, [start, between, end]) => {
        const first = written('Marble has', '81.1M pages', ['P1', 'holds 81.1 million pages'], one)
        const second = written('It came out', 'in March 2021', ['P2', 'released on 3 March 2021'], other)
        const { text, sentences } = await answerTo(`${start}${first}${between}${second}${end}`)
        const plain = text.replace(/[*_~`]/g, '')
        expect(plain).toBe(`${start}Marble has 81.1M pages. [1]${between}It came out in March 2021. [2]${end}`)
        expect(sentences.map(({ markers }) => markers)).toEqual([[1], [2]])
        for (const line of text.split('\n')) {
          const pairs = emphasisIn(line)
          expect(pairs.filter(({ open, close }) => /\[\d\]/.test(line.slice(open, close)))).toEqual([])
          const marks = pairs.reduce((sum, { mark }) => sum + 2 * mark.length, 0)
          expect(line.replace(/[^*_~]/g, '')).toHaveLength(marks)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('is kept apart where emphasis goes on over two sentences', async () => {
    const { text } = await answerTo('**Marble has 81.1M pages. [P1] It came out in March 2021. [P2]**')
    expect(text).toBe('**Marble has 81.1M pages.** [1] **It came out in March 2021.** [2]')
  })
})
