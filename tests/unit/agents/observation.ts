import { packEvidence } from '../../../src/answers/evidence.ts'
import type { Evidence, Observation } from '../../../src/events/index.ts'

/** A passage of a paper, as a search finds it. */
export function observation(overrides: Partial<Observation> = {}): Observation {
  const text = overrides.text ?? 'The filter removed 15.2 million pages.'
  const start = overrides.start ?? 0
  return {
    passageId: 'halden.0',
    documentId: 'halden',
    title: 'The Halden filter',
    authors: ['Wei Zhang', 'Ada Berg', 'Jo Lind'],
    year: 2021,
    source: 'papers/halden.pdf',
    origin: 'documents',
    page: 1,
    section: 'Results',
    kind: 'text',
    text,
    start,
    end: start + text.length,
    score: 0.9,
    ...overrides,
  }
}

/** Observations as the evidence of a run, best first: `P1`, `P2`, … */
export function evidenceOf(...observations: readonly Observation[]): Evidence[] {
  return packEvidence(observations, { tokens: 100_000 })
}
