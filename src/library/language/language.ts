import { wordSet } from './characters.ts'
import { tokens } from './terms.ts'

const languages = ['en', 'de', 'fr', 'es'] as const
export type Language = (typeof languages)[number]

/** Small words that few other languages have; accents are folded away. */
const SMALL_WORDS: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: wordSet(`the of and to is was were are in that it for with as by at from this be has have had not which or but they
    their its than can could will would should when where what how who because only into been one more there you if its
    his her must may each all on`),
  de: wordSet(`der die das und ist sind nicht ein eine einer eines einem dem den des mit von zu zum zur auf fur sich wird
    werden wurde wurden bei nach uber wer wann wo warum im am als auch aus oder hat haben hatte hatten kein keine rund
    wenn dass dies dieser diese dieses man damit sondern
    durch vor bis unter wie mussen muss durfen darf einen ihre seine sie er betrug gegenuber`),
  fr: wordSet(`le la les des du une est et pas dans sur avec pour par qui que elle ce sont ont ou au aux sans plus il ils
    elles ete leur leurs cette ces sa ses etait doit peut peuvent soit chez lors entre chaque aucun aucune d l n s qu
    nous vous celui celle ceux dont`),
  es: wordSet(`el los las del una uno es y en con por para se su sus que como fue fueron son al lo mas pero sin sobre entre
    ha han hay cada este esta estos un debe deben puede pueden esta estan hasta desde`),
}
const LETTERS: readonly (readonly [Language, RegExp])[] = [
  ['de', /[äöüß]/i],
  ['fr', /[èêçœàùûîô]|\b[dlnsj]['’]/i],
  ['es', /[ñ¿¡íó]/i],
]

/** An article, preposition, or another word that carries no meaning, in one of these languages. */
export function isSmallWord(word: string): boolean {
  return Object.values(SMALL_WORDS).some((words) => words.has(word))
}

/** Which of these languages a text is written in, by its small words and letters; null if nothing tells. */
export function languageOf(text: string): Language | null {
  const words = tokens(text).map(({ word }) => word)
  const scores = languages.map((language): readonly [Language, number] => {
    const letters = LETTERS.some(([of, pattern]) => of === language && pattern.test(text)) ? 1 : 0
    return [language, letters + words.filter((word) => SMALL_WORDS[language].has(word)).length]
  })
  const [best, second] = [...scores].sort(([, a], [, b]) => b - a)
  return best && second && best[1] > second[1] ? best[0] : null
}
