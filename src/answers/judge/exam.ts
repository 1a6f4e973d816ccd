import type { Evidence } from '../../events/index.ts'
import type { Claim } from './claims.ts'
import { type ExamPassage, examPaper } from './exam-paper.ts'
import { judgementIn } from './verdicts.ts'

/** What a reader is examined with: passages and claims in the form of every second reading. */
export const examEvidence: readonly Evidence[] = examPaper.passages.map(evidenceOf)

export const examClaims: readonly Claim[] = examPaper.claims.map(({ text }) => ({
  text,
  under: null,
  kind: 'sentence',
  formulas: [],
  notes: [],
}))

/** How many claims of the paper a reply judges rightly; one without a verdict counts as wrong. */
export function examMark(reply: string): number {
  const { verdicts } = judgementIn(reply, examPaper.claims.length)
  return examPaper.claims.filter(({ holds }, index) => verdicts.get(index + 1)?.holds === holds).length
}

function evidenceOf({ document, year, section, kind, text }: ExamPassage, index: number): Evidence {
  const id = `P${index + 1}`
  const documentId = `exam-${index + 1}`
  const shared = { documentId, title: document, source: document, year, page: 1, section, kind, text, score: 1 }
  const passage = { ...shared, id, origin: 'documents' as const }
  const place = { passageId: `${documentId}.0`, authors: [], origin: 'documents' as const, format: 'text' as const }
  return { passage, observation: { ...shared, ...place, start: 0, end: text.length } }
}
