import { fold } from './terms.ts'

/** Units by name, as they are written behind a number; those of several languages. */
const WRITTEN: Readonly<Record<string, string>> = {
  point:
    'percentage point, percentage points, % point, % points, pp, point, points, pts, prozentpunkt, prozentpunkte, prozentpunkten, points de pourcentage, point de pourcentage, puntos porcentuales, punto porcentual',
  percent: '%, percent, per cent, prozent, pour cent, por ciento',
  second: 's, sec, secs, second, seconds, sekunde, sekunden, seconde, secondes, segundo, segundos',
  minute: 'min, mins, minute, minutes, minuten, minuto, minutos',
  hour: 'h, hr, hrs, hour, hours, stunde, stunden, heure, heures, hora, horas',
  day: 'day, days, tag, tage, tagen, jour, jours, dia, dias',
  week: 'week, weeks, woche, wochen, semaine, semaines, semana, semanas',
  month: 'month, months, monat, monate, monaten, mois, mes, meses',
  year: 'year, years, yr, yrs, jahr, jahre, jahren, ans, annee, annees, ano, anos',
  tonne: 't, ton, tons, tonne, tonnes, tonnen, tonelada, toneladas',
  mile: 'mile, miles',
  'degree Celsius': '°c, ° c',
  'degree Fahrenheit': '°f, ° f',
  dollar: 'dollar, dollars, dolares, usd, us$, $',
  euro: 'euro, euros, eur, teur, €',
  pound: 'gbp, pounds, pfund, £',
  yen: 'yen, jpy, ¥',
  franc: 'franc, francs, franken, chf',
  yuan: 'yuan, rmb, cny',
  krona: 'sek, kronor',
  cent: 'cents, centimes, centimos, pence',
  times: '×, x, times, fold',
}
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(WRITTEN).flatMap(([name, forms]) => forms.split(', ').map((form): [string, string] => [form, name])),
)

/** Measures that take a prefix, by symbol and by word: "kWh", "Kilowattstunden", "megavatios hora". */
const SYMBOLS: Readonly<Record<string, string>> = {
  ...{ Wh: 'watt hour', W: 'watt', V: 'volt', Hz: 'hertz', J: 'joule', Pa: 'pascal', g: 'gram', m: 'metre' },
  ...{ l: 'litre', L: 'litre', s: 'second', B: 'byte', iB: 'byte', N: 'newton', bar: 'bar', dB: 'decibel' },
  ...{ Ah: 'ampere hour', VA: 'volt ampere', Ω: 'ohm' },
}
const PREFIXES: Readonly<Record<string, string>> = {
  ...{ n: 'nano', µ: 'micro', μ: 'micro', m: 'milli', c: 'centi', d: 'deci', h: 'hecto', k: 'kilo', K: 'kilo' },
  ...{ M: 'mega', G: 'giga', T: 'tera' },
}
const SYMBOL = /^([nµμmcdhkKMGT]?)(Wh|W|VA|V|Ah|Ω|Hz|J|Pa|g|m|l|L|s|i?B|N|bar|dB)([²³]?)$/u
const MEASURES: readonly (readonly [string, RegExp])[] = [
  ['watt hour', /^(?:watt|vatio)s?[ -]?(?:hours?|stunden?|heures?|horas?)$/],
  ['watt', /^(?:watts?|vatios?)$/],
  ['volt', /^(?:volts?|voltios?)$/],
  ['gram', /^gram(?:s|m|me|mes|o|os)?$/],
  ['square metre', /^(?:quadratmetern?|square met(?:re|er)s?|metres? carres?|metros? cuadrados?)$/],
  ['cubic metre', /^(?:kubikmetern?|cubic met(?:re|er)s?|metres? cubes?|metros? cubicos?)$/],
  ['metre', /^(?:met(?:re|er)s?|metern|metros?)$/],
  ['litre', /^(?:lit(?:re|er)s?|litern|litros?)$/],
  ['second', /^(?:seconds?|sekunden?|secondes?|segundos?)$/],
  ['byte', /^(?:bytes?|octets?)$/],
  ['hertz', /^hertz$/],
]
const PREFIX = /^(nano|micro|mikro|milli|mili|centi|zenti|deci|kilo|mega|giga|tera)?(.+)$/
const SPELLINGS: Readonly<Record<string, string>> = { mikro: 'micro', mili: 'milli', zenti: 'centi' }

/** A unit behind a number, and where its words end. */
export interface UnitAt {
  readonly name: string
  readonly end: number
}

const mostWords = 3
const TOKEN = /[\s\u00a0\u202f-]?([$€£¥%×]|°\s?[CF](?!\p{L})|US\$|[\p{L}µμ]+[²³]?)/uy

/** The unit that stands behind a number which ends here; null if none is known. */
export function unitAt(text: string, end: number): UnitAt | null {
  const words: string[] = []
  const ends: number[] = []
  TOKEN.lastIndex = end
  for (let match = TOKEN.exec(text); match && words.length < mostWords; match = TOKEN.exec(text)) {
    if ((match[1]?.length ?? 0) > LONGEST) break
    words.push(match[1] ?? '')
    ends.push(TOKEN.lastIndex)
  }
  for (let count = words.length; count > 0; count -= 1) {
    const name = unitNamed(words.slice(0, count).join(' '))
    if (name !== null) return { name, end: ends[count - 1] ?? end }
  }
  return null
}

const LONGEST = 30

const MONEY = new Set(['dollar', 'euro', 'pound', 'yen', 'franc', 'yuan', 'krona'])

export function isCurrency(unit: string | null): boolean {
  return MONEY.has(unit ?? '')
}

/** The unit that these words or this sign name by themselves; null if they name none. */
export function unitNamed(written: string): string | null {
  const symbol = SYMBOL.exec(written)
  // "Min" is no unit, "m" and "M" are not the same.
  if (symbol) {
    const [, prefix = '', base = '', power = ''] = symbol
    return `${power === '²' ? 'square ' : power === '³' ? 'cubic ' : ''}${PREFIXES[prefix] ?? ''}${SYMBOLS[base] ?? ''}`
  }
  const form = fold(written)
  return NAMES.get(form) ?? measureNamed(form)
}

function measureNamed(form: string): string | null {
  if (form === 'kilo' || form === 'kilos') return 'kilogram'
  const [, prefix = '', rest = ''] = PREFIX.exec(form) ?? []
  const base = MEASURES.find(([, written]) => written.test(rest))?.[0]
  return base === undefined ? null : `${SPELLINGS[prefix] ?? prefix}${base}`
}

const SIGNS: Readonly<Record<string, string>> = { $: 'dollar', '€': 'euro', '£': 'pound', '¥': 'yen' }

/** The currency whose sign stands before a number; null if none does. */
export function unitBefore(text: string, start: number): string | null {
  const before = text.slice(Math.max(0, start - 2), start).trim()
  return SIGNS[before.slice(-1)] ?? null
}

const ZEROS = ['\u0660', '\u06f0', '\u0966', '\u09e6', '\u0e50', '\uff10'].map((zero) => zero.charCodeAt(0))

/**
 * The text, character for character, with the digits of other scripts and full-width forms as 0 to 9. Raised digits
 * stay as they are, since "10⁶" is not 106.
 */
export function plainDigits(text: string): string {
  if (!/[^ -~\s]/.test(text)) return text
  return text.replace(
    /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59\uff05\uff0b-\uff19]/g,
    (character) => {
      const code = character.charCodeAt(0)
      const zero = ZEROS.find((each) => code >= each && code < each + 10)
      return zero === undefined ? String.fromCharCode(code - 0xfee0) : String(code - zero)
    },
  )
}
