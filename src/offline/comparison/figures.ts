/** A figure with what it counts or measures. */
export interface Figure {
  readonly written: string
  readonly value: number
  /** Folded, without plural: `ms`, `message`, `€`, `%`. */
  readonly unit: string
}

const FIGURE =
  /(?<![\p{L}\p{N}.,]|\p{L}[-‐–])(?<currency>[$€£¥]\s?)?(?<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?<scale>\s?(?:k|M|bn|thousand|million|billion)(?![\p{L}]))?(?<unit>\s?(?:%|°C|°F|\p{L}+(?:\/\p{L}+|\s(?:per|an?)\s\p{L}+)?))?/gu
// What follows a figure without being its unit.
const NO_UNIT = new Set(
  'and or of in at on to for by from with than as is are was were per the a an but while when which that if during after before under over between against'.split(
    ' ',
  ),
)

/** The figures of a text that say what they measure; `numbersIn` reads how much a written number is. */
export function figuresIn(text: string, numbersIn: (text: string) => readonly number[]): readonly Figure[] {
  return Array.from(text.matchAll(FIGURE)).flatMap(({ 0: written, groups = {} }) => {
    const { currency = '', number = '', scale = '', unit: word = '' } = groups
    const unit = currency.trim() || word.trim().toLowerCase()
    const [value] = numbersIn(`${number}${scale}`)
    if (value === undefined || unit === '' || NO_UNIT.has(unit)) return []
    const said = currency ? `${currency}${number}${scale}` : written
    return [{ written: said.trim(), value, unit: unit.length > 3 ? unit.replace(/s$/u, '') : unit }]
  })
}
