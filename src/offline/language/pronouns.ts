import { namesIn } from './names.ts'

export interface Pronoun {
  readonly text: string
  readonly start: number
  readonly end: number
}

const PRONOUN = /\b(it|its|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|one)\b/gi
// "How long does it take", "is it possible": such an "it" stands for nothing.
const EMPTY_IT =
  /^it\s+(takes?(?!\s+(?:effect|place)\b)|took(?!\s+(?:effect|place)\b)|costs?|means?|mean|possible|true|false|likely|necessary|important|(?:safe|legal)(?!\W*$)|common|rain\w*|snow\w*|matters?|helps? to|better|best)\b/i
// "Is it allowed to sublet a room?": it stands for what follows.
const BE = /\b(is|was|be|been)\s+$/i
const FORETELLS = /^\s+(not\s+)?[\p{L}-]+\s+(to|that|if|when|how|whether|for\s[\p{L}\s-]{3,30}\sto)\s/iu
const AUXILIARY = /\b(do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|may|might)\s+$/i
// "Is that more than the year before?"
const COMPARED = /^\s+(more|less|fewer|higher|lower|greater|larger|smaller|better|worse|faster|slower|the same)\b/i
const GENERIC_HEAD =
  /^\s+(one|ones|thing|things|approach|approaches|method|methods|technique|result|results|number|numbers|figure|value|claim|case|part|point|idea|model|models|dataset|datasets|experiment|experiments|two|three)\b/i

/** A text that explains nothing within so many characters is no question. */
const MOST_CHARACTERS = 1000

/**
 * The first pronoun whose meaning the question itself does not give; null if there is none. A pronoun is explained by
 * a name or noun before it in another clause; as the subject of the question ("What accuracy did they report?") only by
 * what stands before the question word.
 */
export function findPronoun(question: string): Pronoun | null {
  for (const match of question.slice(0, MOST_CHARACTERS).matchAll(PRONOUN)) {
    const pronoun = { text: match[0], start: match.index, end: match.index + match[0].length }
    if (isPronoun(question, pronoun) && !isExplained(question, pronoun)) return pronoun
  }
  return null
}

function isPronoun(question: string, { text, start, end }: Pronoun): boolean {
  const before = question.slice(0, start)
  const after = question.slice(end)
  const word = text.toLowerCase()
  if (word === 'it') return !EMPTY_IT.test(question.slice(start)) && !(BE.test(before) && FORETELLS.test(after))
  if (word === 'one') return standsForOne(before, after)
  if (/^(this|that|these|those)$/.test(word)) {
    // "that" after a noun opens a clause, and "this year" says what it means.
    return (
      GENERIC_HEAD.test(after) ||
      /^\W*$/.test(after) ||
      (AUXILIARY.test(before) && (/^\s+(?:\p{L}+[^\p{L}\p{N}]*)?$/u.test(after) || COMPARED.test(after)))
    )
  }
  return true
}

/** "the second one", "which one is faster"; not "which one of the two". */
function standsForOne(before: string, after: string): boolean {
  if (/\bwhich\s+$/i.test(before)) return !/^\s+of\b/.test(after)
  return /\b(first|second|third|last|other|previous|former|latter|this|that)\s+$/i.test(before) && /^\W*$/.test(after)
}

function isExplained(question: string, { text, start }: Pronoun): boolean {
  const before = question.slice(0, start)
  if (namesIn(before).length > 0) return true
  if (EXISTS.test(before)) return false
  if (ANYONE.test(before) || (POSSESSIVE.test(text) && WHO_DOES.test(before))) return true
  const auxiliary = AUXILIARY.exec(before)
  // As the subject of its clause it cannot stand for the words that the clause asks for.
  const clause = auxiliary ? before.slice(0, lastQuestionWord(before.slice(0, auxiliary.index))) : before
  return NOUN_BEFORE.test(clause) || isAskedBefore(clause)
}

function lastQuestionWord(text: string): number {
  const last = [...text.matchAll(/\b(what|which|who|whom|whose|when|where|why|how)\b/gi)].at(-1)
  return last?.index ?? text.length
}

// "Is there a limit to it?": what is asked for is not what "it" stands for.
const EXISTS = /^\W*(is|are|was|were) there\s+(an?|any|some|no)\s+[\p{L}-]+\s+(to|for|in|on|of|with|about|from)\s+$/iu

// "people … their issue", "jobs that miss their deadline", "Who may not require that its teachers".
const ANYONE =
  /\b(?:people|persons?|someone|somebody|anyone|anybody|everyone|everybody)\b|(?<=[\p{L}-]{2})s\s+(?:that|who|which)\b/iu
const POSSESSIVE = /^(its|their|his|her)$/i
const WHO_DOES = /^\W*who\s+(?!(is|are|was|were|do|does|did)\b)/i

// A noun with its article or number, or a subject with its verb, earlier in the question.
const NOUN_BEFORE =
  /\b(a|an|the|each|every|some|many|most|all|two|three|several|\d+)\s+[\p{L}-]{3,}\b|\b(do|does|did|is|are|was|were|of|for|about|if|when|whether)\s+(?!it\b|its\b|they\b|them\b|their\b|this\b|that\b|more\b)[\p{L}-]{4,}\b/iu

// "Which methods lost nothing, and how do they": what an earlier clause asks for, up to where it ends.
const ASKED =
  /\b(?:which|what)\s+(?!(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|of|it|they)\b)[\p{L}-]{3,}/iu
const CLAUSE_BEGINS = /^\s*(?:but\s+)?(?:how|what|which|why|when|where|who)\b/i

function isAskedBefore(text: string): boolean {
  const asked = ASKED.exec(text)
  const clauses = asked ? text.slice(asked.index + asked[0].length).split(/[,;?]|\band\b/i) : []
  return (
    clauses.slice(1).some((clause) => CLAUSE_BEGINS.test(clause)) || (clauses.length > 1 && !clauses.at(-1)?.trim())
  )
}
