/** Alternatives of which some are right, such as the sentences found for one question. */
export interface Group {
  /** A row of features for each alternative. */
  readonly rows: readonly (readonly number[])[]
  /** What is added to each alternative's score and not fitted. */
  readonly offsets: readonly number[]
  readonly right: readonly boolean[]
  readonly weight: number
}

const MOST_STEPS = 40
const SMALL_GAIN = 1e-6

/**
 * The weights under which a softmax over each group's scores gives its right alternatives the greatest likelihood
 * together, less `shrinkage`/2 times their squares. By Newton's method, halving steps that lead astray.
 */
export function fitSoftmax(groups: readonly Group[], shrinkage: number): readonly number[] {
  let weights: readonly number[] = new Array<number>(groups[0]?.rows[0]?.length ?? 0).fill(0)
  let loss = lossOf(groups, weights, shrinkage)
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const { gradient, curvature } = slopeOf(groups, weights, shrinkage)
    const direction = solve(curvature, gradient)
    const moved = [1, 0.5, 0.25, 0.125, 0.0625]
      .map((length) => weights.map((weight, i) => weight - length * (direction[i] ?? 0)))
      .map((next) => ({ next, loss: lossOf(groups, next, shrinkage) }))
      .find((candidate) => candidate.loss < loss)
    if (!moved) break
    const gained = loss - moved.loss
    weights = moved.next
    loss = moved.loss
    if (gained < SMALL_GAIN * loss) break
  }
  return weights
}

function lossOf(groups: readonly Group[], weights: readonly number[], shrinkage: number): number {
  const penalty = (shrinkage / 2) * dot(weights, weights)
  return groups.reduce((sum, group) => {
    const shares = softmax(group, weights)
    const likelihood = shares.reduce((total, share, i) => total + (group.right[i] ? share : 0), 0)
    return sum - group.weight * Math.log(Math.max(likelihood, Number.MIN_VALUE))
  }, penalty)
}

/** The gradient of the loss, and the part of its Hessian that is never negative. */
function slopeOf(groups: readonly Group[], weights: readonly number[], shrinkage: number) {
  const gradient = weights.map((weight) => shrinkage * weight)
  const curvature = weights.map((_, i) => weights.map((_, j) => (i === j ? shrinkage : 0)))
  for (const group of groups) {
    const shares = softmax(group, weights)
    const rightShare = shares.reduce((total, share, i) => total + (group.right[i] ? share : 0), 0)
    const mean = weightedMean(group.rows, shares)
    const rightMean = weightedMean(
      group.rows,
      shares.map((share, i) => (group.right[i] ? share / rightShare : 0)),
    )
    for (const i of gradient.keys()) {
      gradient[i] = (gradient[i] ?? 0) + group.weight * ((mean[i] ?? 0) - (rightMean[i] ?? 0))
    }
    addCovariance(curvature, group, shares, mean)
  }
  return { gradient, curvature }
}

function addCovariance(to: number[][], group: Group, shares: readonly number[], mean: readonly number[]): void {
  for (const [k, row] of group.rows.entries()) {
    const share = group.weight * (shares[k] ?? 0)
    for (const [i, line] of to.entries()) {
      const off = share * ((row[i] ?? 0) - (mean[i] ?? 0))
      for (const j of line.keys()) line[j] = (line[j] ?? 0) + off * ((row[j] ?? 0) - (mean[j] ?? 0))
    }
  }
}

function softmax({ rows, offsets }: Group, weights: readonly number[]): readonly number[] {
  const scores = rows.map((row, i) => (offsets[i] ?? 0) + dot(row, weights))
  const best = Math.max(...scores)
  const parts = scores.map((score) => Math.exp(score - best))
  const sum = parts.reduce((total, part) => total + part, 0)
  return parts.map((part) => part / sum)
}

function weightedMean(rows: readonly (readonly number[])[], shares: readonly number[]): readonly number[] {
  const mean = new Array<number>(rows[0]?.length ?? 0).fill(0)
  for (const [k, row] of rows.entries()) {
    for (const [i, value] of row.entries()) mean[i] = (mean[i] ?? 0) + (shares[k] ?? 0) * value
  }
  return mean
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
}

/** Solves a system of linear equations whose matrix is symmetric and positive definite, by elimination. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0])
  for (const [i, pivot] of rows.entries()) {
    for (const row of rows.slice(i + 1)) subtract(row, pivot, (row[i] ?? 0) / (pivot[i] ?? 1))
  }
  const solved: number[] = []
  for (const [i, row] of [...rows.entries()].reverse()) {
    const known = dot(row.slice(i + 1, rows.length), solved)
    solved.unshift(((row.at(-1) ?? 0) - known) / (row[i] ?? 1))
  }
  return solved
}

function subtract(from: number[], row: readonly number[], factor: number): void {
  for (const [j, value] of row.entries()) from[j] = (from[j] ?? 0) - factor * value
}
