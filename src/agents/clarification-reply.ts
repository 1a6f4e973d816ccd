/** Replies that leave the question as open as it was. Compared as a whole, without punctuation. */
const emptyReplies: ReadonlySet<string> = new Set([
  '',
  'i dont know',
  'i do not know',
  'dont know',
  'dunno',
  'idk',
  'no idea',
  'not sure',
  'im not sure',
  'i am not sure',
  'unsure',
  'whatever',
  'no',
  'yes',
  'ok',
  'okay',
  'maybe',
  'hmm',
  'huh',
  'what',
  'what do you mean',
  'i dont understand',
  'nothing',
  'none',
  'you decide',
  'up to you',
])

const wholeLibrary =
  /^(everything|all|all of (it|them|these|those)|any|any of (it|them)|both|every one|each( of them)?)$/
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth']
const lastOrdinal = 'last'

/** True for a reply that does not help: empty, "I don't know", "whatever". */
export function resolvesNothing(reply: string): boolean {
  return emptyReplies.has(plain(reply))
}

/**
 * The original question with what the reply adds to it. "Everything" leaves the question as it is; "the first one"
 * picks a candidate; a reply that is a whole question of its own takes the place of the original.
 */
export function mergeReply(original: string, reply: string, candidates: readonly string[]): string {
  const words = plain(reply)
  if (wholeLibrary.test(words)) return original
  const chosen = candidateNamed(words, candidates) ?? reply.trim()
  if (isWholeQuestion(reply)) return reply.trim()
  return `${original.replace(/[?.!\s]+$/, '')} (${chosen.replace(/[?.!\s]+$/, '')})?`
}

function candidateNamed(words: string, candidates: readonly string[]): string | undefined {
  const match = /^(?:the )?(\w+)(?: one| document| paper| file)?$/.exec(words)
  if (!match) return undefined
  if (match[1] === lastOrdinal) return candidates.at(-1)
  const digit = /^[1-5]$/.test(match[1] ?? '') ? Number(match[1]) - 1 : ordinals.indexOf(match[1] ?? '')
  return digit < 0 ? undefined : candidates[digit]
}

/** Long enough to be asked on its own; a short one is still a reply. */
const wordsOfAQuestion = 5

function isWholeQuestion(reply: string): boolean {
  return reply.trim().endsWith('?') && plain(reply).split(' ').length >= wordsOfAQuestion
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[’']/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
