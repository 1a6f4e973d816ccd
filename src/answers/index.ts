// Checked answers: evidence, quotes, the state of each sentence, reliability.

export { longestDraft } from './check-draft.ts'
export { addressesIn, harmlessLine, withoutControls } from './draft/clean-draft.ts'
export { abstainMark, ambiguousMark, citationFilter, type TextFilter } from './draft/stream-filter.ts'
export { evidenceTokens, fewerPassages, formatEvidence, packEvidence } from './evidence.ts'
export { examClaims, examEvidence, examMark } from './judge/exam.ts'
export { type Claim, formatClaim, formatClaims, type Judgement, judgementIn, type Verdict } from './judge/reading.ts'
export { citationLabel } from './quotes/citation-label.ts'
export type { PageTextOf } from './quotes/locate-quotes.ts'
export { quotedTable, type TablesOf } from './quotes/quoted-table.ts'
export { confidenceOf } from './reliability.ts'
export {
  answerOf,
  type Judge,
  type JudgedDraft,
  judgeDraft,
  judgeQuotes,
  merged,
  type VerifiedAnswer,
} from './verified-answer.ts'
