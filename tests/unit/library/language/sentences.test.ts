import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sentences } from '../../../../src/library/language/sentences.ts'

function split(text: string): string[] {
  return sentences(text).map(({ start, end }) => text.slice(start, end))
}

describe('an initial in Markdown', () => {
  it.each([
    '**N. Farrow** signed it.',
    '- N. Farrow signed it.',
    '# N. Farrow',
    'Present: *N. Farrow*, *B. Oke*',
    'It names _N. Farrow_ as treasurer.',
    'Treasurer – N. Farrow',
  ])('ends no sentence: %s', (text) => {
    expect(sentences(text)).toEqual([{ start: 0, end: text.length }])
  })

  it('is none behind a word', () => {
    expect(sentences('It was plan **B**. Nobody asked.')).toHaveLength(2)
    expect(sentences('They chose plan B. Nobody asked.')).toHaveLength(2)
  })
})

describe('sentences', () => {
  it.each([
    ['two plain ones', 'It works. We tested it.', ['It works.', 'We tested it.']],
    ['one in bold', '**It works.** We _tested it._ It fell.', ['**It works.**', 'We _tested it._', 'It fell.']],
    ['raised note marks', 'It fell in 2022.¹² We see why.', ['It fell in 2022.¹²', 'We see why.']],
    ['a question and an exclamation', 'Does it? Yes! It does.', ['Does it?', 'Yes!', 'It does.']],
    [
      'decimals',
      'It reached 90.01 on BC5CDR. It fell by 0.5 later.',
      ['It reached 90.01 on BC5CDR.', 'It fell by 0.5 later.'],
    ],
    [
      'an ellipsis with spaces',
      'They love others . . . [or] themselves. One leaves . . . . Others stay.',
      ['They love others . . . [or] themselves.', 'One leaves . . . .', 'Others stay.'],
    ],
    [
      'figures and equations',
      'Fig. 2 shows it, see Eq. 3 and Sec. IV. Then Table 2. The rest follows.',
      ['Fig. 2 shows it, see Eq. 3 and Sec. IV.', 'Then Table 2.', 'The rest follows.'],
    ],
    [
      'et al. in a citation',
      'We follow Lo et al. (2020) and Ammar et al. 2018. It helps.',
      ['We follow Lo et al. (2020) and Ammar et al. 2018.', 'It helps.'],
    ],
    [
      'e.g. and i.e.',
      'Use tools, e.g. GROBID, i.e. Parsers. They work.',
      ['Use tools, e.g. GROBID, i.e. Parsers.', 'They work.'],
    ],
    [
      'initials',
      'It was J. R. Smith who won. Ask Daniel S. Weld first.',
      ['It was J. R. Smith who won.', 'Ask Daniel S. Weld first.'],
    ],
    [
      'initials after "by", in cells and after a colon',
      'It is by S. Varga and N. Osei. Site lead: L. De Smet. Then more.',
      ['It is by S. Varga and N. Osei.', 'Site lead: L. De Smet.', 'Then more.'],
    ],
    [
      'an initial that may also count pages, and names in capitals',
      'The report names Todd P. Cravens. It was signed by TODD P. CRAVENS, Officer. Ask P. O’Neil, see p. IV and no. 5. Then more.',
      [
        'The report names Todd P. Cravens.',
        'It was signed by TODD P. CRAVENS, Officer.',
        'Ask P. O’Neil, see p. IV and no. 5.',
        'Then more.',
      ],
    ],
    [
      'an end after a part',
      'They sold 3 of 12 nos. The rest is part P. The next follows.',
      ['They sold 3 of 12 nos.', 'The rest is part P.', 'The next follows.'],
    ],
    [
      'cells of a row',
      '04 | Ghent | 2 | L. De Smet | Max. RCF | No. | Yes',
      ['04 | Ghent | 2 | L. De Smet | Max. RCF | No. | Yes'],
    ],
    ['units that look like titles', 'It took 19 ms. Memory use fell.', ['It took 19 ms.', 'Memory use fell.']],
    ['a label at the end', 'This is Appendix B. The rest is plain.', ['This is Appendix B.', 'The rest is plain.']],
    ['addresses', 'See https://a.example/b.html for it. Done.', ['See https://a.example/b.html for it.', 'Done.']],
    [
      'closing quotes and brackets',
      'He said “stop.” She left. (It rained.) We stayed.',
      ['He said “stop.”', 'She left.', '(It rained.)', 'We stayed.'],
    ],
    [
      'citation numbers after the stop',
      'It was shown.[12, 13] Later it fell.4 Then it rose.',
      ['It was shown.[12, 13]', 'Later it fell.4', 'Then it rose.'],
    ],
    [
      'abbreviations before names',
      'Dr. Chen and Mrs. Li agree. So do we.',
      ['Dr. Chen and Mrs. Li agree.', 'So do we.'],
    ],
    [
      'abbreviations that end a sentence',
      'It is sold in the U.S. The price fell.',
      ['It is sold in the U.S.', 'The price fell.'],
    ],
    [
      'abbreviations inside a sentence',
      'Google Inc. Research and the U.S. Army did it.',
      ['Google Inc. Research and the U.S. Army did it.'],
    ],
    ['no as a word', 'The answer is no. Nobody knows.', ['The answer is no.', 'Nobody knows.']],
    ['list numbers', '1. The first point. It counts.', ['1. The first point.', 'It counts.']],
    ['an ellipsis', 'It went on … and on... Then it stopped.', ['It went on … and on...', 'Then it stopped.']],
    ['lines', 'A heading\nOne row | 2\nText. More', ['A heading', 'One row | 2', 'Text.', 'More']],
    ['other scripts', '第一句。第二句！Ça va? Oui.', ['第一句。', '第二句！', 'Ça va?', 'Oui.']],
    ['nothing', ' \n ', []],
  ])('handles %s', (_, text, expected) => {
    expect(split(text)).toEqual(expected)
  })

  it('leaves only white space between sentences, so that the pieces rebuild the text', () => {
    const word = fc.constantFrom(
      'We',
      'e.g.',
      'Fig. 2',
      '3.5',
      'al.',
      '“Stop.”',
      'J.',
      '\n',
      '  ',
      'end.',
      '?!',
      '[3].',
      'ﬁ',
      '。',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.array(word).map((words) => words.join(' ')),
        ),
        (text) => {
          let at = 0
          let rebuilt = ''
          for (const { start, end } of sentences(text)) {
            expect(text.slice(at, start).trim()).toBe('')
            expect(text.slice(start, end).trim()).toBe(text.slice(start, end))
            rebuilt += text.slice(at, start) + text.slice(start, end)
            at = end
          }
          expect(text.slice(at).trim()).toBe('')
          expect(rebuilt + text.slice(at)).toBe(text)
        },
      ),
    )
  })

  it('stays fast on a long line without an end', () => {
    const names = 'Smith J. '.repeat(20_000)
    expect(sentences(names).length).toBeGreaterThan(0)
    expect(sentences('a'.repeat(200_000))).toHaveLength(1)
  })
})
