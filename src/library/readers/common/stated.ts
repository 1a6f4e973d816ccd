import { wordSet } from '../../language/characters.ts'
import type { ReadDocument } from '../../port/document.ts'

const mostOfText = 4000
const mostWords = 0.75

/** What a file's properties state counts if its beginning says so too: most words of a title, every word of a name. */
export function agreesWith(text: string, stated: string, share = mostWords): boolean {
  if (isPlaceholder(stated)) return false
  const words = wordsOf(stated)
  const beginning = new Set(wordsOf(text.slice(0, mostOfText)))
  const found = words.filter((word) => beginning.has(word)).length
  return share === 0 || (found > 0 && found >= words.length * share)
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{L}{2,}/gu) ?? []
}

/** Title and authors without names that say nothing. */
export function named(document: ReadDocument): ReadDocument {
  const { title, authors } = document
  const names = authors?.value.filter((name) => !isNobody(name)) ?? []
  return {
    ...document,
    title: title && isPlaceholder(title.value) ? null : title,
    authors: authors && names.length > 0 ? { ...authors, value: names } : null,
  }
}

/** Authors and year, and the title of `properties`, without what the text does not bear out. */
export function borneOut(document: ReadDocument): ReadDocument {
  const text = document.pages.find((page) => page.text !== '')?.text ?? ''
  const { title, authors, year } = document
  const names = authors?.value.filter((name) => agreesWith(text, name, 1)) ?? []
  return {
    ...document,
    title: title && agreesWith(text, title.value, document.format === 'html' ? 0 : mostWords) ? title : null,
    authors: authors && names.length > 0 ? { ...authors, value: names } : null,
    year: year && withoutReleases(text.slice(0, mostOfText)).includes(String(year.value)) ? year : null,
  }
}

/**
 * A stated title without the name of a publisher or a site before or behind it: "Care of ponds | The Pond Group"; empty if it
 * is that name alone.
 */
export function withoutPublisher(title: string, publishers: readonly string[]): string {
  return publishers
    .filter((name) => name !== '')
    .reduce((left, name) => {
      if (sameWords(left, name)) return ''
      const [before, after] = [left.slice(0, name.length), left.slice(-name.length)]
      const rest = sameWords(after, name)
        ? /^(.*\S)\s*[|–—·:-]\s*$/u.exec(left.slice(0, -name.length))
        : sameWords(before, name)
          ? /^\s*[|–—·:-]\s*(\S.*)$/u.exec(left.slice(name.length))
          : null
      return rest?.[1] ?? left
    }, title)
}

function sameWords(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase()
}

/** The names of months, long and short, in the languages whose dates are known. */
const months: ReadonlySet<string> = new Set(
  ['en', 'de', 'fr', 'es']
    .flatMap((language) => (['long', 'short'] as const).map((month) => new Intl.DateTimeFormat(language, { month })))
    .flatMap((format) => Array.from({ length: 12 }, (_, month) => format.format(new Date(2000, month, 15))))
    .map((name) => name.replace('.', '').toLowerCase()),
)
/** The words beside the date of a line that states it: "Version 2, last updated on", "For the fiscal year ended". */
const mostWordsBeside = 6
/** From the month to the year: "July 5 - 10, 2020". */
const mostBetween = 3

/** The year of a stamp, of a date that makes a short line with its label, or of a copyright line: never one within text. */
export function statedYear(page: readonly string[]): { readonly value: number; readonly from: string } | null {
  const lines = withoutReleases(page.join('\n')).split('\n')
  const stamp = lines.filter((line) => /^arxiv:/iu.test(line)).flatMap(yearsIn)
  if (stamp.length > 0) return { value: stamp.at(-1) ?? 0, from: 'arXiv stamp' }
  const dated = [...new Set(lines.filter(isDateLine).flatMap(yearsIn))]
  // Dates that disagree are those of several versions.
  if (dated.length > 1) return null
  if (dated[0]) return { value: dated[0], from: 'date on page 1' }
  const notices = lines.flatMap((line) => line.match(/(?:©|\(c\)|copyright)[^\p{L}]{0,60}/giu) ?? [])
  // Its years run from the first version to this one.
  const held = Math.max(...notices.flatMap(yearsIn))
  return held > 0 ? { value: held, from: 'copyright line on page 1' } : null
}

/**
 * A text without the lines that date an e-book instead of the book: "Release date: August 1, 1997 [eBook #1013]", "Most recently
 * updated: 2021". Whatever does not call itself an e-book has none.
 */
export function withoutReleases(text: string): string {
  return ebook.test(text.slice(0, beginning)) ? text.replace(release, '') : text
}

const beginning = 2000
const ebook = /\be-?book\b/iu
const release = /^.{0,40}\b(?:released?|posting|posted|updated|produced|converted)\b.*$|^.*\be-?book\b.*$/gimu

/** Whether a line is a date of one year, perhaps with a label. */
export function isDateLine(line: string): boolean {
  if (new Set(yearsIn(line)).size !== 1 || /\p{Ll}\.$/u.test(line)) return false
  const tokens = line.toLowerCase().match(/\p{L}+|\d+/gu) ?? []
  const year = tokens.findIndex((token) => yearsIn(token).length > 0)
  const isDate =
    tokens.slice(Math.max(0, year - mostBetween), year).some((token) => months.has(token)) ||
    /\b(?:\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{4})\b/u.test(line)
  const beside = tokens.filter((token) => /^\p{L}{2}/u.test(token) && !months.has(token))
  return isDate && beside.length <= mostWordsBeside
}

function yearsIn(text: string): readonly number[] {
  return (text.match(/(?<!\d)(?:19|20)\d{2}(?!\d)/gu) ?? []).map(Number)
}

// What programs and templates call what has no name yet: "Untitled-1", "New Microsoft Word Document", "A Heading 1",
// "Präsentation1", "No title given". English, German, French, Spanish.
const unnamed =
  wordSet(`untitled unnamed untitle no title subtitle heading header caption given here insert enter click to edit
   master style new my your a an copy of document presentation workbook book sheet spreadsheet worksheet slide page
   slideshow file text template default blank empty temp tmp microsoft office word excel powerpoint libreoffice openoffice
   writer calc impress latex article unbenannt unbenannte unbenanntes ohne titel überschrift dokument präsentation mappe
   arbeitsmappe tabelle folie seite kopie von neues neue sans titre sin título feuille feuil classeur diapositive présentation
   copie nouveau hoja libro diapositiva presentación documento título nuevo copia`)
/** "The Book" and "Of Word" are names: one of these must be there. */
const things =
  /untitle|unnamed|title|titel|titre|título|heading|überschrift|document|dokument|documento|presentation|präsentation|présentation|presentación|mappe|book|libro|classeur|sheet|tabelle|feuil|hoja|slide|folie|diapositiv|unbenannt|page|seite|template|powerpoint|excel|word|article|blank|default/u

// Kinds of documents, and roles: "Reference Manual" by "Manual", "User".
const kinds = wordSet(`manual manuals guide guides handbook reference references user users user's users' report reports
   documentation docs paper thesis dissertation volume edition draft version release tutorial introduction overview
   notes readme faq lecture slides appendix supplement supplementary material summary abstract contents datasheet
   specification standard technical quick start getting started installation developer developer's programmer
   programmer's author authors editor editors name unknown anonymous admin administrator owner root guest student the
   handbuch anleitung bericht benutzer autor verfasser unbekannt manuel guide rapport auteur utilisateur inconnu
   informe usuario desconocido`)

const programFile = /\.(?:docx?|docm|odt|rtf|dvi|tex|ps|eps|pdf|indd|qxd|pptx?|odp|key|xlsx?|xlsm|ods|wpd)$/iu
const otherFile = /^\S+\.(?:[a-z]{1,3}html?|html?|xml|md|markdown|txt|csv|tsv|epub|eml|json|ya?ml|png|jpe?g|tiff?)$/iu
const printedFrom = /^microsoft (?:office )?(?:word|excel|powerpoint)\s?[-–—]/iu

/** Whether a title says nothing of the document: the name of a file, or what a program calls what has no name yet. */
export function isPlaceholder(title: string): boolean {
  const line = title.trim()
  if (programFile.test(line) || otherFile.test(line) || printedFrom.test(line)) return true
  const words = nameWords(line)
  return words.every((word) => unnamed.has(word)) && (words.length === 0 || things.test(words.join(' ')))
}

/** Whether nobody is called so: by the kind of the document, a role, a program, a file, an address, or without a letter. */
export function isNobody(name: string): boolean {
  return (
    isPlaceholder(name) || /[@/\\]/u.test(name) || nameWords(name).every((word) => kinds.has(word) || unnamed.has(word))
  )
}

/** In small letters, without numbers. */
function nameWords(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{L}[\p{L}'’]*/gu) ?? []
}
