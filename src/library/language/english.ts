import { wordSet } from './characters.ts'
import { tokens } from './terms.ts'

const ENGLISH = wordSet(`
  the an of and to is was are were in that it for on with as by at from this be has have had not which or but they their its
  than can could will would should when where what how who why about only into does did been one more other there you me
  if so also same tell give show explain he she his her them
`)
const OTHER = wordSet(`
  der das und ist nicht ein eine einer dem mit von zu auf fur sich wird wurde werden bei nach uber wie wer wann wo warum
  welche welcher hat er sie im
  le la les des du une est et pas dans sur avec pour par qui que quoi quand comment pourquoi elle ce sont ont ou au
  el los las del una es y en con por para se su como quien cuando donde cual ella
  il lo gli della di che chi cosa quando dove perche sono nel
  de het een zijn werd voor met niet wat wanneer waar waarom hoe hij zij van op
  och att som av ar det inte pa til og ikke vad vem nar var hur han hon har
  o os da em um uma nao com quem onde ele ela na
`)

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
export function isLatin(text: string): boolean {
  const others = text.match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0
  return others === 0 || (text.match(/\p{L}/gu)?.length ?? 0) >= 2 * others
}
