import type { VerifiedAnswer } from '../answers/footnotes.ts'

/** So many failures are told; a model that fails more often has not understood the form, and one list is enough. */
const mostTold = 8

/** The draft said something, and nothing of it, or not the sentence that was to answer first, could be verified. */
export function needsRepair({ text, dropped, lostFirst }: VerifiedAnswer): boolean {
  return dropped.length > 0 && (text === '' || lostFirst)
}

/** The second try is the answer if it verifies and keeps its first sentence, or if nothing of the first try did. */
export function isBetter(repaired: VerifiedAnswer, first: VerifiedAnswer): boolean {
  return repaired.text !== '' && (first.text === '' || !repaired.lostFirst)
}

/** Tells the model which sentences failed and why, and asks for the whole answer once more. */
export function repairRequest({ dropped }: VerifiedAnswer): string {
  const failures = dropped.slice(0, mostTold).map(({ sentence, reason }) => `- “${sentence}”: ${reason}.`)
  return [
    'These sentences of your answer could not be verified, and will not be shown:',
    ...failures,
    '',
    'Write the whole answer once more, in the same form. Copy every quote letter for letter from the passage it names, state only what its quotes state, and leave out what no passage bears out. If the passages do not hold the answer, reply with exactly <abstain/>.',
  ].join('\n')
}
