import type { Observation } from '../../../src/events/index.ts'
import type { ToolContext } from '../../../src/tools/tool.ts'

/** What a tool is told of a run that asks "How accurate is the model?" and has found nothing yet. */
export function toolContext(overrides: Partial<ToolContext> = {}): ToolContext {
  return {
    runId: 'run',
    threadId: 'thread',
    agent: 'research',
    callId: 'call',
    question: 'How accurate is the model?',
    iteration: 1,
    documents: null,
    observations: [],
    previousTools: [],
    signal: new AbortController().signal,
    trace: () => [],
    delegate: async () => ({ content: '' }),
    toString: () => '',
    ...overrides,
  }
}

/** A passage on page 5 of a paper. */
export function passage(overrides: Partial<Observation> = {}): Observation {
  const text = 'The model reaches an accuracy of 87.2 %.'
  return {
    passageId: 'aaaa.3',
    documentId: 'aaaa',
    title: 'A paper',
    authors: ['Wei Zhang'],
    year: 2021,
    source: 'papers/a.pdf',
    origin: 'documents',
    page: 5,
    section: '4 Results',
    kind: 'text',
    text,
    start: 10,
    end: 10 + text.length,
    score: 0.81,
    ...overrides,
  }
}
