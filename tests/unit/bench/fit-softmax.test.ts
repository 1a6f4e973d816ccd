import { describe, expect, it } from 'vitest'
import { fitSoftmax } from '../../../bench/fit-softmax.ts'

const group = (right: readonly boolean[], offsets = [0, 0], weight = 1) => ({
  rows: [
    [1, 0.2],
    [0, 0.7],
  ],
  offsets,
  right,
  weight,
})

describe('the fit of a softmax', () => {
  it('gives an alternative the share of the cases in which it is right', () => {
    const rows = [[1], [0]]
    const seen = [true, true, true, false].map((first) => ({ ...group([first, !first]), rows }))
    // Without shrinkage, the odds of three to one.
    expect(fitSoftmax(seen, 1e-9)[0]).toBeCloseTo(Math.log(3), 4)
  })

  it('counts cases by their weight', () => {
    const seen = [
      { ...group([true, false], [0, 0], 3), rows: [[1], [0]] },
      { ...group([false, true]), rows: [[1], [0]] },
    ]
    expect(fitSoftmax(seen, 1e-9)[0]).toBeCloseTo(Math.log(3), 4)
  })

  it('leaves to the weights only what the offsets do not explain', () => {
    const seen = [true, true, true, false].map((first) => ({
      ...group([first, !first], [Math.log(3), 0]),
      rows: [[1], [0]],
    }))
    expect(fitSoftmax(seen, 1e-9)[0]).toBeCloseTo(0, 4)
  })

  it('keeps weights small where little was seen', () => {
    const loose = fitSoftmax([group([true, false])], 0.1)
    const tight = fitSoftmax([group([true, false])], 10)
    expect(Math.abs(tight[0] ?? 0)).toBeLessThan(Math.abs(loose[0] ?? 0))
  })
})
