import type { Calculation, Citation } from '../events/index.ts'
import { isTableRow } from './draft/structure.ts'
import type { Located } from './quotes/locate-quotes.ts'

/** A formula that was computed again, with the quotes that its figures stand in. */
export interface QuotedFormula {
  readonly expression: string
  readonly value: number
  readonly operands: readonly { readonly value: number; readonly located: Located }[]
}

/** Numbers the footnotes of one answer: quotes and calculations together, each once, in the order of first use. */
export class Markers {
  readonly #quotes = new Map<string, Citation>()
  readonly #calculations = new Map<string, Calculation>()

  get citations(): readonly Citation[] {
    return [...this.#quotes.values()]
  }

  get calculations(): readonly Calculation[] {
    return [...this.#calculations.values()]
  }

  ofQuote(located: Located): number {
    const { passage: _, ...citation } = located
    const key = `${citation.documentId} ${citation.page} ${citation.start} ${citation.end}`
    const known = this.#quotes.get(key)
    if (known) return known.marker
    const marker = this.#next()
    this.#quotes.set(key, { marker, ...citation })
    return marker
  }

  ofFormula({ expression, value, operands }: QuotedFormula): number {
    const known = this.#calculations.get(expression)
    if (known) return known.marker
    const cited = operands.map(({ value: figure, located }) => ({ value: figure, marker: this.ofQuote(located) }))
    const calculation = { marker: this.#next(), expression, value, operands: cited }
    this.#calculations.set(expression, calculation)
    return calculation.marker
  }

  #next(): number {
    return this.#quotes.size + this.#calculations.size + 1
  }
}

/** The markers go behind the sentence, in a table's row into its last cell. */
export function withMarkers(text: string, markers: readonly number[]): string {
  if (markers.length === 0) return text
  const shown = markers.map((each) => `[${each}]`).join('')
  return isTableRow(text) ? `${text.slice(0, -1).trimEnd()} ${shown} |` : `${text} ${shown}`
}
