/** A piece of text that a PDF draws in one go. Units are points; `y` grows upwards, as in PDF. */
export interface Run {
  readonly text: string
  /** Along and across the direction of writing, so that rotated text reads like any other. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly size: number
  readonly font: string
  /** 0 is upright. In quarter turns, rounded. */
  readonly rotation: number
}

/** What a PDF parser found on one page, in the order in which the file draws it. */
export interface RawPage {
  readonly number: number
  readonly label: string | null
  readonly runs: readonly Run[]
}

/** What a PDF parser found in one file. */
export interface RawPdf {
  readonly pages: readonly RawPage[]
  /** From the file's properties; often empty or wrong. */
  readonly author: string | null
  readonly title: string | null
}
