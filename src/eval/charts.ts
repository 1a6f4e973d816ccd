import { escapeHtml } from './escape-html.ts'
import { pluralOf } from './figures.ts'
import type { Calibration } from './report.ts'

const side = 260
const margin = 56
const whole = side + 2 * margin
const tall = side + 1.5 * margin

/** Stated confidence against what was right, one point a tenth; its size shows how many answers lie in it. SVG. */
export function reliabilityDiagram({ bins, answers }: Calibration): string {
  const points = bins.map((bin) => {
    const radius = 4 + 12 * Math.sqrt(bin.answers / answers)
    const label = `${pluralOf(bin.answers, 'answer')} stated ${percent(bin.confidence)}, ${percent(bin.right)} right`
    return `<circle class="point" cx="${x(bin.confidence)}" cy="${y(bin.right)}" r="${radius.toFixed(1)}"><title>${label}</title></circle>`
  })
  const line = bins.map(({ confidence, right }) => `${x(confidence)},${y(right)}`).join(' ')
  return framed(
    'stated confidence',
    'share right',
    `<line class="ideal" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}"/>
     <polyline class="curve" points="${line}"/>${points.join('')}`,
    `Reliability: ${pluralOf(answers, 'answer')} in ${pluralOf(bins.length, 'tenth')} of confidence`,
  )
}

/** How long the runs took, shortest first: the share of runs that took no longer. SVG. */
export function latencyCurve(durationsMs: readonly number[]): string {
  const sorted = [...durationsMs].sort((a, b) => a - b)
  const longest = sorted.at(-1) ?? 1
  // A step up at each run: no run took a time between two of them.
  const points = sorted.map((ms, i) => {
    const at = x(ms / (longest || 1))
    return `${at},${y(i / sorted.length)} ${at},${y((i + 1) / sorted.length)}`
  })
  return framed(
    `seconds, up to ${(longest / 1000).toFixed(1)}`,
    'share of runs',
    `<polyline class="curve" points="${[`${x(0)},${y(0)}`, ...points].join(' ')}"/>`,
    `Latency of ${pluralOf(sorted.length, 'run')}`,
    (share) => ((share * longest) / 1000).toFixed(1),
  )
}

function framed(
  xLabel: string,
  yLabel: string,
  content: string,
  title: string,
  xTick: (share: number) => string = (share) => percent(share),
): string {
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
    (share) => `<line class="grid" x1="${x(share)}" y1="${y(0)}" x2="${x(share)}" y2="${y(1)}"/>
      <line class="grid" x1="${x(0)}" y1="${y(share)}" x2="${x(1)}" y2="${y(share)}"/>
      <text x="${x(share)}" y="${y(0) + 16}" text-anchor="middle">${xTick(share)}</text>
      <text x="${x(0) - 6}" y="${y(share) + 4}" text-anchor="end">${percent(share)}</text>`,
  )
  return `<svg viewBox="0 0 ${whole} ${tall}" width="${whole}" height="${tall}" role="img" aria-label="${escapeHtml(title)}">
    ${ticks.join('')}${content}
    <text x="${x(0.5)}" y="${tall - 8}" text-anchor="middle">${escapeHtml(xLabel)}</text>
    <text transform="translate(12 ${y(0.5)}) rotate(-90)" text-anchor="middle">${escapeHtml(yLabel)}</text>
  </svg>`
}

function x(share: number): number {
  return Math.round(10 * (margin + share * side)) / 10
}

function y(share: number): number {
  return Math.round(10 * (margin / 2 + (1 - share) * side)) / 10
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}
