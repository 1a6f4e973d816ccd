import type { EvalReport, EvalSummary, RowScore } from './report.ts'

/** A question whose outcome differs between two evaluations. */
export interface ChangedRow {
  readonly id: string
  readonly question: string
  readonly before: Outcome
  readonly after: Outcome
}

interface Outcome {
  readonly passed: boolean | null
  readonly answer: string
  readonly problems: readonly string[]
}

export interface Comparison {
  readonly before: EvalSummary
  readonly after: EvalSummary
  /** Passed before and no longer; and the other way round. */
  readonly broken: readonly ChangedRow[]
  readonly mended: readonly ChangedRow[]
  /** As right or wrong as before, by other words. */
  readonly reworded: readonly ChangedRow[]
  /** Ids that only one of them has. */
  readonly onlyBefore: readonly string[]
  readonly onlyAfter: readonly string[]
}

/** Two evaluations side by side, by the ids of their questions. */
export function compare(before: EvalReport, after: EvalReport): Comparison {
  const earlier = new Map(before.rows.map((row) => [row.id, row]))
  const later = new Set(after.rows.map(({ id }) => id))
  const pairs = after.rows.flatMap((row) => {
    const old = earlier.get(row.id)
    return old ? [{ old, row }] : []
  })
  const changed = (isChange: (pair: (typeof pairs)[number]) => boolean) => pairs.filter(isChange).map(changeOf)
  return {
    before: before.summary,
    after: after.summary,
    broken: changed(({ old, row }) => old.passed === true && row.passed !== true),
    mended: changed(({ old, row }) => old.passed !== true && row.passed === true),
    reworded: changed(({ old, row }) => old.passed === row.passed && said(old) !== said(row)),
    onlyBefore: before.rows.filter(({ id }) => !later.has(id)).map(({ id }) => id),
    onlyAfter: after.rows.filter(({ id }) => !earlier.has(id)).map(({ id }) => id),
  }
}

function changeOf({ old, row }: { readonly old: RowScore; readonly row: RowScore }): ChangedRow {
  return { id: row.id, question: row.question, before: outcomeOf(old), after: outcomeOf(row) }
}

function outcomeOf(row: RowScore): Outcome {
  return { passed: row.passed, answer: said(row), problems: row.problems }
}

function said({ clarification, answer }: RowScore): string {
  return clarification ?? answer
}
