/** The part of turndown that is used here; the package brings no types of its own. */
declare module 'turndown' {
  class TurndownService {
    constructor(options?: { headingStyle?: 'atx'; bulletListMarker?: '-' })
    addRule(
      name: string,
      rule: {
        filter: string | readonly string[]
        replacement: (
          content: string,
          node: { getAttribute(name: string): string | null; readonly childNodes: ArrayLike<unknown> },
        ) => string
      },
    ): this
    remove(filter: readonly string[]): this
    escape(text: string): string
    /** Takes HTML or a DOM node. */
    turndown(input: unknown): string
  }
  export = TurndownService
}
