import type { ChangedRow, Comparison, EvalReport, Outcome, RowScore } from './report.ts'
import { summarise } from './summarise.ts'

/** Two evaluations side by side, by the ids of their questions; an id that asks something else is another question. */
export function compare(before: EvalReport, after: EvalReport): Comparison {
  const earlier = new Map(before.rows.map((row) => [keyOf(row), row]))
  const later = new Set(after.rows.map(keyOf))
  const pairs = after.rows.flatMap((row) => {
    const old = earlier.get(keyOf(row))
    return old ? [{ old, row }] : []
  })
  const changed = (isChange: (pair: (typeof pairs)[number]) => boolean) => pairs.filter(isChange).map(changeOf)
  return {
    before: summarise(pairs.map(({ old }) => old)),
    after: summarise(pairs.map(({ row }) => row)),
    broken: changed(({ old, row }) => old.passed === true && row.passed !== true),
    mended: changed(({ old, row }) => old.passed !== true && row.passed === true),
    reworded: changed(({ old, row }) => old.passed === row.passed && said(old) !== said(row)),
    onlyBefore: before.rows.filter((row) => !later.has(keyOf(row))).map(({ id }) => id),
    onlyAfter: after.rows.filter((row) => !earlier.has(keyOf(row))).map(({ id }) => id),
  }
}

function keyOf({ id, question }: RowScore): string {
  return JSON.stringify([id, question])
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
