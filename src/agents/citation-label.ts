import { basename } from 'node:path'
import { tableNamedIn } from '../library/table-name.ts'
import type { Observation } from '../tools/tool.ts'

const longestTitle = 60

/**
 * How a footnote names its place: "Zhang et al., 2021, Table 2, p. 5"; without authors the title, then the file name.
 * The page is called what is printed on it, where the file says so. A document without pages has its section instead.
 */
export function citationLabel(observation: Observation): string {
  const { year, source, origin } = observation
  const place =
    origin === 'web' ? [hostOf(source)] : [tableOf(observation), pageOf(observation) ?? sectionOf(observation)]
  return [whose(observation), year ? String(year) : null, ...place].filter((part) => part !== null).join(', ')
}

function whose({ authors, title, source, origin }: Observation): string {
  const [first, second, ...rest] = authors.filter((name) => name.trim() !== '').map(surname)
  if (first && !second) return first
  if (first && second && rest.length === 0) return `${first} and ${second}`
  if (first) return `${first} et al.`
  if (title) return shortened(title)
  return origin === 'web' ? source : basename(source)
}

// What an organisation's name holds and a person's does not.
const ORGANISATION =
  /\b(?:of|for|the|inc|ltd|llc|gmbh|ag|corp|corporation|company|organi[sz]ation|institut\w*|universit\w+|college|group|team|agency|ministry|committee|council|association|foundation|society|contributors|consortium|collaboration|office|bank|department|commission|laborator\w+|cent(?:er|re)|press|project|network|authority|bureau|service|services)\b/i
const PARTICLE = /^(?:van|von|der|den|de|del|della|di|da|dos|das|du|la|le|ter|ten|zu|zum|zur|bin|ibn|al|el)$/
const SUFFIX = /^(?:jr|sr|i{2,3}|iv|phd|ph\.d|md|m\.d)\.?$/i

/** By what a person is cited, with the particles before it ("van der Berg"); the whole name of an organisation. */
function surname(name: string): string {
  const whole = name.trim()
  if (ORGANISATION.test(whole)) return shortened(whole)
  const [beforeComma = '', afterComma = ''] = whole.split(/\s*,\s*/)
  if (afterComma !== '' && !SUFFIX.test(afterComma)) return beforeComma
  const words = beforeComma.split(/\s+/).filter((word) => !SUFFIX.test(word))
  // Chinese, Japanese and Korean names begin with the surname.
  if (/^[\p{Script=Han}\p{Script=Hangul}]/u.test(beforeComma)) return words[0] ?? whole
  const particles = words.slice(1, -1).findIndex((word) => PARTICLE.test(word))
  return (particles < 0 ? words.slice(-1) : words.slice(1 + particles)).join(' ') || whole
}

function tableOf({ kind, table, text, section }: Observation): string | null {
  if (kind !== 'table') return null
  return table ?? tableNamedIn(text) ?? tableNamedIn(section?.split(' > ').at(-1) ?? '')
}

const withoutPages: ReadonlySet<Observation['format']> = new Set(['docx', 'html', 'markdown', 'text'] as const)
/** "iv", "S12", "1024"; whatever is longer is no page's name. */
const plainLabel = /^[\p{L}\p{N}][\p{L}\p{N}.:-]{0,9}$/u

/** Such documents are told by their sections; "page 1" would say nothing. */
export function isWithoutPages({ format, origin }: Observation): boolean {
  return origin === 'web' || withoutPages.has(format)
}

function pageOf(observation: Observation): string | null {
  const { page, pageLabel } = observation
  if (isWithoutPages(observation)) return null
  const label = pageLabel?.trim() ?? ''
  return `p. ${plainLabel.test(label) ? label : page}`
}

/** The innermost heading, unless it only repeats the title. */
function sectionOf({ section, title }: Observation): string | null {
  const heading = section?.split(' > ').at(-1)?.trim()
  return heading && heading !== title?.trim() ? `§ ${shortened(heading)}` : null
}

/** The beginning of a long text, up to the end of a word. */
function shortened(text: string): string {
  const characters = [...text.replace(/\s+/g, ' ').trim()]
  if (characters.length <= longestTitle) return characters.join('')
  // With the character that follows, which may show that the last word is whole.
  const beginning = characters.slice(0, longestTitle + 1).join('')
  const words = beginning.slice(0, Math.max(0, beginning.lastIndexOf(' '))).replace(/[\s,;:.–—-]+$/u, '')
  // Scripts without spaces, and names without end, are cut where they must be.
  return `${words || characters.slice(0, longestTitle - 1).join('')}…`
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
