import { describe, expect, it } from 'vitest'
import type { EvalRow } from '../../../src/eval/dataset.ts'
import { type ModelFailure, scoreRefused, scoreRow } from '../../../src/eval/score-row.ts'
import type { RunResult } from '../../../src/runs/log/result.ts'

type Citation = RunResult['citations'][number]

const citation = (source: string, page: number): Citation => ({
  marker: 1,
  label: `(${source}, p. ${page})`,
  documentId: 'abcdef0123456789',
  title: 'The Marble corpus',
  source,
  page,
  section: null,
  quote: 'q',
  start: 0,
  end: 1,
  verified: true,
})

const result = (own: Partial<RunResult> = {}): RunResult => ({
  runId: 'r',
  threadId: 't',
  turn: 1,
  status: 'completed',
  question: 'How many pages?',
  limitedTo: null,
  standaloneQuestion: null,
  answer: 'It holds 81.1\u00A0million “pages”.[1]',
  abstained: false,
  confidence: 0.8,
  clarification: null,
  candidates: [],
  citations: [citation('/papers/marble.pdf', 3)],
  highlights: [],
  unsupported: [],
  calculations: [],
  sentences: [],
  approvals: [],
  ending: null,
  usage: { modelCalls: 4, toolCalls: 1, inputTokens: 10, outputTokens: 5, costUsd: null },
  contextPercent: null,
  model: 'm',
  durationMs: 12,
  traceUrl: null,
  imported: null,
  error: null,
  ...own,
})

const judge = (
  expect: EvalRow['expect'],
  own: Partial<RunResult> = {},
  verified: readonly boolean[] = [true],
  failures: readonly ModelFailure[] = [],
) =>
  scoreRow(
    { id: 'a', question: 'How many pages?', ...(expect && { expect }) },
    {
      result: result(own),
      agents: ['orchestrator', 'research', 'synthesis'],
      tools: ['pdf_retrieval'],
      verified,
      failures,
    },
  )

const abstained = { abstained: true, answer: 'Nothing was found.', citations: [] }
const asked: Partial<RunResult> = {
  status: 'clarification_needed',
  answer: '',
  clarification: 'Which corpus?',
  confidence: null,
  citations: [],
}

describe('a judged row', () => {
  it('is right if one of the expected answers stands in what was said, whatever the spaces, quotes and case', () => {
    expect(judge({ answers: ['nowhere', '81.1 MILLION "pages"'] })).toMatchObject({ right: true, passed: true })
    expect(judge({ answers: ['/81\\.1/'] })).toMatchObject({ right: true, answerMatch: true })
    expect(judge({ answers: ['82.1 million'] })).toMatchObject({ right: false, passed: false, answerMatch: false })
  })

  it('an answer that should have been withheld is wrong, and one that was withheld as it should is right', () => {
    expect(judge({ abstain: true })).toMatchObject({ right: false, problems: ['it was not declined'] })
    expect(judge({ abstain: true }, abstained, [])).toMatchObject({ right: true, passed: true })
    expect(judge({ abstain: false }, abstained, [])).toMatchObject({ right: false, problems: ['it was declined'] })
    expect(judge({ answers: ['81.1'] }, abstained, [])).toMatchObject({ right: false, expectedAbstention: false })
  })

  it('an answer that should have been given is not found among the nearest passages of an abstention', () => {
    const answer = 'I found no answer to this in 7 documents. The nearest passages:\n- Marble: “81.1 million pages”'
    expect(judge({ answers: ['7', '/81\\.1/'] }, { ...abstained, answer }, [])).toMatchObject({
      right: false,
      answerMatch: false,
      problems: ['it was declined'],
    })
  })

  it('a question back is right only where one is expected', () => {
    expect(judge({ clarify: true }, asked, [])).toMatchObject({ right: true })
    expect(judge({ clarify: true })).toMatchObject({ right: false, problems: ['it was not asked back about'] })
    expect(judge({ answers: ['/corpus/'] }, asked, [])).toMatchObject({ right: false, expectedClarification: false })
  })

  it('judges citations by document, path, title or id, and by page', () => {
    const places = { citations: [citation('/papers/marble.pdf', 3), citation('/papers/other.pdf', 1)] }
    for (const name of ['marble.pdf', '/papers/marble.pdf', 'the marble corpus', 'abcdef01']) {
      expect(judge({ documents: [name] }).documentHit, name).toBe(true)
    }
    expect(judge({ documents: ['ble.pdf'] })).toMatchObject({ documentHit: false, passed: false })
    const scored = scoreRow(
      { id: 'a', question: 'q', expect: { documents: ['marble.pdf', 'third.pdf'], pages: [3] } },
      {
        result: result({ ...places, citations: places.citations.map((each) => ({ ...each, title: null })) }),
        agents: [],
        tools: [],
        verified: [true, true],
        failures: [],
      },
    )
    expect(scored).toMatchObject({ documentHit: true, citationPrecision: 0.5, citationRecall: 2 / 3 })
  })

  it('names agents and tools that should have run and did not, or the other way round', () => {
    const { problems, right, passed } = judge({
      answers: ['81.1'],
      agents: { include: ['clarification'], exclude: ['research'] },
      tools: { include: ['pdf_retrieval'], exclude: ['web_search'] },
    })
    expect(problems).toEqual(['the agent clarification did not run', 'the agent research ran'])
    expect({ right, passed }).toEqual({ right: true, passed: false })
  })

  it('a quote that is not on its page is a problem', () => {
    expect(judge({ answers: ['81.1'] }, {}, [false])).toMatchObject({ right: true, passed: false })
  })

  it('without an expectation nothing is judged, but a failure is one', () => {
    expect(judge(undefined)).toMatchObject({ right: null, passed: null })
    expect(judge({})).toMatchObject({ right: null, passed: null })
    const failed = judge(
      undefined,
      { status: 'failed', error: { code: 'endpoint', message: 'down' }, citations: [] },
      [],
    )
    expect(failed).toMatchObject({ right: null, passed: false, problems: ['the run failed: down'] })
  })

  it('what was said in place of a model that failed counts as wrong, and its cost is unknown', () => {
    const error = { code: 'endpoint_unavailable', message: 'down' }
    const failures = [{ agent: 'synthesis', ...error }]
    const usage = { modelCalls: 4, toolCalls: 1, inputTokens: 0, outputTokens: 0, costUsd: 0 }
    expect(judge({ answers: ['81.1'], documents: ['marble.pdf'] }, { error, usage }, [true], failures)).toMatchObject({
      status: 'model_failed',
      right: false,
      passed: false,
      answerMatch: false,
      documentHit: false,
      costUsd: null,
      problems: ['the model failed, and a fallback answered: down'],
    })
    expect(judge({ abstain: true }, { ...abstained, error }, [], failures)).toMatchObject({ right: false })
    expect(judge(undefined, { error }, [true], failures)).toMatchObject({ status: 'model_failed', passed: false })
    const fixed = judge({ clarify: true }, asked, [], [{ ...error, agent: 'clarification' }])
    expect(fixed).toMatchObject({ status: 'model_failed', right: false, error })
  })

  it('a question that was refused counts as wrong', () => {
    const row: EvalRow = { id: 'a', question: 'q', expect: { answers: ['x'], documents: ['d'] } }
    expect(scoreRefused(row, { code: 'usage', message: 'too long' })).toMatchObject({
      status: 'refused',
      right: false,
      passed: false,
      answerMatch: false,
      documentHit: false,
      problems: ['too long'],
    })
  })
})
