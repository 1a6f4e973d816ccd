import type { Evidence } from '../../events/index.ts'
import { wordSet } from '../../library/language/characters.ts'
import { tokens } from '../../library/language/terms.ts'
import { formsOf, unitsOf } from '../quotes/units.ts'

const VERDICT = /^[\s*_"“„-]*(?:yes|no|ja|nein|oui|non|si|sí|sim|não|nee)[\s*_"”“.,!]*$/iu

/** "Yes." and "No." before the sentence that says why. */
export function isVerdict(text: string): boolean {
  return VERDICT.test(text)
}

const SOURCES = wordSet(
  `passage passages document documents text texts policy report reports paper papers manual source sources evidence excerpt
   excerpts context statement filing study article material information dokument dokumente dokumenten textstelle textstellen
   passagen bericht unterlagen quelle quellen auszug auszuge geschaftsbericht handbuch rapport reglement extrait extraits
   texte textes documento documentos pasaje pasajes texto textos informe fuente fuentes`,
)
const DENIALS = wordSet(
  'not no nothing neither never without don doesn isn aren nicht kein keine keinen keinerlei nichts pas aucun aucune rien ningun ninguna nada',
)
/** Words of saying, by their beginnings. */
const SAYING =
  /^(?:sa[yi]|stat|mention|specif|contain|provid|includ|giv|discuss|disclos|indicat|describ|tell|report|angab|angegeb|inform|detail|erwahn|nenn|genannt|sag|enthalt|hervor|mach|precis|indiqu|dit$|dis|contien|fourni|donn|mencion|indic|dic|especific|proporcion)/
/** Words of asking how much or how long, which an answer does not repeat. */
const MEASURES = wordSet(
  'long last lasts much many amount exact specific further number kind anything something how what who when where why whether about regarding concerning zu zur zum ihrer seiner',
)

/**
 * "The passages do not say what they are paid" needs no citation where no sentence of the passages speaks of it. False for
 * any other sentence, and where one does.
 */
export function isTrueAbsence(sentence: string, evidence: readonly Evidence[]): boolean {
  const words = tokens(sentence).map(({ word }) => word)
  const isAbsence = [
    words.some((word) => SOURCES.has(word)),
    words.some((word) => DENIALS.has(word)),
    words.some((word) => SAYING.test(word)),
  ].every(Boolean)
  if (!isAbsence) return false
  const isTopic = (word: string) => ![SOURCES, DENIALS, MEASURES].some((set) => set.has(word)) && !SAYING.test(word)
  const topic = [...formsOf(words.filter(isTopic).join(' '))]
  const isNamed = ({ forms }: { readonly forms: ReadonlySet<string> }) => {
    return topic.filter((form) => forms.has(form)).length >= SPOKEN_OF * topic.length
  }
  return topic.length > 0 && !evidence.some((each) => unitsOf(each).some(isNamed))
}

/** A sentence with this share of the words speaks of it. */
const SPOKEN_OF = 0.7
