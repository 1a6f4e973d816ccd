import { oneLine, wordsIn } from '../../language/characters.ts'

/**
 * The persons that a byline names: "A. Ada and B. Bo, Pond Group" are two, the group is none of them. A byline that is
 * not clearly a list of names stays as it is: "Duck, Ada", "Simon and Schuster".
 */
export function authorNames(byline: string): readonly string[] {
  const line = oneLine(byline)
  const parts = line.split(/ ?; ?|,? (?:and|und|et|&) /u).flatMap(namesBetweenCommas)
  const persons = parts.filter((part) => !isOrganisation(part))
  const isList = persons.length > 0 && !isOrganisation(parts[0] ?? '') && persons.every(isPerson)
  return isList ? persons : line.split(/ ?; ?/u)
}

/** "Ada Duck, Bo Heron" are two names, "Duck, Ada" is one. */
function namesBetweenCommas(part: string): readonly string[] {
  const names = part.split(/ ?, ?/u).filter((name) => name !== '')
  return names.every((name) => isOrganisation(name) || isFullName(name)) ? names : [part]
}

function isPerson(name: string): boolean {
  return isFullName(name) || /^\p{Lu}[^,]*,\s*\p{Lu}/u.test(name)
}

/** Two to five words with capitals, small ones such as "van der" between them. */
function isFullName(name: string): boolean {
  return /^\p{Lu}[\p{L}.'’-]*(?:\s+(?:\p{Lu}[\p{L}.'’-]*|v[ao]n|de[rnl]?|d[aiou]|la|le|ten|bin|al|zu)){1,4}$/u.test(
    name,
  )
}

const lead = /^(?:by|von|par|por|and|und|et|y|e)\s+/iu

/** The full names that a printed line consists of, marks of footnotes between them; none if there is anything else. */
export function printedNames(printed: string): readonly string[] {
  const line = printed.replace(/[(<][^\s()<>]{1,80}@[^\s()<>]{1,80}[)>]/gu, '')
  if (line.length > 500 || /[@{}()[\]:]/u.test(line)) return []
  const parts = line
    .replace(lead, '')
    .replace(/(?:\p{Lm}|[^\p{L}\p{M}\s.'’-])+/gu, ',')
    .split(/,|\s(?:and|und|et|y|e)\s/u)
    .map((part) => part.trim().replace(lead, ''))
    .filter((part) => part !== '')
  return parts.every((part) => isFullName(part) && !isOrganisation(part)) ? parts : []
}

// What an organisation's name holds and a person's does not.
const WORDS =
  /\b(?:and|of|for|the|inc|ltd|limited|llc|plc|gmbh|ag|kg|se|sa|corp|corporation|co|company|companies|holdings?|organi[sz]ation|institut\w*|universit\w+|college|school|academy|museum|librar(?:y|ies)|hospital|clinic|groups?|agency|ministry|committee|council|parliament|government|association|foundation|trust|fund|society|union|federation|alliance|club|church|co-?operatives?|contributors?|team|authors|community|initiative|faculty|editors?|staff|consortium|collaboration|partners(?:hip)?|office|bank|insurance|department|division|commission|board|court|laborator\w+|labs?|labware|cent(?:er|re)|press|publish(?:ers|ing)|media|studios?|project|network|authority|bureau|services?|systems?|software|hardware|technolog(?:y|ies)|technik|solutions|instruments?|industries|manufacturing|engineering|electronics|robotics|pharma\w*|chemicals|energy|water|power|motors|works|logistics|railways?|airlines|ferries|verein|stiftung|amt|soci[eé]t[eé]|verlag)\b/iu

/**
 * Whether an author is an organisation, whose name is cited whole: by the words of the name, or because the title begins
 * with its first word, as a maker's manual does ("Meridian M40 Centrifuge" by "Meridian Labware").
 */
export function isOrganisation(name: string, title: string | null = null): boolean {
  const whole = name.trim()
  if (WORDS.test(whole)) return true
  const [first = '', ...others] = wordsIn(whole)
  return others.length > 0 && /^\p{Lu}[\p{L}\p{N}-]{2,}$/u.test(first) && (title ?? '').split(/[\s:,]+/u)[0] === first
}
