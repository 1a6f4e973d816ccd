import { oneLine } from '../../language/characters.ts'
import { isOrganisation } from '../../language/organisation.ts'

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
