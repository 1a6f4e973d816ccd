import type { Located } from '../../../../src/answers/quotes/locate-quotes.ts'
import { observation } from '../../agents/observation.ts'

/** A quote found on a page of this text. */
export function located(quote: string, text: string, kind: 'table' | 'text' = 'table'): Located {
  const start = text.indexOf(quote)
  const place = { documentId: 'filing', title: 'Annual report', source: 'filing.pdf', page: 1, section: null }
  return {
    ...place,
    label: 'Annual report, p. 1',
    quote,
    start,
    end: start + quote.length,
    verified: true,
    passage: 'P1',
    isWhole: true,
    observation: observation({ ...place, passageId: 'filing.0', kind, text, start: 0, table: null }),
    near: text,
    before: '',
    head: text.slice(0, 100),
  }
}
