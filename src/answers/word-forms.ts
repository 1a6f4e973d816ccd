import { stem } from '../library/language/stem.ts'
import { isStopWord, tokens } from '../library/language/terms.ts'

/** Past forms that stripping suffixes does not find. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `began begin|begun begin|became become|bought buy|brought bring|built build|came come|chose choose|chosen choose|drew
   draw|drawn draw|fell fall|fallen fall|felt feel|found find|gave give|given give|grew grow|grown grow|held hold|kept
   keep|knew know|known know|led lead|left leave|lost lose|made make|meant mean|met meet|paid pay|ran run|rose rise|risen
   rise|said say|saw see|seen see|sent send|shown show|spent spend|stood stand|took take|taken take|thought think|told
   tell|went go|won win|wrote write|written write|survival survive|loss lose|losses lose|growth grow`
    .split('|')
    .map((pair): [string, string] => {
      const [past = '', base = ''] = pair.trim().split(/\s+/)
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
    .filter((word) => word.length > 1 && !isStopWord(word) && !/\p{N}/u.test(word))
    .map(baseForm)
}

const ENGLISH = words(
  'the of and to is was are were in that it for on with as by at from this be has have had not which or an but they their its than can will would when where what how about only into does did been who',
)
const OTHER = words(
  `der das und ist nicht ein eine einer den dem mit von zu auf fur sich wird wurde werden bei nach uber
   le la les des du une est et pas dans sur avec pour par qui que ce sont ont
   el los las del una es y en con por para no se su como
   il lo gli della di che sono nel
   de het een van zijn werd voor met niet
   och att som av ar den det inte pa til og ikke
   o os da do em um uma nao com`,
)
// Words of both lists say nothing.
for (const word of [...[...OTHER].filter((each) => ENGLISH.has(each)), 'no', 'do', 'den']) {
  ENGLISH.delete(word)
  OTHER.delete(word)
}

/** True unless more speaks for another language: its letters, or its small words. Without small words, it may be English. */
export function isEnglish(text: string): boolean {
  if (!isLatin(text)) return false
  let balance = 0
  for (const { word } of tokens(text)) {
    if (ENGLISH.has(word)) balance += 1
    else if (OTHER.has(word)) balance -= 1
  }
  return balance >= 0
}

/** At least half of its letters are of Latin script. */
function isLatin(text: string): boolean {
  const others = text.match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0
  return others === 0 || (text.match(/\p{L}/gu)?.length ?? 0) >= 2 * others
}

function words(text: string): Set<string> {
  return new Set(text.split(/\s+/))
}
