import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText } from '../../../../src/cli/output/plain-text.ts'

const sequences: readonly (readonly [string, string])[] = [
  ['a colour', '\u001b[31m'],
  ['several attributes', '\u001b[1;4;38;5;196m'],
  ['clear screen', '\u001b[2J'],
  ['cursor home', '\u001b[H'],
  ['cursor up', '\u001b[10A'],
  ['hide cursor', '\u001b[?25l'],
  ['alternate screen', '\u001b[?1049h'],
  ['bracketed paste', '\u001b[?2004h'],
  ['mouse reports', '\u001b[?1003h'],
  ['device attributes query', '\u001b[c'],
  ['cursor position query', '\u001b[6n'],
  ['scroll region', '\u001b[5;10r'],
  ['window operation', '\u001b[21t'],
  ['an intermediate byte', '\u001b[0 q'],
  ['window title ended by BEL', '\u001b]0;owned\u0007'],
  ['window title ended by ST', '\u001b]2;owned\u001b\\'],
  ['a hyperlink', '\u001b]8;;http://evil.example\u001b\\'],
  ['clipboard write', '\u001b]52;c;ZXZpbA==\u0007'],
  ['palette change', '\u001b]4;1;rgb:ff/00/00\u001b\\'],
  ['a device control string', '\u001bP$qm\u001b\\'],
  ['an application command', '\u001b_Ga=q\u001b\\'],
  ['a privacy message', '\u001b^secret\u001b\\'],
  ['a start of string', '\u001bXtext\u001b\\'],
  ['full reset', '\u001bc'],
  ['a character set', '\u001b(0'],
  ['save cursor', '\u001b7'],
  ['8-bit CSI', '\u009b31m'],
  ['8-bit OSC', '\u009d0;owned\u009c'],
  ['8-bit DCS', '\u0090q\u009c'],
  ['bell and backspace', '\u0007\u0008'],
  ['carriage return', '\r'],
  ['directions of writing', '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'],
  ['delete and NUL', '\u007f\u0000'],
]

describe('text for a terminal', () => {
  it.each(sequences)('loses %s and keeps what stands around it, byte for byte', { tags: ['S21'] }, (_, sequence) => {
    expect(plainText(`before${sequence}after`)).toBe('beforeafter')
  })

  it('keeps the lines after a command string that is never closed', { tags: ['S21'] }, () => {
    expect(plainText('a\u001b]0;never closed\nthe next line')).toBe('a\nthe next line')
  })

  it('never holds a control character other than newline and tab', { tags: ['S21'] }, () => {
    const unit = fc.oneof(fc.constantFrom(...sequences.map(([, text]) => text), '\u001b', '[', ']', '\n'), fc.string())
    fc.assert(
      fc.property(fc.array(unit), (parts) => {
        expect(plainText(parts.join(''))).not.toMatch(/[^\P{Cc}\n\t]/u)
      }),
    )
  })

  it('is the text itself where there is nothing to take out', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text))
        expect(plainText(text)).toBe(text)
      }),
    )
  })
})
