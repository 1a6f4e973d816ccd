import { fold } from './terms.ts'

/** What a unit says of its number; which measure it is, nobody asks. */
export type Unit = 'point' | 'percent' | 'times' | 'money' | 'measure'

/** Units as they are written behind a number, folded; those of several languages. */
const WRITTEN: Readonly<Record<Unit, string>> = {
  point: `percentage point, percentage points, % point, % points, pp, point, points, pts, prozentpunkt, prozentpunkte,
    prozentpunkten, points de pourcentage, point de pourcentage, puntos porcentuales, punto porcentual`,
  percent: '%, percent, per cent, prozent, pour cent, por ciento',
  times: '×, x, times, fold',
  money: `dollar, dollars, dolares, usd, us$, $, euro, euros, eur, teur, €, gbp, pounds, pfund, £, yen, jpy, ¥, franc, francs,
    franken, chf, yuan, rmb, cny, sek, kronor`,
  measure: `s, sec, secs, seconde, min, mins, minute, minutes, minuten, minuto, minutos, h, hr, hrs, hour, hours, stunde, stunden,
    heure, heures, hora, horas, day, days, tag, tage, tagen, jour, jours, dia, dias, week, weeks, woche, wochen, semaine,
    semaines, semana, semanas, month, months, monat, monate, monaten, mois, mes, meses, year, years, yr, yrs, jahr, jahre,
    jahren, ans, annee, annees, ano, anos, t, ton, tons, tonne, tonnes, tonnen, tonelada, toneladas, mile, miles, °c, ° c, °f,
    ° f, cents, centimes, centimos, pence, kilo, kilos`,
}
const UNITS: ReadonlyMap<string, Unit> = new Map(
  (Object.keys(WRITTEN) as Unit[]).flatMap((unit) =>
    WRITTEN[unit].split(/,\s+/).map((form): [string, Unit] => [form, unit]),
  ),
)

/** Measures that take a prefix, by symbol and by word: "kWh", "Kilowattstunden", "megavatios hora". */
const SYMBOL = /^[nµμmcdhkKMGT]?(?:Wh|W|VA|V|Ah|Ω|Hz|J|Pa|g|m|l|L|s|i?B|N|bar|dB)[²³]?$/u
const MEASURE = new RegExp(
  `^(?:nano|micro|mikro|milli|mili|centi|zenti|deci|kilo|mega|giga|tera)?(?:${[
    '(?:watt|vatio)s?(?:[ -]?(?:hours?|stunden?|heures?|horas?))?',
    'volts?|voltios?|gram(?:s|m|me|mes|o|os)?|lit(?:re|er)s?|litern|litros?|bytes?|octets?|hertz',
    'seconds?|sekunden?|secondes?|segundos?',
    '(?:quadrat|kubik)?metern?|(?:square |cubic )?met(?:re|er)s?|metres? (?:carres?|cubes?)',
    'metros?(?: cuadrados?| cubicos?)?',
  ].join('|')})$`,
)

/** A unit behind a number, and where its words end. */
interface UnitAt {
  readonly name: Unit
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

/** What these words or this sign say as a unit by themselves; null if they are none. */
export function unitNamed(written: string): Unit | null {
  // "Min" is no unit, "m" and "M" are not the same.
  if (SYMBOL.test(written)) return 'measure'
  const form = fold(written)
  return UNITS.get(form) ?? (MEASURE.test(form) ? 'measure' : null)
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
