import { hasDigit, wordsIn } from '../../library/language/characters.ts'
import { stem } from '../../library/language/stem.ts'
import { isStopWord, tokens } from '../../library/language/terms.ts'

/** Past forms that stripping suffixes does not find. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `began begin|begun begin|became become|bought buy|brought bring|built build|came come|chose choose|chosen choose|drew
   draw|drawn draw|fell fall|fallen fall|felt feel|found find|gave give|given give|grew grow|grown grow|held hold|kept
   keep|knew know|known know|led lead|left leave|lost lose|made make|meant mean|met meet|paid pay|ran run|rose rise|risen
   rise|said say|saw see|seen see|sent send|shown show|spent spend|stood stand|took take|taken take|thought think|told
   tell|went go|won win|wrote write|written write|survival survive|loss lose|losses lose|growth grow`
    .split('|')
    .map((pair): [string, string] => {
      const [past = '', base = ''] = wordsIn(pair)
      return [past, base]
    }),
)

/** The form in which "lost", "loses" and "losing" are one word. */
export function baseForm(word: string): string {
  return stem(IRREGULAR.get(word) ?? word)
}

/** Base forms of all words of a text, in order. */
export function baseForms(text: string): readonly string[] {
  return tokens(text).map(({ word }) => baseForm(word))
}

/** Base forms of the words that carry meaning; numbers are not among them. */
export function contentForms(text: string): readonly string[] {
  return tokens(text)
    .map(({ word }) => word)
    .filter((word) => word.length > 1 && !isStopWord(word) && !hasDigit(word))
    .map(baseForm)
}
