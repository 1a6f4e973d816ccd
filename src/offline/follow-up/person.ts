import type { Turn } from './conversation.ts'
import { subjectOf } from './phrases.ts'

const HUMAN =
  /(?:\b(?:Dr|Prof|Mr|Mrs|Ms)\.? )?((?<!\p{L})\p{Lu}\p{Ll}*\.? (?:(?:van|von|de|der|den|di|da|la|al|bin) |\p{Lu}\. |\p{Lu}\p{Ll}+ (?=\p{Lu}\p{Ll})){0,3}\p{Lu}\p{Ll}+(?:[-’']\p{Lu}\p{Ll}+)?)/gu
/** One more word that may belong to a name, and shows it to be a firm's: "Mill Yard Ltd". */
const LAST_WORD = /^\s+\p{Lu}\p{L}*/u
const OF_FIRM =
  /\b(?:Ltd|Limited|Inc|LLC|LLP|plc|GmbH|AG|SA|AS|Co|Corp(?:oration)?|Company|Bank|Holdings?|Group|Estates?|Partners|Trust|University|Institute|Hospital|Cooperative|Association|Council|Ministry|Street|Road|Avenue|Lane|Square|Agency|Foundation|Properties|Services|Industries)\b/
/** "Who is Marie Curie?" names the person, "Who is the tenant?" does not. */
const WHO_DID = /^\W*(?:[Bb]y\s+)?(?:[Ww]ho|[Ww]hom|[Ww]hose)\b(?!\s+(?:is|are|was|were)\s+\p{Lu})/u
const ASKS_FOR_ROLE = /^\W*who\s+(?:is|are|was|were)\s+the\s+/i
const BEHIND_ROLE = /\s(?:of|for|in|at|under|by)\b|\s“|[?.!]/i
const MOST_WORDS_OF_ROLE = 3

/** The person that a question names, or that its answer does: next to the role asked for, else first; null if none. */
export function personIn({ base, answer }: Turn): string | null {
  const subject = subjectOf(base)?.text ?? null
  const asked = subject !== null && !OF_FIRM.test(subject) ? subject : null
  if (!WHO_DID.test(base) && asked !== null) return asked
  const said = answer
    .replace(/\*\*|\[\d{1,3}\]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/^\W*(?:The|It|This|In|A)\s/u, '')
  const people = peopleIn(said)
  const role = roleAskedFor(base)
  if (role === undefined) return people[0]?.name ?? asked
  // Where the answer speaks of the role, a name elsewhere in it is another's, or a place's.
  const speaksOfRole = wordsOf(said).includes(role.toLowerCase())
  const inRole = people.find((person) => !speaksOfRole || isBeside(role, person, said))
  return inRole?.name ?? null
}

/** "secretary" in "Who is the site secretary of Tarn?". */
function roleAskedFor(question: string): string | undefined {
  const opening = ASKS_FOR_ROLE.exec(question)?.[0]
  const [role = ''] = opening === undefined ? [] : question.slice(opening.length).split(BEHIND_ROLE)
  const words = role.trim().split(/\s+/)
  const last = words.at(-1) ?? ''
  return words.length <= MOST_WORDS_OF_ROLE && /^[\p{L}-]+$/u.test(last) ? last : undefined
}

interface Person {
  readonly name: string
  readonly start: number
  readonly end: number
}

function peopleIn(text: string): readonly Person[] {
  return Array.from(text.matchAll(HUMAN), ({ 0: whole, 1: name = '', index }) => ({
    name,
    start: index,
    end: index + whole.length,
  })).filter(({ name, end }) => !OF_FIRM.test(name + (LAST_WORD.exec(text.slice(end))?.[0] ?? '')))
}

/** "Ada Lind (the Tenant)", "The tenant is Ada Lind", "Ada Lind is the tenant". */
function isBeside(role: string, { start, end }: Person, text: string): boolean {
  const wanted = role.toLowerCase()
  const after = text.slice(end).replace(/^[ ,]*\(?[“"]?(?:(?:is|was|as|the|an?) ){0,3}[“"]?/i, '')
  if (wordsOf(after)[0] === wanted && after.toLowerCase().startsWith(wanted)) return true
  const before = text.slice(0, start).toLowerCase()
  const at = before.lastIndexOf(wanted)
  const isWord = at >= 0 && !/[\p{L}\p{N}]$/u.test(before.slice(0, at))
  return isWord && LEADS_TO_NAME.test(before.slice(at + wanted.length))
}

const LEADS_TO_NAME = /^[”"]?(?: of [^.;]{1,60}?)?(?: ?[:,(]| is| was)? ?$/

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}-]+/gu) ?? []
}
