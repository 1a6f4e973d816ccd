export interface Judged {
  /** The confidence that was stated. */
  readonly p: number
  readonly right: boolean
}

/** Expected calibration error over ten bins of equal width. */
export function calibrationError(judged: readonly Judged[]): number {
  const bins = Array.from({ length: 10 }, (_, i) => judged.filter(({ p }) => Math.min(9, Math.floor(p * 10)) === i))
  return bins.reduce((sum, bin) => {
    const gap = bin.reduce((total, { p, right }) => total + p - Number(right), 0)
    return sum + Math.abs(gap) / judged.length
  }, 0)
}
