import type { Quaero, SearchHit } from '../index.ts'
import { exitCodes } from './exit-codes.ts'
import { plainLine } from './plain-text.ts'
import { counted } from './table.ts'
import { type Input, type Output, print, printJson, tell } from './terminal.ts'

export interface SearchFlags {
  readonly query: string
  /** How many passages. */
  readonly k?: number | undefined
  readonly json?: boolean | undefined
}

/** `quaero search`: the passages that match best, without any model. */
export async function runSearch(quaero: Quaero, _: Input, output: Output, flags: SearchFlags): Promise<number> {
  const hits = await quaero.library.search(flags.query, flags.k === undefined ? {} : { limit: flags.k })
  if (flags.json) printJson(output, hits)
  else if (hits.length > 0) print(output, hits.map(describeHit).join('\n\n'))
  else tell(output, `Nothing found in ${counted((await quaero.library.list()).length, 'document')}.`)
  return exitCodes.ok
}

function describeHit({ rank, score, title, source, page, section, text }: SearchHit): string {
  const place = [title ?? source, section, `p. ${page}`].filter((part) => part !== null).join(', ')
  return `${rank}. ${plainLine(place)} (${score.toFixed(2)})\n${text.trim()}`
}
