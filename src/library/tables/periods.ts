/** The names of months, long and short, in the languages whose tables are read. */
const months: ReadonlySet<string> = new Set(
  ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt']
    .flatMap((language) => (['long', 'short'] as const).map((month) => new Intl.DateTimeFormat(language, { month })))
    .flatMap((format) => Array.from({ length: 12 }, (_, month) => format.format(new Date(2000, month, 15))))
    .map((name) => name.replace('.', '').toLowerCase())
    .concat('sept'),
)
/** Words that stand beside years, months and quarters and make one period with them. */
const words: ReadonlySet<string> = new Set(
  `as of at to from the for and ended ending end year years month months quarter quarters week weeks half first second third
   fourth three six nine twelve thirteen fiscal calendar since through until ytd full
   stand zum per vom bis und der des am jahr jahre geschäftsjahr monat monate quartal halbjahr endete
   au du de le et exercice clos semestre trimestre année mois
   al el y del año meses ejercicio anno esercizio chiuso`
    .trim()
    .split(/\s+/u),
)
const TOKEN = /(?<![\p{L}\d])['’]?\d+\p{L}{0,4}|\p{L}+\d*(?:['’]\d\d)?|[^\s\p{L}\d]/gu
const YEAR = /^(?:19|20)\d\d[AEFPaefp]?$/u
const PART =
  /^(?:[QqHST][1-4]|[1-4][QH])(?:['’]?\d\d|(?:19|20)\d\d)?$|^(?:FY|CY|HY|GJ)['’]?(?:\d\d|(?:19|20)\d\d)?$|^[369]M$|^12M$/u
const DAY = /^(?:[0-3]?\d)(?:st|nd|rd|th|er|º)?$/u
const SHORT_YEAR = /^['’]?\d\d$/u
const JOINS = new Set([...",.-–—−/()'’+"])

interface Token {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The period that a text names, as it stands there: "Year ended December 31, 2022", "Q1 2023", "2021/22"; null without one. */
export function periodIn(text: string): string | null {
  const found = longestStretch(text)
  return found ? text.slice(found.start, found.end) : null
}

/** Whether a text is a period and nothing else, perhaps with marks around it. */
export function isPeriod(text: string): boolean {
  const found = longestStretch(text)
  return found !== null && !/[\p{L}\d]/u.test(text.slice(0, found.start) + text.slice(found.end))
}

/** Whether a period names its year. */
export function hasYear(period: string): boolean {
  return /(?<!\d)(?:19|20)\d\d(?!\d)|(?:FY|Q[1-4]|H[12]|[1-4][QH])['’]?\d\d|['’]\d\d\b/u.test(period)
}

/** Whether a period is a year and nothing else. */
export function isYear(period: string): boolean {
  return YEAR.test(period)
}

/** Whether a period names a month: "Year ended June 30". */
export function hasMonth(period: string): boolean {
  return (period.match(/\p{L}+/gu) ?? []).some(isMonth)
}

function longestStretch(text: string): { readonly start: number; readonly end: number } | null {
  if (text.length > longest) return null
  const tokens = Array.from(text.matchAll(TOKEN), (match): Token => {
    return { text: match[0], start: match.index, end: match.index + match[0].length }
  })
  let best: { readonly start: number; readonly end: number } | null = null
  let open: Token[] = []
  const settle = (): void => {
    const stretch = trimmed(open, tokens[0])
    const [first, last] = [stretch[0], stretch.at(-1)]
    const isWhole = open.length === tokens.length
    if (first && last && isAnchored(stretch, isWhole) && last.end - first.start > (best ? best.end - best.start : 0)) {
      best = { start: first.start, end: last.end }
    }
    open = []
  }
  for (const token of tokens) {
    if (!isOfPeriod(token.text)) settle()
    else open.push(token)
  }
  settle()
  return best
}

const longest = 300

function isMonth(token: string): boolean {
  return months.has(token.toLowerCase().replace('.', ''))
}

function isOfPeriod(token: string): boolean {
  return (
    JOINS.has(token) ||
    YEAR.test(token) ||
    PART.test(token) ||
    DAY.test(token) ||
    SHORT_YEAR.test(token) ||
    isMonth(token) ||
    words.has(token.toLowerCase())
  )
}

/** A year or a part of one; a month, or "three months", with a day or a year, or where it is all there is. */
function isAnchored(stretch: readonly Token[], isWhole: boolean): boolean {
  const has = (isIt: (token: string) => boolean) => stretch.some(({ text }) => isIt(text))
  if (has((token) => YEAR.test(token) || (PART.test(token) && !/^[ST]\d$/u.test(token)))) return true
  if (has(isMonth)) return isWhole || has((token) => DAY.test(token))
  if (has((token) => PART.test(token))) return isWhole
  const span = stretch.map(({ text }) => text).join(' ')
  if (/\b\d{1,2} [./] \d{1,2} [./] \d{2}\b/u.test(span)) return true
  return isWhole && /\b(?:years?|months?|weeks?|quarters?|monate|mois|meses|ytd)\b/iu.test(span)
}

/** Without what only joins it to the words around it. */
function trimmed(tokens: readonly Token[], first: Token | undefined): readonly Token[] {
  const isNothing = ({ text }: Token) => JOINS.has(text)
  const isLink = (token: Token) => isNothing(token) || (words.has(token.text.toLowerCase()) && token !== first)
  let start = 0
  let end = tokens.length
  while (start < end && tokens[start] && isLeading(tokens[start] as Token)) start += 1
  while (end > start && isTrailing(tokens[end - 1] as Token)) end -= 1
  return tokens.slice(start, end)

  function isLeading(token: Token): boolean {
    return (
      isNothing(token) ||
      (isLink(token) && /^(?:of|for|the|to|and|from|de|du|le|der|des|und|am|el|y|et|del|at)$/iu.test(token.text))
    )
  }
  function isTrailing(token: Token): boolean {
    return isNothing(token) || /^(?:of|for|the|to|and|from|de|du|le|der|des|und|el|y|et|del|as|at)$/iu.test(token.text)
  }
}
