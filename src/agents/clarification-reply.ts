import { ordinalIndex } from '../library/index.ts'

/** Replies that resolve nothing, without punctuation. */
const emptyReplies: ReadonlySet<string> = new Set(
  `|dunno|idk|no idea|no clue|hard to say|unsure|no|yes|ok|okay|maybe|perhaps|hmm|huh|what|what do you mean|nothing|whatever|
   you decide|up to you|your choice|none|none of them|none of these|none of those|neither|neither of them`
    .split('|')
    .map((reply) => reply.trim()),
)
const notKnown = wholeReply(
  '(well |sorry |hm+ )?(i )?(really |honestly )?',
  '(dont|do not|cant|cannot|am not|im not|not) ?(really |quite |so )?',
  '(know|remember|sure|tell|understand|certain)',
  '( (which|which one|what|that|yet|sorry|either))?',
)

/** Replies that accept any document. */
const wholeLibrary = [
  wholeReply(
    '(in )?(everything|all|any|either|whichever|anything|both|every one|each)',
    '( (of (it|them|these|those|the two)|documents?|papers?|one|two|will do|is fine|works|is ok|are fine))*',
  ),
  wholeReply('(it )?(doesnt|does not) matter|(i )?(dont|do not) (mind|care)|no preference'),
]
const bothOfTwo = wholeReply('(both|the two)( (of (them|these|those)|papers|documents|ones))*')

function wholeReply(...parts: readonly string[]): RegExp {
  return new RegExp(`^(?:${parts.join('')})$`)
}

/** True for an empty reply, or "I don't know". */
export function resolvesNothing(reply: string): boolean {
  const words = plain(reply)
  return emptyReplies.has(words) || notKnown.test(words)
}

/**
 * The original question with what the reply adds to it. "Everything" leaves the question as it is; "the first one",
 * "Zhang" or "the 2021 one" pick a candidate; a reply that is a whole question of its own takes the original's place.
 */
export function mergeReply(original: string, reply: string, candidates: readonly string[]): string {
  const words = plain(reply)
  const chosen = bothOfTwo.test(words) && candidates.length === 2 ? candidates : pickedBy(words, candidates)
  if (chosen.length > 0) return withAddition(original, chosen.map((each) => titleOf(each, candidates)).join(' and '))
  if (wholeLibrary.some((pattern) => pattern.test(words))) return original
  if (isWholeQuestion(reply)) return reply.trim()
  return withAddition(original, reply.trim())
}

function withAddition(original: string, addition: string): string {
  return `${withoutEnd(original)} (${withoutEnd(addition)})?`
}

function withoutEnd(question: string): string {
  return question.replace(/(?<![?.!\s])[?.!\s]+$/, '')
}

const filler = new Set(
  `the a an one ones document documents paper papers file article study report i mean meant please number no option by
   from of in about think guess its it is that this would be want on with and or`.split(/\s+/),
)

/** Candidates that a reply picks by position, or by words that only one of them has. */
function pickedBy(words: string, candidates: readonly string[]): readonly string[] {
  const telling = words.split(' ').filter((word) => !filler.has(word))
  if (telling.length === 0) return []
  const positions = telling.map((word) => ordinalIndex(word, candidates.length))
  if (positions.every((position) => position >= 0)) return candidates.filter((_, i) => positions.includes(i))
  const matching = candidates.filter((candidate) => {
    const own = plain(candidate).split(' ')
    return telling.every((word) => own.includes(word))
  })
  return matching.length === 1 ? matching : []
}

/** A candidate without author and year, unless another one has the same title. */
function titleOf(candidate: string, candidates: readonly string[]): string {
  const title = withoutKnownBy(candidate)
  const isUnique = candidates.filter((other) => withoutKnownBy(other) === title).length === 1
  return isUnique ? title : candidate.replace(/\s\(([^()]*)\)$/, ', $1')
}

function withoutKnownBy(candidate: string): string {
  return candidate.replace(/\s\([^()]*\)$/, '')
}

/** A question of so many words can be asked on its own. */
const wordsOfAQuestion = 3

function isWholeQuestion(reply: string): boolean {
  return reply.trim().endsWith('?') && reply.trim().split(/\s+/).length >= wordsOfAQuestion
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[’']/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
