import { noteOf } from '../../claims/table/table-text.ts'
import type { FallenClaim } from '../../index.ts'
import { plainLine } from '../output/plain-text.ts'

interface Described {
  readonly claim: { readonly text: string }
  readonly quotes: readonly FallenClaim['quotes'][number][]
  readonly formulas: readonly string[]
  readonly answers?: number | undefined
}

const changes = {
  'document changed': 'the document was changed',
  'document gone': 'the document is not there',
  'other words': 'its page has other words',
} as const

/** A claim that does not stand any more: its old quotes, and beside them the nearest words of now. */
export function describeFallen({ claim, quotes, formulas, answers = 1 }: Described): string {
  const fallen = quotes.filter(({ stands }) => !stands)
  const lines = fallen.flatMap(({ quote, change, now }) => [
    `  was: ${plainLine(noteOf(quote))}`,
    `  now: ${change ? changes[change] : ''}${now ? `; nearest on p. ${now.page}: “${plainLine(now.text.replace(/\s+/g, ' '))}”` : ''}`,
  ])
  const head = `${plainLine(claim.text)}${answers > 1 ? ` (in ${answers} answers)` : ''}`
  return [head, ...lines, ...formulas.map((each) => `  formula: ${plainLine(each)}`)].join('\n')
}
