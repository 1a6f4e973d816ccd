import { beginsUpper, hasDigit, wordSet } from '../../library/language/characters.ts'
import { isEnglish } from '../../library/language/english.ts'
import { contentWords, isStopWord, tokens } from '../../library/language/terms.ts'

/** Words that may stand for something that was said before. */
const referring = wordSet(
  `it its they them their theirs he him his she her hers this that these those one ones such same other others another
   former latter above below previous next again more else`,
)
/** Documents, where they are not named. */
const unnamed = wordSet('paper document report article study contract manual filing company author')
/** A question that begins so goes on from another. */
const joining = wordSet('and or but so then also')

const fewestWithName = 2
const fewest = 3

/**
 * True for a question that stands alone beyond doubt: English, without a word that may refer to something else, and with
 * enough words that say what it is about. Most clear questions are found; in doubt, a model is asked.
 */
export function isClear(question: string): boolean {
  const words = tokens(question)
  const has = (some: ReadonlySet<string>) => words.some(({ word }) => some.has(word))
  if (!isEnglish(question) || joining.has(words[0]?.word ?? '') || has(referring)) return false
  const isNamed = words.some(({ word, start }, at) => {
    const written = question.slice(start)
    return at > 0 && !isStopWord(word) && (beginsUpper(written) || hasDigit(word))
  })
  if (!isNamed && has(unnamed)) return false
  return new Set(contentWords(question)).size >= (isNamed ? fewestWithName : fewest)
}
