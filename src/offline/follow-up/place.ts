import { type Conversation, withoutMark } from './conversation.ts'
import { phrasesIn } from './phrases.ts'

/** "Who was the site lead there?"; not "Is there a limit?", "how many were there" or "over there". */
const THERE =
  /(?<!\b(?:is|are|was|were|be|been|isn['’]t|aren['’]t|has|have|had|will|would|can|could|may|might|must|over|out|up|if|that|does|do|did)\s)\bthere\b(?!['’]|\s+(?:is|are|was|were|be|been|has|have|had|will|would|can|could|may|might|must|exists?)\b)/i
const OF_PLACE = /^(?:in|at|on|near)$/

const WHERE_IS = /^\W*where\s+(?:is|are|was|were)\s+(\p{L}[\p{L}\p{N} -]{2,63})$/iu
const MOVES = /\b(?:get|go|come|travel|move|drive|fly|send|bring|went|came|moved|sent)\s+$/i

/** "there", said as the place that the conversation was last about; the question as it is, if that is not certain. */
export function withPlace(question: string, { turns }: Conversation): string {
  const there = THERE.exec(question)
  if (!there || there.index === 0) return question
  const before = question.slice(0, there.index)
  for (const { base } of turns.toReversed()) {
    const places = placesIn(base)
    if (places.length > 1) return question
    const [place] = places
    if (!place) continue
    const said = MOVES.test(before) ? `to ${place.name}` : `${place.preposition} ${place.name}`
    return before + said + question.slice(there.index + there[0].length)
  }
  return question
}

interface Place {
  readonly preposition: string
  readonly name: string
}

function placesIn(question: string): readonly Place[] {
  const located = WHERE_IS.exec(withoutMark(question))?.[1]
  if (located !== undefined) return [{ preposition: 'at', name: located }]
  return phrasesIn(question)
    .filter(({ kind, preposition }) => kind === 'name' && OF_PLACE.test(preposition))
    .map(({ preposition, from, end }) => ({ preposition, name: question.slice(from, end) }))
}
