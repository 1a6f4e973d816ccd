import { CLEAR, goesOn } from '../follow-up/standalone-question.ts'
import { namesIn } from '../language/names.ts'
import { findPronoun } from '../language/pronouns.ts'

// Words that tell one question from another no better than a pronoun does.
const GENERIC = new Set(
  `approach approaches method methods way ways one ones thing things option options technique techniques solution idea
   ideas best good better key top great important overview detail details info information summary everything stuff
   paper papers document documents article articles study studies report reports file files text use using used apply
   compare compared comparison difference differences differ similar more tell summarize summarise elaborate continue
   first second third last other next previous latest newest thoughts opinion work works
   help know think look go make do better worse worst biggest largest smallest please safe responsible liable accountable`.split(
    /\s+/,
  ),
)
// What every study, report or contract has: asking for it says nothing about which one is meant.
const EVERY_DOCUMENT_HAS = new Set(
  `accuracy advantage advantages aim aims analysis author authors baseline baselines budget chapter conclusion conclusions contribution
   contributions cost costs data dataset datasets date design disadvantage disadvantages drawbacks duration evaluation experiment experiments goal goals
   hypothesis length limitation limitations measure metric metrics model models number objective outcome outcomes
   participants performance population price procedure purpose question recall precision sample score scores setting
   setup size subjects system table test tests title topic total training value version year published reported report
   result results finding findings reach reached achieve achieved propose proposed conducted developed included main`.split(
    /\s+/,
  ),
)

function isGeneric(word: string): boolean {
  return GENERIC.has(word) || GENERIC.has(word.replace(/s$/, ''))
}

function everyDocumentHas(word: string): boolean {
  return EVERY_DOCUMENT_HAS.has(word) || EVERY_DOCUMENT_HAS.has(word.replace(/s$/, ''))
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
  const specific = words.filter((word) => !isGeneric(word))
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
  const anyDocument = specific.every(everyDocumentHas)
  const pronoun = anyDocument || specific.length >= CLEAR ? null : findPronoun(question)
  if (pronoun) return [`what “${pronoun}” refers to`]
  return anyDocument || UNNAMED_DOCUMENT.test(question) ? [WHICH_DOCUMENT] : []
}
