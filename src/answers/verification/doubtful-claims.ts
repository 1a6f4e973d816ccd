import { type Claim, isDoubtful } from '../second-reading/claim.ts'
import type { CheckedPiece } from './check-sentence.ts'
import { isTableHead } from './structure.ts'
import { isVerdict } from './uncited.ts'

/** Why each of these claims does not hold on a second reading; null where it does, or was not read. */
export type Reread = (claims: readonly Claim[]) => Promise<readonly (string | null)[]>

/** The parts of a draft after a second reading of the sentences that passed and are not near copies of their quotes. */
export async function readDoubtful(pieces: readonly CheckedPiece[], reread: Reread): Promise<readonly CheckedPiece[]> {
  const doubtful = claimsIn(pieces).filter(({ claim }) => isDoubtful(claim))
  if (doubtful.length === 0) return pieces
  const reasons = await reread(doubtful.map(({ claim }) => claim))
  const problems = new Map(doubtful.map(({ piece }, index) => [piece, reasons[index] ?? null]))
  return pieces.map((piece) => ({ ...piece, problem: problems.get(piece) ?? piece.problem }))
}

/** The sentences that hold, each with the heading or table head that it stands under, and a "Yes." in front of it. */
function claimsIn(pieces: readonly CheckedPiece[]) {
  let under: string | null = null
  return pieces.flatMap((piece, index) => {
    const { text, problem, isStructure, grounds } = piece
    const [before, after] = [pieces[index - 1]?.text ?? '', pieces[index + 1]?.text]
    if (isStructure && (isTableHead(text, after) || /\p{L}/u.test(text))) under = text
    if (problem !== null || !grounds) return []
    const formulas = grounds.computed.calculations.map(
      ({ expression, value }) => `${expression} = ${Number(value.toPrecision(10))}`,
    )
    const words = isVerdict(before) ? `${before.trim()} ${text}` : text
    return [{ piece, claim: { text: words, under, found: grounds.found, formulas } }]
  })
}
