import { describe, expect, it } from 'vitest'
import { knownNames } from '../../../src/answers/checks/names.ts'
import { whyUnsupported } from '../../../src/answers/claim.ts'
import type { Located } from '../../../src/answers/quotes/locate-quotes.ts'
import { type PairedDocument, pairedDocuments } from '../../fixtures/claim-pairs.ts'
import { observation } from '../agents/observation.ts'

interface Judged {
  readonly isTrue: boolean
  readonly isAside: boolean
  readonly sentence: string
  readonly quote: string
  readonly reason: string | null
}

const all = pairedDocuments.flatMap((document) =>
  document.pairs.flatMap(([quote, truth, lie, question = ''], at): readonly Judged[] => {
    const judge = (sentence: string, isTrue: boolean) => {
      const surroundings = surroundingsOf(document, question)
      return {
        isTrue,
        isAside: at % 2 === 1,
        sentence,
        quote,
        reason: whyUnsupported(sentence, [located(quote, document)], surroundings),
      }
    }
    return [judge(truth, true), judge(lie, false)]
  }),
)

function surroundingsOf({ title, passages }: PairedDocument, question: string) {
  const text = passages.join('\n\n')
  return { question, textOf: () => text, known: knownNames([question, title, text].join('\n')) }
}

function located(quote: string, { title, source, passages }: PairedDocument): Located {
  const page = passages.join('\n\n')
  const text = passages.find((passage) => passage.includes(quote)) ?? ''
  const start = page.indexOf(quote)
  const place = { documentId: source, title, source, page: 1, section: null }
  const kind = text.includes(' | ') ? 'table' : 'text'
  const own = { ...place, passageId: `${source}.0`, year: null, kind, text, start: page.indexOf(text) } as const
  return {
    ...place,
    label: title,
    quote,
    start,
    end: start + quote.length,
    verified: true,
    passage: 'P1',
    isWhole: false,
    observation: observation({ ...own, authors: [], table: null }),
    near: page,
    before: page.slice(Math.max(0, start - 80), start),
    head: `${title}\n${page}`.slice(0, 800),
  }
}

const seen = all.filter(({ isAside }) => !isAside)
const aside = all.filter(({ isAside }) => isAside)

describe('a sentence over a quote of a report, manual, paper or rule', () => {
  it.each(seen.filter(({ isTrue }) => isTrue))('is kept if it says the same: $sentence', ({ reason }) => {
    expect(reason).toBeNull()
  })

  it.each(seen.filter(({ isTrue }) => !isTrue))('is dropped if it says something else: $sentence', ({ reason }) => {
    expect(reason).not.toBeNull()
  })

  // No rule was made from these: only their number is looked at.
  it('is kept or dropped rightly where nobody looked', () => {
    const kept = aside.filter(({ isTrue, reason }) => isTrue && reason === null).length
    const caught = aside.filter(({ isTrue, reason }) => !isTrue && reason !== null).length
    expect(kept / (aside.length / 2)).toBeGreaterThan(0.9)
    expect(caught / (aside.length / 2)).toBeGreaterThan(0.9)
  })
})
