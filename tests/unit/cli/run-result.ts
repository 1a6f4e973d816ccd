import type { Citation, RunResult } from '../../../src/index.ts'

/** A finished run with one footnote. */
export function runResult(overrides: Partial<RunResult> = {}): RunResult {
  return {
    runId: 'run-1',
    threadId: 'thread-1',
    turn: 1,
    status: 'completed',
    question: 'How accurate is the model?',
    limitedTo: null,
    standaloneQuestion: null,
    answer: 'It reaches **87.2 %** [1].',
    abstained: false,
    confidence: 0.834,
    clarification: null,
    candidates: [],
    citations: [citation()],
    highlights: [],
    unsupported: [],
    calculations: [],
    sentences: [],
    approvals: [],
    ending: null,
    usage: { modelCalls: 3, toolCalls: 1, inputTokens: 0, outputTokens: 0, costUsd: 0 },
    contextPercent: null,
    model: 'extractive',
    durationMs: 12,
    imported: null,
    traceUrl: null,
    error: null,
    ...overrides,
  }
}

/** A footnote to page 5 of a paper. */
export function citation(overrides: Partial<Citation> = {}): Citation {
  return {
    marker: 1,
    label: 'Zhang et al., 2021, p. 5',
    documentId: '0123456789abcdef',
    title: 'A paper',
    source: 'papers/a.pdf',
    page: 5,
    section: null,
    quote: 'an accuracy of 87.2 %',
    start: 10,
    end: 31,
    verified: true,
    ...overrides,
  }
}
