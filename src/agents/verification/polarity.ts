import { tokens } from '../../library/terms.ts'
import { baseForm, baseForms } from './word-forms.ts'

/**
 * What makes a sentence say the opposite of its quotes, in words for whoever wrote it; null if nothing does. Only what
 * shows in the words: a "not" that the quotes lack or have at the same word, and "increase" for "decrease". English
 * only; a sentence that turns a quote round by other words ("all survived" for "none was lost") is let pass.
 */
export function contradiction(sentence: string, quotes: readonly string[], passages: readonly string[]): string | null {
  return negationAdded(sentence, quotes, passages) ?? negationLost(sentence, quotes) ?? reversal(sentence, quotes)
}

const NEGATORS: ReadonlySet<string> = new Set(
  'not no never none neither nor nothing nobody cannot without nowhere hardly barely scarcely'.split(' '),
)
/** Words that may say "not" by themselves, or stand where a "not" says the same: after them nothing is concluded. */
const CUES =
  /\b(?:only|except|exclud\w+|lack\w*|absen\w+|miss\w+|fail\w*|few|fewer|little|less|least|zero|rare\w*|instead|rather|unlike|but|however|although|though|whereas|while|unless|until|avoid\w*|prevent\w*|refus\w+|reject\w*|den(?:y|ied|ies)|stop\w*|drop\w*|remov\w+|skip\w*|ignor\w+|omit\w*|los(?:t|e|es|s|ing)|alone|same|still|stays?|stayed|remain\w*|constant|unchanged|equal\w*|flat|independent\w*|free|too|impossible|different|differ\w*|beyond|against|minus|nil|empty|outside|wrong\w*|false\w*|forbid\w*|forbidden|disabl\w+|declin\w+|dis\w{4,}|un\w{4,}|non-\w+|in(?:valid|complete|correct|dependent|ability|sufficient|adequate|consistent|frequent|visible|effective)\w*|im(?:possible|perfect|proper)\w*|worse|wors\w+|weak\w*|neg\w+|short of|far from|no longer)\b/i

function isNegated(text: string): boolean {
  return negatedForms(text).length > 0 || tokens(text).some(({ word }) => NEGATORS.has(word))
}

/** Base forms of up to three words that follow a negator closely: "did not [change recall]". */
function negatedForms(text: string): readonly string[] {
  const plain = text.replace(/\b(\p{L}+)n['’]t\b/giu, '$1 not')
  const clauses = plain.split(/[,;:.!?()]|\b(?:but|and|or|while|whereas|because|since|if|when)\b/i)
  return clauses.flatMap((clause) => {
    const words = tokens(clause).map(({ word }) => word)
    const at = words.findIndex((word) => NEGATORS.has(word))
    return at < 0
      ? []
      : words
          .slice(at + 1)
          .filter(isMeaningful)
          .slice(0, 2)
          .map(baseForm)
  })
}

const SMALL: ReadonlySet<string> = new Set(
  'a an the be been being is are was were have has had do does did of to in on by at for with it its their any more than yet also ever been so very just'.split(
    ' ',
  ),
)

function isMeaningful(word: string): boolean {
  return !SMALL.has(word)
}

/** The sentence denies what its quotes state, and nothing around the quotes is of a negative kind. */
function negationAdded(sentence: string, quotes: readonly string[], passages: readonly string[]): string | null {
  const denied = negatedForms(sentence)
  if (!isNegated(sentence) || quotes.some((quote) => isNegated(quote) || CUES.test(quote))) return null
  const stated = new Set(quotes.flatMap(baseForms))
  const isStated = denied.some((form) => stated.has(form))
  const isAnywhere = passages.some((passage) => isNegated(passage) || CUES.test(passage))
  return isStated || !isAnywhere ? 'it says "not" where its quotes do not' : null
}

/** The quotes deny at a word that the sentence states without any negative word. */
function negationLost(sentence: string, quotes: readonly string[]): string | null {
  if (isNegated(sentence) || CUES.test(sentence)) return null
  const stated = new Set(baseForms(sentence))
  const affirmed = new Set(quotes.filter((quote) => !isNegated(quote)).flatMap(baseForms))
  const denied = quotes.flatMap(negatedForms)
  const isTurned = denied.some((form) => stated.has(form) && !affirmed.has(form))
  return isTurned ? 'its quotes say "not" where it does not' : null
}

/** Words of a direction and of its opposite, as far as nobody would use one to say the other. */
const DIRECTIONS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\b(?:increas\w+|ris(?:e|es|ing|en)|rose|grow(?:s|n|ing|th)?|grew|climb\w*)\b/i,
    /\b(?:decreas\w+|fall(?:s|en|ing)?|fell|declin\w+|shr[iau]nk\w*|dropp?(?:s|ed|ing)?|reduc\w+)\b/i,
  ],
  [/\b(?:highest|largest|biggest|maximum|greatest)\b/i, /\b(?:lowest|smallest|fewest|minimum)\b/i],
  [/\b(?:always|every time)\b/i, /\b(?:never|at no time)\b/i],
  [
    /\b(?:accept(?:s|ed)?|allow(?:s|ed)?|permit(?:s|ted)?)\b/i,
    /\b(?:reject(?:s|ed)?|refus(?:e|es|ed)|forbid(?:s|den)?)\b/i,
  ],
  [/\b(?:enabl(?:e|es|ed))\b/i, /\b(?:disabl(?:e|es|ed))\b/i],
  [/\b(?:at least|no less than|no fewer than)\b/i, /\b(?:at most|no more than|up to)\b/i],
]

function reversal(sentence: string, quotes: readonly string[]): string | null {
  const quoted = quotes.join('\n')
  if (isNegated(sentence) || isNegated(quoted)) return null
  for (const [one, other] of [...DIRECTIONS, ...DIRECTIONS.map(([a, b]) => [b, a] as const)]) {
    const said = one.exec(sentence)
    const isTurned = said && !other.test(sentence) && other.test(quoted) && !one.test(quoted)
    if (isTurned && sharesSubject(sentence, quoted)) return `it says "${said[0]}", its quotes the opposite`
  }
  return null
}

/** Most words are the quotes' own, so that the direction is said of the same thing. */
function sharesSubject(sentence: string, quoted: string): boolean {
  const own = baseForms(sentence).filter(isMeaningful)
  const theirs = new Set(baseForms(quoted))
  return own.filter((form) => theirs.has(form)).length >= own.length / 2
}
