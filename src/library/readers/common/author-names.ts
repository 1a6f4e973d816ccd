/**
 * The persons that a byline names: "A. Ada and B. Bo, Pond Group" are two, the group is none of them. A byline that is
 * not clearly a list of names stays as it is: "Duck, Ada", "Simon and Schuster".
 */
export function authorNames(byline: string): readonly string[] {
  const line = byline.replace(/\s+/gu, ' ')
  const parts = line.split(/ ?; ?|,? (?:and|&) /u).flatMap(namesBetweenCommas)
  const persons = parts.filter((part) => !isGroup(part))
  const isList = persons.length > 0 && !isGroup(parts[0] ?? '') && persons.every(isPerson)
  return isList ? persons : line.split(/ ?; ?/u)
}

/** "Ada Duck, Bo Heron" are two names, "Duck, Ada" is one. */
function namesBetweenCommas(part: string): readonly string[] {
  const names = part.split(/ ?, ?/u).filter((name) => name !== '')
  return names.every((name) => isGroup(name) || isFullName(name)) ? names : [part]
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

function isGroup(name: string): boolean {
  return GROUP.test(name)
}

const GROUP =
  /\b(?:group|team|contributors?|consortium|collaboration|collective|authors|project|community|initiative|inc|llc|ltd|gmbh|company|corporation|corp|university|universit\p{L}+|institut\p{L}*|laborator\p{L}+|labs?|department|division|school|faculty|cent(?:er|re)|foundation|committee|council|commission|agency|office|society|association|organi[sz]ation|press|publishers?|editors?|staff)\b/iu
