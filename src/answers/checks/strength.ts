import { wordSet } from '../../library/language/characters.ts'
import { tokens } from '../../library/language/terms.ts'
import { isNegated } from './negation.ts'
import type { HeldWords } from './words.ts'

const ALL = wordSet(
  `all every everyone everybody everything alle allen aller alles jede jeder jedes jeden samtliche tous toutes tout chaque
   todos todas cada`,
)
/** Words behind or before which it is no claim about each. */
const IDIOMS =
  /\b(?:in all|at all|after all|above all|first of all|vor allem|alles in allem|en tout|avant tout|sobre todo|all right)\b/giu
/** A quote with one of these may speak of all, too. */
const AS_STRONG = wordSet(
  `all every each everyone everybody everything any anything both entire entirely whole complete completely always
   throughout universal none no nobody nothing never not 100 only alle allen aller alles jede jeder jedes jeden
   samtliche beide immer stets ganz ganze ganzen kein keine keinen niemand nie nur tous toutes tout toute chaque toujours
   aucun aucune seul seuls entier integral todos todas todo toda cada ambos siempre ningun ninguna unanimidad unanimite
   einstimmig unanimous unanimously`,
)

/** "No, it does not": it answers the question, and counts nothing. */
const VERDICT = /^\W{0,9}(?:no|none)[,.;:!]/i

const NONE = wordSet('no none kein keine keiner aucun aucune ningun ninguno ninguna')

/** The "all" or "no …" of a sentence whose quotes speak of some, or of one kind; null if there is none. */
export function tooGeneral(sentence: string, quoted: string, held: HeldWords): string | null {
  const words = tokens(sentence.replace(VERDICT, '').replace(IDIOMS, ' '))
  const [first] = words
  const about = held.contentOf(sentence).slice(0, 2)
  if (first && NONE.has(first.word) && about.length > 1 && !about.some(held.has)) return first.word
  const said = words.find(({ word }) => ALL.has(word))
  if (!said) return null
  return tokens(quoted).some(({ word }) => AS_STRONG.has(word)) ? null : said.word
}

const OUTCOMES = wordSet(
  `won wins win settled convicted acquitted guilty gewann gewonnen verurteilt freigesprochen gagne condamne acquitte gano
   condenado absuelto`,
)
const OUTCOME_HINTS = wordSet(
  `favour favor victory award awarded victor success successful verdict settlement settle sentence sentenced judgment
   zugunsten erfolg urteil vergleich victoire faveur jugement victoria favor sentencia prize conviction`,
)

/** A result that a sentence states and no quote hints at; null if there is none. */
export function unsaidOutcome(sentence: string, held: HeldWords, quoted: string): string | null {
  const said = tokens(sentence).find(({ word }) => OUTCOMES.has(word) && !held.has(word))
  return said && !tokens(quoted).some(({ word }) => OUTCOME_HINTS.has(word)) ? said.word : null
}

const CAUSE =
  /(?<!\p{L})(?:because of|because|due to|owing to|caused by|as a result of|after an?|wegen|weil|aufgrund|infolge|à cause d[eu’']|en raison d[eu’']|parce qu[e’']|debido a|a causa de|porque)(?!\p{L})([^.,;:()]{3,80})/giu

/** What a sentence gives as a cause, though no word of it stands in the quotes; null if there is no such cause. */
export function unsaidCause(sentence: string, held: HeldWords): string | null {
  for (const [, cause = ''] of sentence.matchAll(CAUSE)) {
    const words = held.contentOf(cause)
    if (words.length > 0 && !/\d/.test(cause) && !isNegated(cause) && !words.some((word) => held.has(word))) {
      return cause.trim()
    }
  }
  return null
}
