import { describe, expect, it } from 'vitest'
import { latencyCurve, reliabilityDiagram } from '../../../src/eval/charts.ts'

/** The corners of a chart's curve, from its beginning. */
function corners(svg: string): readonly (readonly number[])[] {
  const [, points = ''] = /class="curve" points="([^"]+)"/.exec(svg) ?? []
  return points.split(' ').map((point) => point.split(',').map(Number))
}

describe('the charts of an evaluation', () => {
  it('draw latency as steps: between two runs the share stays as it is', () => {
    const points = corners(latencyCurve([300, 100]))
    const [start, below, above, along, end] = points
    expect(points).toHaveLength(5)
    expect([below?.[0], below?.[1]]).toEqual([above?.[0], start?.[1]])
    expect([along?.[0], along?.[1]]).toEqual([end?.[0], above?.[1]])
    expect(latencyCurve([300, 100])).toContain('Latency of 2 runs')
  })

  it('draw nothing that is no number, for runs that took no time and for a single answer', () => {
    const bin = { from: 0.9, to: 1, answers: 1, confidence: 0.95, right: 0 }
    const charts = [latencyCurve([0]), reliabilityDiagram({ answers: 1, ece: 0.95, brier: 0.9, bins: [bin] })]
    for (const chart of charts) expect(chart).not.toMatch(/NaN|Infinity|undefined/)
    expect(charts[1]).toContain('1 answer in 1 tenth of confidence')
  })
})
