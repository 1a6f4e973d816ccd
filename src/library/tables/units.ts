import { scaleOf } from '../arithmetic/figure.ts'
import { wordSet } from '../language/characters.ts'
import { unitNamed } from '../language/units.ts'

/** The unit that a name states in brackets or behind "in": "EUR m" of "Revenue (EUR m)"; null if it states none. */
export function unitIn(name: string): string | null {
  // "Head in m at flow (m³/h)": what is measured comes first.
  const [, measured = ''] = /\sin (\p{L}{1,5}[²³]?|[%€£$])\s(?=\p{Ll})/u.exec(name) ?? []
  if (measured !== '' && asUnit(measured, isPlain) !== null && !/^\p{Lu}$/u.test(measured)) return measured
  for (const [, inner = ''] of name.matchAll(/(?<=^|\s)[([]([^()[\]]{1,80})[)\]]/gu)) {
    const unit = asUnit(inner)
    if (unit !== null) return unit
  }
  const share = /^%(?=\s)|(?<=\s)%$|^(?:percent(?:age)?|prozent)(?=\s)/iu.exec(name.trim())
  if (share) return '%'
  const behind = /(?:^|\s)in (?!\d)([^,;()]{1,40})$/iu.exec(name)?.[1]
  return behind === undefined ? null : asUnit(behind)
}

/** The unit of a line that is nothing else: "EUR m", "in millions", "Dollars in millions, except per share data". */
export function unitOfLine(line: string): string | null {
  return unitIn(line) ?? asUnit(line, isPlain)
}

/** Whether a text is a unit and nothing else: "Ah", "kg", "%". */
export function isUnit(text: string): boolean {
  return !/^[-–—]*$/u.test(text) && asUnit(text) !== null
}

/** The unit of a title, also where it ends in one: "Net sales by product, CHF million", "Segments USD thousands". */
export function unitInTitle(title: string): string | null {
  const behind = unitOfLine(title) ?? asUnit(/[,–—-]\s([^,–—]{1,40})$/u.exec(title)?.[1] ?? '', isPlain)
  if (behind !== null) return behind
  const [last = '', before = ''] = title.split(/\s/u).toReversed()
  return isScale(last) && isPlain(before) ? `${before} ${last}` : null
}

/** Words near a table, of which the nearest to it count. */
export interface NearTable {
  readonly before: string
  readonly behind: string
  /** All other words of its page, where it is the only table there; else empty. */
  readonly page: string
}

/**
 * The words that state a unit for the figures of a table in general: the sentence right before it, or right behind it, or the
 * brackets "(in thousands, except per share data)" anywhere on a page that has one table and states one unit so.
 */
export function statedBeside({ before, behind, page }: NearTable): string | null {
  const last = before.slice(-farthest).split(SENTENCE_END).at(-1) ?? ''
  const first = behind.slice(0, farthest).split(SENTENCE_END)[0] ?? ''
  const beside = [last, first].find((sentence) => unitOfFigures(sentence) !== null)
  if (beside !== undefined) return beside
  const stated = bracketsIn(page).filter((inner) => hasScale(asUnit(inner) ?? ''))
  return new Set(stated.map((inner) => asUnit(inner))).size === 1 ? (stated[0] ?? null) : null
}

const farthest = 400
const SENTENCE_END = /(?<=[\p{Ll}\d)][.!?])\s(?=\p{Lu})|\n/u
/** "in millions", "in thousands of dollars", "amounts in RMB million"; sentences that mention millions have a figure before it. */
const IN_SCALE = /(?<![\p{L}\d])(?:in|en) ([^.,:;()[\]\d]{1,40})(?=[.,:;()[\]]|$)/giu

/** The unit with a scale that a sentence, or what stands in brackets, states for figures in general. */
export function unitOfFigures(text: string): string | null {
  // "in thousands of tonnes." ends a sentence, "in Mio." a word.
  const sentence = text.trim().replace(/(?<=\p{L}{4})[.:]$/u, '')
  const stated = [
    unitOfLine(sentence),
    ...bracketsIn(sentence).map((inner) => asUnit(inner)),
    ...Array.from(sentence.matchAll(IN_SCALE), ([, words = '']) => asUnit(words)),
  ]
  return stated.find((unit) => unit !== null && hasScale(unit)) ?? null
}

function bracketsIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/[([]([^()[\]]{1,80})[)\]]/gu), ([, inner = '']) => inner)
}

function hasScale(unit: string): boolean {
  return (unit.match(PART) ?? []).some((part) => part.length > 1 && (MAGNITUDE.test(part) || scaleOf(part) !== null))
}

/** What a unit says it does not hold for: "per share data", "percentages". */
export function exceptionIn(line: string): string | null {
  return EXCEPT.exec(line)?.[2]?.split(/[)\]]/u)[0]?.trim() ?? null
}

const EXCEPT =
  /(?:^|[\s,;(])(except|excluding|unless|other than|sauf|hormis|außer|ausgenommen|salvo|excepto)\s([^;]{1,100})/iu

/** The first part of it that is a unit, of which one word at least is told by `isTelling`. */
function asUnit(written: string, isTelling: (part: string) => boolean = isMeasure): string | null {
  for (const stated of written.replace(EXCEPT, '').split(/[;]|,\s?(?!\d)/u)) {
    const text = stated.replace(LEAD, '').trim()
    if (text === '' || text.length > longest || /^[-–]/u.test(text)) continue
    const parts = text.replaceAll('U.S.', 'US').match(PART) ?? []
    if (parts.every(isPart) && parts.some(isTelling)) return text
  }
  return null
}

const longest = 40
/** "MWh PCS", "€ HT": how a unit is meant. */
const QUALIFIER = /^\p{Lu}{2,4}$/u
const LEAD =
  /^(?:(?:all |the )?(?:amounts|figures|values|numbers|angaben|beträge|werte|montants|chiffres|cifras)(?: are)?(?: (?:stated|expressed|shown|presented))? )?(?:in|en)(?: |(?=thousand|million|billion))/iu
const PART = /[A-Z]{0,2}[$€£¥]|[%‰]|°\s?\p{L}|['’]000s?|\p{L}+(?:[²³]|\.(?!\p{L}))?|\d+s?|[^\s]/gu
const LINKS = wordSet('in of per a an the and de von pro par por us u.s. / · * × ⋅ ^ - –')
/** What is counted, or measured, and has no name among the units of figures. */
const COUNTS = wordSet(
  `people persons employees ftes fte shares units items patients participants cases points bps bp ppm ppb rpm px kcal cal
   lb lbs oz ft inch inches yd acre acres ha mph knots gal personen mitarbeiter stück`,
)
const SYMBOLS = wordSet('A mA K mol mmol µmol nmol mcg IU kN MPa GPa psi eV keV MeV dBm')
const MAGNITUDE =
  /^(?:m|mn|mm|mln|mil|bn|b|k|'000s?|’000s?|0{2,}s?|mio\.?|mrd\.?|tsd\.?|teur|t€|thousands?|millions?|billions?|trillions?|hundreds?)$/iu
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))
const JOINED = /^([A-Z]{3})(m|mn|bn|k)$/u

function isPart(part: string, at: number, all: readonly string[]): boolean {
  const isLast = at > 0 && at === all.length - 1
  return (
    isMeasure(part) || LINKS.has(part.toLowerCase()) || (isLast && QUALIFIER.test(part) && isMeasure(all[at - 1] ?? ''))
  )
}

function isMeasure(part: string): boolean {
  const plain = part.replace(/\.$/u, '')
  return (
    MAGNITUDE.test(part) ||
    /^[A-Z]{0,2}[$€£¥]$|^[%‰]$/u.test(part) ||
    CURRENCIES.has(plain) ||
    CURRENCIES.has(JOINED.exec(plain)?.[1] ?? '') ||
    COUNTS.has(plain.toLowerCase()) ||
    SYMBOLS.has(plain) ||
    scaleOf(plain) !== null ||
    unitNamed(plain) !== null
  )
}

/** What stands for a unit without brackets too: a currency, a scale, a sign, a symbol; "Points" and "Days" name columns. */
function isPlain(part: string): boolean {
  if (!isMeasure(part)) return false
  const isWord = /^\p{L}$|^(?:\p{Lu}?\p{Ll}{2,}|\p{Lu}{3,})\.?$/u.test(part)
  return (
    !isWord ||
    MAGNITUDE.test(part) ||
    scaleOf(part) !== null ||
    CURRENCIES.has(part) ||
    SYMBOLS.has(part) ||
    unitNamed(part) === 'money'
  )
}

const SIGN = /^[(\-−–+±~<>≤≥]{0,3}\s?((?:US|C|A|R|HK|S|NZ)?[$€£¥])\s?[(\-−–]?\d/u

/** The unit that a cell writes at its figure: "%", "$", "kg". */
export function unitOfCell(cell: string): string | null {
  if (/^[^\p{L}%]{0,40}\d[^\p{L}%\d]{0,3}%[)*†‡]{0,4}$/u.test(cell)) return '%'
  const sign = SIGN.exec(cell)?.[1]
  if (sign) return sign
  const behind = /^[^\p{L}%]*\d\)?\s?(\p{L}[^()\d]{0,20}|°\s?\p{L})$/u.exec(cell)?.[1]
  return behind === undefined ? null : asUnit(behind)
}

/** The sign of a currency before a figure, or before the dash that stands for none. */
export function signOf(cell: string): string | null {
  return SIGN.exec(cell)?.[1] ?? /^([A-Z]{0,2}[$€£¥])\s?[-–—]$/u.exec(cell)?.[1] ?? null
}

/** Whether a unit is only a sign before figures, which a scale may go with: "$", and "millions" from above. */
export function isSign(unit: string): boolean {
  return /^[A-Z]{0,2}[$€£¥]$/u.test(unit)
}
/** Whether a unit names a currency, or by what figures are multiplied: "Dollars in millions", "en euros". */
export function isMoney(unit: string): boolean {
  const parts = unit.replaceAll('U.S.', 'US').match(PART) ?? []
  return parts.some(
    (part) =>
      isPlain(part) &&
      !SYMBOLS.has(part) &&
      (MAGNITUDE.test(part) ||
        CURRENCIES.has(part) ||
        /[$€£¥]/u.test(part) ||
        scaleOf(part) !== null ||
        unitNamed(part) === 'money'),
  )
}

/** Whether a unit says only by what its figures are multiplied: "millions". */
export function isScale(unit: string): boolean {
  return (unit.match(PART) ?? []).every(
    (part) => MAGNITUDE.test(part) || scaleOf(part) !== null || LINKS.has(part.toLowerCase()),
  )
}
