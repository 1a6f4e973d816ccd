import { basename } from 'node:path'
import type { Citation, Observation } from '../../events/index.ts'
import {
  endWithout,
  hasPages,
  isOrganisation,
  oneLine,
  pageName,
  tableNamedIn,
  wordSet,
  wordsIn,
} from '../../library/index.ts'

const longestTitle = 60

/**
 * How a footnote names its place: "Zhang et al., 2021, Table 2, p. 5"; without authors by title, else by file name. The key that
 * references give the document stands before it: "zhang2021 — Zhang et al., 2021". Where another document `among` these has the
 * same name, title or file name is added. The page is the printed one, if known, with the file's where it is another. A document
 * without pages has its section instead. A single cell that is quoted is named: "Net revenue, Q1 2023, USD million".
 */
export function citationLabel(
  observation: Observation,
  among: readonly Observation[] = [],
  table?: Citation['table'],
): string {
  const { source, origin } = observation
  const place =
    origin === 'web'
      ? [hostOf(source)]
      : [tableOf(observation), cellIn(table), pageOf(observation) ?? sectionOf(observation)]
  const label = [called(observation), distinctionFrom(observation, among), ...place].filter((part) => part !== null)
  return `${observation.key ? `${observation.key} — ` : ''}${label.join(', ')}`
}

/** With the year, unless the name says it: "Costco Wholesale, 10-K 2021". */
function called(observation: Observation): string {
  const [name, year] = [whose(observation), String(observation.year ?? '')]
  return year === '' || name.includes(year) ? name : `${name}, ${year}`
}

/** Where another document is called the same: its title; where that is the same too, its file name, or its path. */
function distinctionFrom(observation: Observation, among: readonly Observation[]): string | null {
  const { documentId, title, source, origin } = observation
  const name = called(observation)
  const others = among.filter((other) => other.documentId !== documentId && called(other) === name)
  if (others.length === 0 || origin === 'web') return null
  if (title && !name.startsWith(shortened(title)) && others.every((other) => other.title !== title)) {
    return `“${shortened(title)}”`
  }
  return others.every((other) => basename(other.source) !== basename(source)) ? basename(source) : source
}

function whose({ authors, title, source, origin }: Observation): string {
  const [first, second, ...rest] = authors.filter((name) => name.trim() !== '').map((name) => nameCited(name, title))
  if (first && !second) return first
  if (first && second && rest.length === 0) return `${first} and ${second}`
  if (first) return `${first} et al.`
  if (title) return shortened(title)
  return origin === 'web' ? source : basename(source)
}

const PARTICLES = wordSet('van von der den de del della di da dos das du la le ter ten zu zum zur bin ibn al el')
const SUFFIXES = wordSet('jr sr ii iii iv phd ph.d md m.d jr. sr. ii. iii. iv. phd. ph.d. md. m.d.')

/** A person's surname with its particles ("van der Berg"); the whole name of an organisation. */
function nameCited(name: string, title: string | null): string {
  const whole = name.trim()
  if (isOrganisation(whole, title)) return shortened(whole)
  const [beforeComma = '', afterComma = ''] = whole.split(',').map((part) => part.trim())
  if (afterComma !== '' && !SUFFIXES.has(afterComma.toLowerCase())) return beforeComma
  const words = wordsIn(beforeComma).filter((word) => !SUFFIXES.has(word.toLowerCase()))
  // Chinese, Japanese and Korean names begin with the surname.
  if (/^[\p{Script=Han}\p{Script=Hangul}]/u.test(beforeComma)) return words[0] ?? whole
  const particles = words.slice(1, -1).findIndex((word) => PARTICLES.has(word))
  return (particles < 0 ? words.slice(-1) : words.slice(1 + particles)).join(' ') || whole
}

function tableOf({ kind, table, text, section }: Observation): string | null {
  if (kind !== 'table') return null
  return table ?? tableNamedIn(text) ?? tableNamedIn(section?.split(' > ').at(-1) ?? '')
}

/** The row, column, period and unit of the only cell that is quoted beside the row's name. */
function cellIn(table: Citation['table']): string | null {
  if (!table?.row || table.column === null || table.rows.length !== 1) return null
  const { row, column, period, unit } = table
  const names = [row, ...column]
  const further = [period, unit].filter((each) => each !== null && !names.some((name) => name.includes(each)))
  const place = shortened([...column, ...further].join(', '))
  return place === '' ? shortened(row) : `${shortened(row, longestRow)}, ${place}`
}

/** Characters of a row's name that leave room for its column. */
const longestRow = 40

/** Such documents are cited by section. */
export function isWithoutPages({ format, origin, page }: Observation): boolean {
  return origin === 'web' || (format !== undefined && !hasPages(format, page))
}

function pageOf(observation: Observation): string | null {
  return isWithoutPages(observation) ? null : pageName(observation.page, observation.pageLabel)
}

/** The innermost heading, unless it only repeats the title. */
function sectionOf({ section, title }: Observation): string | null {
  const heading = section?.split(' > ').at(-1)?.trim()
  return heading && heading !== title?.trim() ? `§ ${shortened(heading)}` : null
}

/** The beginning of a long text, up to the end of a word. */
function shortened(text: string, longest = longestTitle): string {
  const characters = [...oneLine(text)]
  if (characters.length <= longest) return characters.join('')
  // With the character that follows, which may show that the last word is whole.
  const beginning = characters.slice(0, longest + 1).join('')
  const whole = beginning.slice(0, Math.max(0, beginning.lastIndexOf(' ')))
  const words = whole.slice(
    0,
    endWithout(whole, (character) => ' ,;:.–—-'.includes(character)),
  )
  // Scripts without spaces, and long words, are cut anywhere.
  return `${words || characters.slice(0, longest - 1).join('')}…`
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
