import type { Calculation, Citation } from '../../events/index.ts'
import type { VerifiedCalculation } from '../calculations/check.ts'
import type { Located } from '../quotes/locate-quotes.ts'
import { isTableRow } from './structure.ts'

interface Numbered {
  readonly citation: Citation
  readonly passage: string
}

/** Numbers the footnotes of one answer: quotes and calculations together, each once, in the order of first use. */
export class Markers {
  readonly #quotes = new Map<string, Numbered>()
  readonly #calculations = new Map<string, Calculation>()

  get citations(): readonly Citation[] {
    return [...this.#quotes.values()].map(({ citation }) => citation)
  }

  get calculations(): readonly Calculation[] {
    return [...this.#calculations.values()]
  }

  /** The quotes, each with the handle of its passage. */
  get quotes(): readonly { readonly id: string; readonly quote: string }[] {
    return [...this.#quotes.values()].map(({ citation, passage }) => ({ id: passage, quote: citation.quote }))
  }

  ofQuote(located: Located): number {
    const { passage, isWhole: _w, observation: _o, near: _n, before: _b, head: _h, ...citation } = located
    const key = `${citation.documentId} ${citation.page} ${citation.start} ${citation.end}`
    const known = this.#quotes.get(key)
    if (known) return known.citation.marker
    const marker = this.#next()
    this.#quotes.set(key, { citation: { marker, ...citation }, passage })
    return marker
  }

  ofCalculation({ expression, value, operands }: VerifiedCalculation, quotes: readonly Located[]): number {
    const known = this.#calculations.get(expression)
    if (known) return known.marker
    const cited = operands.flatMap(({ value: figure, quote }) => {
      const located = quotes[quote]
      return located ? [{ value: figure, marker: this.ofQuote(located) }] : []
    })
    const calculation = { marker: this.#next(), expression, value, operands: cited }
    this.#calculations.set(expression, calculation)
    return calculation.marker
  }

  #next(): number {
    return this.#quotes.size + this.#calculations.size + 1
  }
}

/** The markers go behind the sentence, in a table's row into its last cell. */
export function withMarkers(text: string, markers: ReadonlySet<number>): string {
  const shown = [...markers].map((each) => `[${each}]`).join('')
  return isTableRow(text) ? `${text.slice(0, -1).trimEnd()} ${shown} |` : `${text} ${shown}`
}
