import { wordSet } from '../../language/characters.ts'

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
  const words = wordsOf(line)
  return words.every((word) => unnamed.has(word)) && (words.length === 0 || things.test(words.join(' ')))
}

/** Whether nobody is called so: by the kind of the document, a role, a program, a file, an address, or without a letter. */
export function isNobody(name: string): boolean {
  return (
    isPlaceholder(name) || /[@/\\]/u.test(name) || wordsOf(name).every((word) => kinds.has(word) || unnamed.has(word))
  )
}

/** In small letters, without numbers. */
function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{L}[\p{L}'’]*/gu) ?? []
}
