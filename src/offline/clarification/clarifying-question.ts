import { wordSet } from '../../library/index.ts'
import type { AgentTask } from '../../models/index.ts'
import { CLEAR, findPronoun, goesOn } from '../follow-up/standalone-question.ts'
import { namesIn } from '../language/names.ts'

type ClarificationTask = Extract<AgentTask, { agent: 'clarification' }>

/** One short question that names what is missing, and the documents it may be about. */
export function clarifyingQuestion({ missingContext, candidates }: ClarificationTask): string {
  const names = [...new Set(shortNames(candidates))]
  // One choice is none.
  const choices = names.length > 1 ? orList(names) : ''
  const missing = missingContext[0] ?? 'what you would like to know'
  if (missing === WHICH_DOCUMENT && choices) return `Which document do you mean: ${choices}?`
  return choices ? `Could you tell me ${missing}, perhaps ${choices}?` : `Could you tell me ${missing}?`
}

const KNOWN_BY = /^(.+?)(\s\([^()]*\))?$/s

/** Titles in quotes, without their subtitles where they differ all the same; then author and year. */
function shortNames(candidates: readonly string[]): readonly string[] {
  const parts = candidates.map((candidate) => {
    const [, title = candidate, knownBy = ''] = KNOWN_BY.exec(candidate) ?? []
    return { title, short: shortTitle(title), knownBy }
  })
  return parts.map(({ title, short, knownBy }) => {
    const isUnique = parts.filter((other) => other.short === short).length === 1
    return `“${isUnique ? short : title}”${knownBy}`
  })
}

function shortTitle(title: string): string {
  const [main = title] = title.split(/:\s/)
  return main.length >= 3 ? main : title
}

function orList(items: readonly string[]): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`
}

// Words that tell one question from another no better than a pronoun does.
const GENERIC = wordSet(
  `approach approaches method way one thing option technique solution idea best good better key top great
   important overview detail info information summary everything stuff paper document article study studies
   report file text use using used apply compare compared comparison difference differ similar more tell
   summarize summarise elaborate continue first second third last other next previous latest newest thoughts
   opinion work help know think look go make do worse worst biggest largest smallest please safe responsible
   liable accountable`,
)
// What every study, report or contract has: asking for it says nothing about which one is meant.
const EVERY_DOCUMENT_HAS = wordSet(
  `accuracy advantage aim analysis author baseline budget chapter conclusion contribution cost data dataset date
   design disadvantage drawbacks duration evaluation experiment goal hypothesis length limitation measure metric
   model number objective outcome participants performance population price procedure purpose question recall
   precision sample score setting setup size subjects system table test title topic total training value version
   year published reported report result finding reach reached achieve achieved propose proposed conducted
   developed included main`,
)

function holds(words: ReadonlySet<string>, word: string): boolean {
  return words.has(word) || words.has(word.replace(/s$/, ''))
}

const COMPARISON = /\b(compare[ds]?|comparison|differences?|differ|versus|vs)\b/i
const UNNAMED_DOCUMENT =
  /\b(?:the|this|that)\s+(paper|document|article|study|report|file|pdf|book|text)\b(?!\s+(?:by|of|on|about|titled|called|named|from|with|that|which)\b)/i

/** Said to be polite; nothing is asked. */
const GREETING =
  /^\W*(hi|hello|hey|thanks|thank you|good (morning|afternoon|evening|day)|bye|goodbye)\b(\W+(there|all|everyone|again|quaero|so much|a lot|very much|you))*\W*$/i

/** What is missing where several documents could answer. */
export const WHICH_DOCUMENT = 'which document is meant'

export interface Surroundings {
  /** Content words of the question, folded. */
  readonly words: readonly string[]
  /** How many documents the question may be about. */
  readonly documents: number
}

/** What a question leaves open, in words that complete "I need to know …"; empty if it can be searched for as it is. */
export function missingContext(question: string, { words, documents }: Surroundings): readonly string[] {
  if (GREETING.test(question)) return ['what you would like to know from the documents']
  if (namesIn(question).length > 0) return []
  if (goesOn(question)) return [`what “${question.trim().replace(/[?.!]{1,9}$/, '')}” refers to`]
  if (words.length === 0) return ['what the question is about']
  const specific = words.filter((word) => !holds(GENERIC, word))
  if (specific.length === 0) return unspecific(question, documents)
  // With one document at hand, "they" are its authors and "the paper" is that document.
  return documents > 1 ? unnamed(question, specific) : []
}

function unspecific(question: string, documents: number): readonly string[] {
  if (COMPARISON.test(question)) return ['which things should be compared']
  const pronoun = findPronoun(question)
  if (pronoun) return [`what “${pronoun}” refers to`]
  if (UNNAMED_DOCUMENT.test(question)) return [documents > 1 ? WHICH_DOCUMENT : 'what you want to know about it']
  if (/\b(best|better|worst|top|most|latest|biggest|largest)\b/i.test(question)) {
    return ['for which task or topic, and by which measure']
  }
  return ['which subject is meant']
}

function unnamed(question: string, specific: readonly string[]): readonly string[] {
  const anyDocument = specific.every((word) => holds(EVERY_DOCUMENT_HAS, word))
  const pronoun = anyDocument || specific.length >= CLEAR ? null : findPronoun(question)
  if (pronoun) return [`what “${pronoun}” refers to`]
  return anyDocument || UNNAMED_DOCUMENT.test(question) ? [WHICH_DOCUMENT] : []
}
