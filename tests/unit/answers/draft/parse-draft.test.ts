import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDraft } from '../../../../src/answers/draft/parse-draft.ts'
import { citationFilter } from '../../../../src/answers/draft/stream-filter.ts'

const parsed = (draft: string) =>
  parseDraft(draft).map(({ text, citations }) => [text, ...citations.map(({ id, quote }) => `${id}: ${quote}`)])

describe('a draft', () => {
  it('is split into sentences, each with the citations that follow it', () => {
    expect(
      parsed(
        'It removed 15.2 million.<cite id="P1">removed 15.2 million</cite> It ran first.<cite id="P2">ran first</cite>',
      ),
    ).toEqual([
      ['It removed 15.2 million.', 'P1: removed 15.2 million'],
      ['It ran first.', 'P2: ran first'],
    ])
  })

  it('gives a citation to the sentence right before it only', () => {
    expect(parsed('Nobody says this. It ran first.<cite id="P2">ran first</cite>')).toEqual([
      ['Nobody says this.'],
      ['It ran first.', 'P2: ran first'],
    ])
  })

  it('takes several citations of one sentence together, with a full stop on either side of them', () => {
    expect(parsed('Both agree.<cite id="P1">a b c</cite>, <cite id="P2">d e f</cite> Then more.')).toEqual([
      ['Both agree.', 'P1: a b c', 'P2: d e f'],
      ['Then more.'],
    ])
    expect(parsed('Both agree<cite id="P1">a b c</cite><cite id="P2">d e f</cite>. Then more.')).toEqual([
      ['Both agree.', 'P1: a b c', 'P2: d e f'],
      ['Then more.'],
    ])
  })

  it('reads citations that are written a little differently', () => {
    expect(parsed("Yes.<CITE id='P1'> a b c </cite > No.<cite id=P2>d e f</cite>")).toEqual([
      ['Yes.', 'P1: a b c'],
      ['No.', 'P2: d e f'],
    ])
  })

  it('reads a quote of several lines in brackets, as long as no bracket stands in the lines', () => {
    const quote = 'The editors\n\n1. Russ Allbery\n2. Sean Whitton'
    const draft = `They are two. [P2: "${quote}"] They keep it. [P3]`
    expect(parsed(draft)).toEqual([
      ['They are two.', `P2: ${quote}`],
      ['They keep it.', 'P3: '],
    ])
    const filter = citationFilter()
    expect([...draft].map((letter) => filter.push(letter)).join('') + filter.flush()).not.toContain('Russ')
    expect(parsed('One. [P2: "never closed\nTwo. [P3: "d e f"]').at(-1)).toEqual(['Two.', 'P3: d e f'])
  })

  it.each([
    ['[P2: "the “Plan” was approved by the board"]', 'P2: the “Plan” was approved by the board'],
    ['[P2: “the “Plan” was approved” by all”]', 'P2: the “Plan” was approved” by all'],
    ['[P2: »Der Umsatz stieg«]', 'P2: Der Umsatz stieg'],
    ['[P2: "rose by 5 %".]', 'P2: rose by 5 %'],
    ['[P2: "rose by 5 %" (emphasis added)]', 'P2: rose by 5 %'],
    ['[P2: "rose by 5 %", row 3]', 'P2: rose by 5 %'],
    ['[P2: *"rose by 5 %"*]', 'P2: rose by 5 %'],
    ['[P2: "rose by 5 %]', 'P2: rose by 5 %'],
    ['**[P2: "rose by 5 %"]**', 'P2: rose by 5 %'],
    ['([P2: "rose by 5 %"])', 'P2: rose by 5 %'],
    ['[[P2: "rose by 5 %"]]', 'P2: rose by 5 %'],
    ['[P2: "rose by 5 %"].', 'P2: rose by 5 %'],
    ['[P1, P2: "one quote"]', 'P1: ', 'P2: one quote'],
    ['[P1: "one quote"][P2: "one quote"]', 'P1: one quote', 'P2: one quote'],
    ['[P2: "one"; "another"]', 'P2: one', 'P2: another'],
    ['[P2: "one" and P3: "another"]', 'P2: one', 'P3: another'],
    ['[P2: "one" … "another"]', 'P2: one', 'P2: another'],
  ])('reads %s', { tags: ['Q10'] }, (written, ...citations) => {
    expect(parsed(`It rose. ${written} Then it fell. [P5]`)).toEqual([
      ['It rose.', ...citations],
      ['Then it fell.', 'P5: '],
    ])
  })

  it('has no sentence that is the tail of a citation, whatever stands in its quote', { tags: ['Q10'] }, () => {
    const piece = fc.constantFrom(
      ...[
        'words ',
        'of it',
        ', ',
        '. ',
        '; ',
        ' and ',
        '…',
        '“',
        '”',
        '"',
        '’',
        '«',
        '»',
        '(1)',
        '[sic]',
        '5,583 | ',
        ': ',
      ],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const draft = `It rose. [P2: "${pieces.join('')}"] Then it fell. [P3]`
        expect(parseDraft(draft).map(({ text }) => text)).toEqual(['It rose.', 'Then it fell.'])
      }),
      { numRuns: 2000 },
    )
  })

  it('reads a tag that is never closed as a quote up to the end of its line', () => {
    expect(parsed('It ran first.<cite id="P2">ran first')).toEqual([['It ran first.', 'P2: ran first']])
  })

  it('loses no words, whatever a model writes', () => {
    // A stop behind the citation of a sentence that has ended is no word.
    const withoutRepeatedStops = (text: string) => text.replace(/\s/g, '').replace(/([.?])[.?]+/g, '$1')
    const piece = fc.constantFrom(
      'It ran. ',
      'Then',
      ' more',
      '.',
      '\n\n',
      '- a: ',
      '<cite id="P1">q</cite>',
      '<cite',
      '?',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const draft = pieces.join('')
        const letters = (text: string) => withoutRepeatedStops(text.replace(/<cite id="P1">q<\/cite>/g, ''))
        const sentences = parseDraft(draft)
        const whole = sentences.map(({ before, text }) => before + text).join('')
        expect(withoutRepeatedStops(whole)).toBe(letters(draft))
        expect(sentences.every(({ text }) => text !== '')).toBe(true)
      }),
    )
  })
})

describe('a stream with its citations hidden', () => {
  const draft =
    'It ran <b>first</b>.<cite id="P1">ran first</cite> 3 < 4.<cite id="P2">so it is</cite> Again.<cite id="P1">ran first</cite>'

  /** What a reader sees when the draft arrives in these pieces. */
  const shown = (pieces: readonly string[]) => {
    const filter = citationFilter()
    return pieces.map((piece) => filter.push(piece)).join('') + filter.flush()
  }

  it('shows markers where citations end, the same one for the same quote', () => {
    expect(shown([draft])).toBe('It ran <b>first</b>. [1] 3 < 4. [2] Again. [1]')
  })

  it('shows the same however the text is cut into pieces, and never a part of the markup', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: draft.length })), (cuts) => {
        const places = [0, ...[...cuts].sort((a, b) => a - b), draft.length]
        const pieces = places.slice(1).map((end, index) => draft.slice(places[index], end))
        const filter = citationFilter()
        const seen = [...pieces.map((piece) => filter.push(piece)), filter.flush()]
        expect(seen.join('')).toBe('It ran <b>first</b>. [1] 3 < 4. [2] Again. [1]')
        expect(seen.join('|')).not.toMatch(/<\|?c|ran first<|cite/)
      }),
    )
  })

  it('hides the mark of an abstention, and markup that never ends', () => {
    expect(shown(['<abs', 'tain/>'])).toBe('')
    expect(shown(['It ran.<cite id="P1', '">ran fir'])).toBe('It ran. [1]')
  })

  it('is held for one quote at most: what follows a tag that is never closed is shown', () => {
    const filter = citationFilter()
    expect(filter.push(`It ran.<cite id="P1">${'word '.repeat(1000)}`)).toMatch(/^It ran\. \[1\]word word /)
    expect(filter.push('On.<cite id="P2">it is</cite>') + filter.flush()).toBe('On. [2]')
  })

  it('shows the same of hostile markup, however it is cut into pieces', () => {
    const word = fc.constantFrom(
      ...['<cite id="P1">', '</cite>', '<cite', ' id=P2>', '</cite', '>', '<abstain/>', '<', 'a', ' ', '.'],
      'long '.repeat(380),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), fc.array(fc.nat({ max: 4000 })), (words, cuts) => {
        const text = words.join('')
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length]
        expect(shown(places.slice(1).map((end, index) => text.slice(places[index], end)))).toBe(shown([text]))
      }),
    )
  })
})

describe('a draft of 200,000 tags', () => {
  const tags = 200_000

  it.each([
    ['opened and never closed', '<cite id="P1">', tags],
    ['begun and never ended', '<cite id=', 0],
    ['closed and never opened', '</cite>', 0],
    ['that are citations', 'It ran.<cite id="P1">ran</cite> ', tags],
  ])('%s is read and shown to its end', (_, tag, citations) => {
    const draft = `The corpus holds 42 pages. ${tag.repeat(tags)}`
    expect(parseDraft(draft).flatMap((sentence) => sentence.citations)).toHaveLength(citations)
    const filter = citationFilter()
    let seen = ''
    for (let at = 0; at < draft.length; at += 4000) seen += filter.push(draft.slice(at, at + 4000))
    seen += filter.flush()
    expect(seen).toMatch(/^The corpus holds 42 pages\. /)
    expect(seen).not.toMatch(/<\/?cite/)
  })
})

describe('a citation', () => {
  const texts = (draft: string) => parseDraft(draft).map(({ text, citations }) => [text, citations.map(({ id }) => id)])

  it('belongs to the whole sentence that it stands in, and leaves no gap', () => {
    const draft =
      'Alpha lost 50 <cite id="P1">lost 50</cite>, while Beta lost 70 <cite id="P2">lost 70</cite>. It ended.'
    expect(texts(draft)).toEqual([
      ['Alpha lost 50, while Beta lost 70.', ['P1', 'P2']],
      ['It ended.', []],
    ])
  })

  it('holds a quote of at most 2,000 characters', () => {
    const quoting = (length: number) => `It ran.<cite id="P1">${'q'.repeat(length)}</cite>`
    expect(texts(quoting(2000))).toEqual([['It ran.', ['P1']]])
    expect(parseDraft(quoting(2001))[0]?.citations).toEqual([{ id: 'P1', quote: '' }])
  })

  it('before a stop closes the sentence there', () => {
    expect(texts('Yes<cite id="P1">it did</cite>.\n\nNo.<cite id="P2">it did not</cite>Then.')).toEqual([
      ['Yes.', ['P1']],
      ['No.', ['P2']],
      ['Then.', []],
    ])
  })
})

describe('the mark of an ambiguous question', () => {
  it.each([
    '<ambiguous which corpus | Marble | Halden/>',
    `<ambiguous which corpus | ${'pages '.repeat(90)}/>`,
    `<ambiguous>which corpus | ${'pages '.repeat(90)}</ambiguous>`,
    '<Ambiguous: which corpus>',
  ])('is hidden from a stream, in whatever pieces it comes: %j', (mark) => {
    for (const size of [1, 7, 1000]) {
      const filter = citationFilter()
      const text = `It is 5 < 6.${mark} Then more.`
      let shown = ''
      for (let at = 0; at < text.length; at += size) shown += filter.push(text.slice(at, at + size))
      expect(shown + filter.flush()).toBe('It is 5 < 6. Then more.')
    }
  })
})
