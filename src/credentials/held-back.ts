/**
 * Cleans a text that comes in pieces as it would be cleaned as a whole: what is not decided yet waits for the next piece,
 * everything before it goes out at once.
 */
export class StreamRedactor {
  readonly #clean: (text: string) => string
  readonly #openFrom: (text: string) => number
  #waiting = ''

  /** `openFrom` tells from where on a text may still turn into something that is to be cleaned, when it goes on. */
  constructor(clean: (text: string) => string, openFrom: (text: string) => number) {
    this.#clean = clean
    this.#openFrom = openFrom
  }

  /** What may go out now. */
  push(piece: string): string {
    const text = this.#waiting + piece
    const end = this.#openFrom(text)
    this.#waiting = text.slice(end)
    return end === 0 ? '' : this.#clean(text.slice(0, end))
  }

  /** What was held back, once no more comes. */
  flush(): string {
    const rest = this.#clean(this.#waiting)
    this.#waiting = ''
    return rest
  }
}
