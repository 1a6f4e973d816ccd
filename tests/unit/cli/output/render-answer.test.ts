import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderAnswer } from '../../../../src/cli/output/answer/render-answer.ts'
import type { AnswerSentence } from '../../../../src/index.ts'
import { citation, runResult } from '../run-result.ts'

const piped = { color: false, width: Number.POSITIVE_INFINITY }
const terminal = { color: true, width: 40 }

describe('an answer in a pipe', () => {
  it('is text with markers, its confidence, and the quote behind each marker', () => {
    const web = citation({
      marker: 2,
      label: 'A page, one.example',
      source: 'https://one.example/',
      quote: 'two\n lines',
    })
    const result = runResult({ answer: 'It reaches **87.2 %** [1][2].\n', citations: [web, citation()] })
    expect(renderAnswer(result, piped)).toBe(
      [
        'It reaches 87.2 % [1][2].',
        'Confidence: 83%',
        '[1] Zhang et al., 2021, p. 5 — "an accuracy of 87.2 %" (a.pdf)\n' +
          '[2] A page, one.example — "two lines" (https://one.example/)',
      ].join('\n\n'),
    )
  })

  it('has the words that answer most shortly in bold on a terminal, and nothing beside them in a pipe', () => {
    const answer = 'It began in April 1991 [1].'
    const result = runResult({ answer, highlights: [{ start: 12, end: 22 }], confidence: null, citations: [] })
    expect(renderAnswer(result, piped)).toBe(answer)
    const shown = renderAnswer(result, { color: true, width: 80 })
    expect(shown).not.toContain('**')
    expect(shown).toMatch(/It began in .*April 1991.* \[1\]/)
    expect(shown).not.toBe(renderAnswer({ ...result, highlights: [] }, { color: true, width: 80 }))
  })

  it('has quoted rows below the names of their columns on a terminal where they fit, and with bars in a pipe', {
    tags: ['Q13'],
  }, () => {
    const rows = [
      ['Amberline', '3,128'],
      ['Birch & Co', '1,204'],
    ]
    const columns = [['Brand'], ['Sales', 'June 2023']]
    const none = { caption: null, unit: null, section: [], row: null, column: null, period: null }
    const quote = 'Amberline | 3,128\nBirch & Co | 1,204'
    const result = runResult({ citations: [citation({ quote, table: { ...none, columns, rows } })] })
    const noteIn = (width: number, color = true) =>
      stripVTControlCharacters(renderAnswer(result, { color, width })).split('\n\n').at(-1)
    expect(noteIn(80)).toBe(
      [
        '[1] Zhang et al., 2021, p. 5 (a.pdf):',
        '    Brand       Sales June 2023',
        '    Amberline   3,128',
        '    Birch & Co  1,204',
      ].join('\n'),
    )
    const barred = '[1] Zhang et al., 2021, p. 5 — "Amberline | 3,128 Birch & Co | 1,204" (a.pdf)'
    expect(noteIn(80, false)).toBe(noteIn(80))
    expect(noteIn(piped.width, false)).toBe(barred)
    expect(noteIn(30)?.replace(/\s+/g, ' ')).toBe(barred)
    const wider = runResult({
      citations: [citation({ quote: `They sold: ${quote}`, table: { ...none, columns, rows } })],
    })
    expect(renderAnswer(wider, { color: true, width: 80 })).toContain('They sold: Amberline |')
  })

  it('lists apart what could not be verified, with the reasons', () => {
    const unsupported = [
      { text: 'It is\nmagic.', reason: 'its quotes do not say so' },
      { text: 'and 5 more', reason: '' },
    ]
    expect(renderAnswer(runResult({ unsupported }), piped)).toContain(
      '\n\nNot verified:\n- It is magic. (its quotes do not say so)\n- and 5 more',
    )
  })

  it('names the sentences that the second reading corrected, with what was written', () => {
    const sentences: AnswerSentence[] = [
      { text: 'It holds 81.', state: 'verified', markers: [1] },
      { text: 'It ran in 2021.', state: 'verified', markers: [1], correctedFrom: 'It ran in\n2022.' },
    ]
    const corrected = 'Corrected by the second reading: sentence 2 (written as “It ran in 2022.”)'
    expect(renderAnswer(runResult({ sentences }), piped)).toContain(`\n\n${corrected}`)
  })

  it('names the sentences that are only quoted, counting those that are shown', { tags: ['Q2'] }, () => {
    const sentence = (state: AnswerSentence['state'], reason?: string): AnswerSentence => {
      return { text: 'It is so.', state, markers: [1], ...(reason !== undefined && { reason }) }
    }
    const unread = sentence('quoted', 'the second reading\nfailed')
    const noteOf = (...sentences: AnswerSentence[]) =>
      renderAnswer(runResult({ sentences }), piped).match(/^Quoted.*$/m)?.[0]
    expect(noteOf(sentence('verified'), sentence('unsupported', 'no'), unread, sentence('quoted'))).toBe(
      'Quoted, not read again: sentences 2 and 3 (the second reading failed)',
    )
    expect(noteOf(sentence('quoted'))).toBe('Quoted, not read again: sentence 1')
    expect(noteOf(sentence('verified'), sentence('unsupported', 'no'))).toBeUndefined()
    const shown = renderAnswer(runResult({ sentences: [unread] }), terminal)
    expect(shown.split('\n').at(-1)).toMatch(/^ {4}\S/)
  })

  it('is the question back, and nothing else, when something must be made clear', () => {
    const result = runResult({ answer: '', clarification: 'Which paper?', confidence: null, citations: [] })
    expect(renderAnswer(result, piped)).toBe('Which paper?')
    expect(renderAnswer(runResult({ answer: '', confidence: null, citations: [] }), piped)).toBe('')
  })

  it('holds no colour and no wrapped line', () => {
    const text = renderAnswer(runResult({ answer: `# Long\n\n${'word '.repeat(100)}end` }), piped)
    expect(text).toContain(`${'word '.repeat(100)}end`)
    expect(stripVTControlCharacters(text)).toBe(text)
  })

  it('shows the host behind a link, and no image', { tags: ['S2'] }, () => {
    const answer =
      'A [bank](https://evil.example/?q=secret), ![pixel](https://evil.example/p.png?q=secret), [![in](http://a.example/i)](http://b.example/), ' +
      '[mail](mailto:x@y.example), <https://open.example/a>, https://open.example/b, `[code](http://kept.example/)` [1].\n\n[1]: https://evil.example/'
    expect(renderAnswer(runResult({ answer, confidence: null, citations: [] }), piped)).toBe(
      'A bank (evil.example), pixel (image on evil.example), in (image on a.example) (b.example), ' +
        'mail, https://open.example/a, https://open.example/b, [code](http://kept.example/) [1].',
    )
  })
})

describe('the file of a footnote', () => {
  it.each([
    [
      ['/home/ada/papers/a.pdf', 'notes.md'],
      ['(a.pdf)', '(notes.md)'],
    ],
    [
      ['/x/2020/q1/a.pdf', '/x/2021/q1/a.pdf', '/x/b.pdf'],
      ['(2020/q1/a.pdf)', '(2021/q1/a.pdf)', '(b.pdf)'],
    ],
    [
      ['a.pdf', 'old/a.pdf'],
      ['(a.pdf)', '(old/a.pdf)'],
    ],
    [
      ['a.pdf', 'a.pdf'],
      ['(a.pdf)', '(a.pdf)'],
    ],
  ])('has the shortest name that sets it apart: %j', (sources, names) => {
    const citations = sources.map((source, index) => citation({ marker: index + 1, source }))
    const notes = renderAnswer(runResult({ citations }), piped)
      .split('\n')
      .filter((line) => /^\[\d\]/.test(line))
    expect(notes.map((note) => note.slice(note.lastIndexOf('(')))).toEqual(names)
  })
})

describe('a footnote on a terminal with hyperlinks', () => {
  const link = () => 'file:///papers/a.pdf#page=5'

  it('has a marker that opens its address, in lines as long as without', () => {
    const shown = renderAnswer(runResult({}), { ...terminal, link })
    expect(shown).toContain('\u001b]8;;file:///papers/a.pdf#page=5\u001b\\[1]\u001b]8;;\u001b\\ Zhang')
    expect(stripVTControlCharacters(shown)).toBe(stripVTControlCharacters(renderAnswer(runResult({}), terminal)))
  })

  it('has none where there is no address', () => {
    expect(renderAnswer(runResult({}), { ...terminal, link: () => null })).toBe(renderAnswer(runResult({}), terminal))
  })
})

describe('an answer on a terminal with colours', () => {
  it('is rendered Markdown, wrapped at the width, with the same words', () => {
    const answer = `# Title\n\nIt **reaches** 87.2 % [1], ${'and so on '.repeat(10)}\n\n- a *list*\n\n| A | B |\n|---|---|\n| 1 | 2 |`
    const text = renderAnswer(runResult({ answer }), terminal)
    expect(text).toContain('\u001b[1mTitle\u001b[22m')
    expect(text).toContain('\u001b[1mreaches\u001b[22m 87.2 % [1]')
    expect(text).toContain('- a \u001b[3mlist\u001b[23m')
    expect(text).toContain('\u001b[2mConfidence: 83%\u001b[22m')
    expect(text).not.toContain('**')
    for (const line of stripVTControlCharacters(text).split('\n')) expect(line.length).toBeLessThanOrEqual(40)
    expect(stripVTControlCharacters(text).replace(/\s+/g, ' ')).toContain('"an accuracy of 87.2 %" (a.pdf)')
  })

  it('sets in bold what the answer does', () => {
    const text = renderAnswer(runResult({ answer: 'It began in **1991**.', confidence: null, citations: [] }), terminal)
    expect(text).toContain('\u001b[1m1991\u001b[22m')
    expect(text).not.toContain('*')
  })

  it('shows the host behind a link, sends no hyperlink, keeps footnote markers', { tags: ['S2'] }, () => {
    const answer =
      'A [bank](https://evil.example/?q=secret) ![p](https://evil.example/p?q=secret) [1]\n\n[1]: https://evil.example/'
    const text = renderAnswer(runResult({ answer, citations: [], confidence: null }), { color: true, width: 200 })
    expect(stripVTControlCharacters(text)).toBe('A bank (evil.example) p (image on evil.example) [1]')
    expect(text).not.toContain('\u001b]')
    expect(text).not.toContain('secret')
  })

  it('does not turn entities into commands', { tags: ['S21'] }, () => {
    for (const entity of ['&#27;', '&#x1b;', '&#155;', '&#x9b;', '&amp;#27;', '\\\u001b']) {
      const answer = `a ${entity}[31mred ${entity}]0;x b, **c ${entity}[2J**, [l](http://x.example/${entity}[2J)`
      const text = renderAnswer(runResult({ answer, citations: [], confidence: null }), terminal)
      expect(withoutStyles(text)).toBe(withoutControls(withoutStyles(text)))
    }
  })

  it('shows an answer that is too long to render as it is', { tags: ['S19'] }, () => {
    const answer = `${'['.repeat(60_000)}${'a](b '.repeat(60_000)}`
    expect(renderAnswer(runResult({ answer, citations: [], confidence: null }), terminal)).toBe(answer.trim())
  })
})

/** What a hostile text holds, and what is left of it. */
const sequences: readonly (readonly [name: string, text: string, left: string])[] = [
  ['red', '\u001b[31mx\u001b[0m', 'x'],
  ['clear screen', '\u001b[2Jx', 'x'],
  ['cursor home', '\u001b[Hx', 'x'],
  ['cursor up and erase', '\u001b[1A\u001b[2Kx', 'x'],
  ['hide the cursor', '\u001b[?25lx', 'x'],
  ['alternate screen', '\u001b[?1049hx', 'x'],
  ['bracketed paste', '\u001b[200~rm\u001b[201~', 'rm'],
  ['insert characters', '\u001b[4hx', 'x'],
  ['device status report', '\u001b[6nx', 'x'],
  ['device attributes', '\u001b[cx', 'x'],
  ['window report', '\u001b[21tx', 'x'],
  ['soft reset', '\u001b[!px', 'x'],
  ['full reset', '\u001bcx', 'x'],
  ['save and restore the cursor', '\u001b7x\u001b8', 'x'],
  ['index and reverse index', '\u001bDx\u001bM', 'x'],
  ['line drawing characters', '\u001b(0x\u001b(B', 'x'],
  ['window title, BEL', '\u001b]0;owned\u0007x', 'x'],
  ['window title, ST', '\u001b]2;owned\u001b\\x', 'x'],
  ['hyperlink', '\u001b]8;;http://evil.example\u0007x\u001b]8;;\u0007', 'x'],
  ['clipboard', '\u001b]52;c;cm0gLXJmIH4=\u0007x', 'x'],
  ['iTerm image', '\u001b]1337;File=inline=1:AAAA\u0007x', 'x'],
  ['notification', '\u001b]777;notify;a;b\u0007x', 'x'],
  ['device control string', '\u001bP$q"p\u001b\\x', 'x'],
  ['sixel image', '\u001bPq#0;2;0;0;0#0~~\u001b\\x', 'x'],
  ['application command', '\u001b_Ga=T;AAAA\u001b\\x', 'x'],
  ['privacy message', '\u001b^secret\u001b\\x', 'x'],
  ['start of string', '\u001bXsecret\u001b\\x', 'x'],
  ['8-bit CSI', '\u009b31mx\u009b0m', 'x'],
  ['8-bit OSC', '\u009d0;owned\u009cx', 'x'],
  ['8-bit DCS', '\u0090q~~\u009cx', 'x'],
  ['bell, backspace, form feed, shift out', 'a\u0007\b\f\u000ex', 'ax'],
  ['carriage return', 'good\rx', 'goodx'],
  ['delete and NUL', 'a\u007f\u0000x', 'ax'],
]

describe('terminal commands in an answer or a quote', { tags: ['S21'] }, () => {
  it.each(sequences)('%s: leaves only text, byte for byte', (_, text, left) => {
    const result = runResult({
      answer: `Before ${text} after [1].`,
      citations: [citation({ quote: text, label: text, source: text })],
      unsupported: [{ text, reason: text }],
      sentences: [{ text, state: 'quoted', markers: [1], reason: text }],
    })
    const quoted = `[1] ${left} — "${left}" (${left})\n\nQuoted, not read again: sentence 1 (${left})`
    expect(renderAnswer(result, piped)).toBe(
      `Before ${left} after [1].\n\nConfidence: 83%\n\n${quoted}\n\nNot verified:\n- ${left} (${left})`,
    )
    expect(withoutStyles(renderAnswer(result, { color: true, width: 100 }))).toContain(`Before ${left} after [1].`)
  })

  it('leaves none, whatever the text', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(...'\u001b\u009b\u009d\u0090\u0007\u009c[]P\\;0mHx* `_#>-&|\n'),
      maxLength: 60,
    })
    fc.assert(
      fc.property(hostile, (answer) => {
        const result = runResult({ answer, citations: [citation({ quote: answer })] })
        for (const options of [piped, terminal]) {
          const text = withoutStyles(renderAnswer(result, options))
          expect(text).toBe(withoutControls(text))
        }
      }),
      { numRuns: 500 },
    )
  })
})

/** Colours, bold and the like, which rendering puts in. */
function withoutStyles(text: string): string {
  return text.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g'), '')
}

function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => (control === '\n' || control === '\t' ? control : ''))
}
