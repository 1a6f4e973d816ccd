import type { Calibration, CalibrationBin } from './report.ts'

interface JudgedAnswer {
  /** The probability that the answer is right, as it was stated. */
  readonly confidence: number
  readonly right: boolean
}

const bins = 10

/**
 * How far stated confidence is from what happened: expected calibration error over ten bins of equal width (Guo et al.,
 * 2017, "On Calibration of Modern Neural Networks"), and the Brier score. null without answers.
 */
export function calibrationOf(answers: readonly JudgedAnswer[]): Calibration | null {
  if (answers.length === 0) return null
  const filled = Array.from({ length: bins }, (_, index) => binOf(answers, index)).filter((bin) => bin !== null)
  const ece = filled.reduce(
    (sum, bin) => sum + (bin.answers / answers.length) * Math.abs(bin.confidence - bin.right),
    0,
  )
  const squares = answers.map(({ confidence, right }) => (confidence - Number(right)) ** 2)
  const brier = squares.reduce((sum, square) => sum + square, 0) / answers.length
  return { answers: answers.length, ece, brier, bins: filled }
}

function binOf(answers: readonly JudgedAnswer[], index: number): CalibrationBin | null {
  const own = answers.filter(({ confidence }) => Math.min(bins - 1, Math.floor(confidence * bins)) === index)
  if (own.length === 0) return null
  const confidence = own.reduce((sum, each) => sum + each.confidence, 0) / own.length
  const right = own.filter((each) => each.right).length / own.length
  return { from: index / bins, to: (index + 1) / bins, answers: own.length, confidence, right }
}
