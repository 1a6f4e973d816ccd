import type { RunResult } from '../runs/index.ts'
import { isAnswered } from './answer-match.ts'
import { type EvalRow, type Expectation, isJudged } from './dataset.ts'
import { isFailure, type RowScore } from './report.ts'

/** A run and its log. */
export interface Observed {
  readonly result: RunResult
  /** Agents, and tools, in the order in which they first ran. */
  readonly agents: readonly string[]
  readonly tools: readonly string[]
  /** Whether each citation's quote is on its page. */
  readonly verified: readonly boolean[]
  /** Failed calls of models, in order. */
  readonly failures: readonly ModelFailure[]
}

export interface ModelFailure {
  readonly agent: string | undefined
  readonly code: string
  readonly message: string
}

type Cited = RowScore['citations'][number] & { readonly documentId: string; readonly title: string | null }

/** Judges one run by its expectations. */
export function scoreRow(row: EvalRow, observed: Observed): RowScore {
  const { result, agents, tools, verified, failures } = observed
  const { expect = {} } = row
  const { status, error } = endingOf(observed)
  const cited = result.citations.map(({ source, page, label, quote, documentId, title }, i) => {
    return { source, page, label, quote, documentId, title, verified: verified[i] ?? false }
  })
  const judged = isFailure(status) ? judgeFailure(expect, status, error) : judge(expect, result, cited)
  const problems = [
    ...judged.problems,
    ...ranAsExpected('agent', expect.agents, agents),
    ...ranAsExpected('tool', expect.tools, tools),
    ...cited.filter((each) => !each.verified).map(({ label }) => `the quote of ${label} is not on its page`),
  ]
  return {
    ...described(row),
    runId: result.runId,
    threadId: result.threadId,
    status,
    answer: result.answer,
    clarification: result.clarification,
    abstained: result.abstained,
    confidence: result.confidence,
    right: judged.right,
    passed: isJudged(row) || isFailure(status) ? problems.length === 0 : null,
    problems,
    answerMatch: judged.answerMatch,
    ...citationScores(expect, isFailure(status) ? [] : cited),
    citations: cited.map(({ documentId: _, title: __, ...shown }) => shown),
    agents: [...agents],
    tools: [...tools],
    ...result.usage,
    // The cost of a failed call is unknown.
    costUsd: failures.length > 0 && result.model !== 'extractive' ? null : result.usage.costUsd,
    durationMs: result.durationMs,
    error,
  }
}

/** A run whose model failed has an answer of a fallback, which is not the model's. */
function endingOf({ result, failures }: Observed): Pick<RowScore, 'status' | 'error'> {
  const { status, error } = result
  if (status === 'completed' || status === 'limit_reached') return { status: error ? 'model_failed' : status, error }
  const asking = failures.findLast(({ agent }) => agent === 'clarification')
  if (status !== 'clarification_needed' || !asking) return { status, error }
  // The question back is the fixed one.
  return { status: 'model_failed', error: { code: asking.code, message: asking.message } }
}

function judgeFailure(expect: Expectation, status: RowScore['status'], error: RowScore['error']): Judgement {
  const what = status === 'model_failed' ? 'the model failed, and a fallback answered' : 'the run failed'
  return {
    right: hasOutcome(expect) ? false : null,
    answerMatch: expect.answers ? false : null,
    problems: [`${what}: ${error?.message ?? 'no reason given'}`],
  }
}

/** A question that was refused before a run began counts as a failure. */
export function scoreRefused(row: EvalRow, error: { readonly code: string; readonly message: string }): RowScore {
  return {
    ...described(row),
    runId: null,
    threadId: null,
    status: 'refused',
    answer: '',
    clarification: null,
    abstained: false,
    confidence: null,
    right: row.expect ? false : null,
    passed: false,
    problems: [error.message],
    answerMatch: row.expect?.answers ? false : null,
    ...citationScores(row.expect ?? {}, []),
    citations: [],
    agents: [],
    tools: [],
    modelCalls: 0,
    toolCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
    durationMs: 0,
    error: { ...error },
  }
}

function described({ id, thread, question, expect = {} }: EvalRow) {
  const { abstain = null, clarify = null, answers } = expect
  // An expected answer means no abstention and no question back.
  const otherwise = answers ? false : null
  return {
    id,
    thread: thread ?? null,
    question,
    expectedAbstention: abstain ?? otherwise,
    expectedClarification: clarify ?? otherwise,
  }
}

type Judgement = Pick<RowScore, 'right' | 'answerMatch'> & { readonly problems: readonly string[] }

function judge(expect: Expectation, result: RunResult, cited: readonly Cited[]): Judgement {
  const { status, answer, abstained } = result
  const asked = status === 'clarification_needed'
  // A question back and the near misses of an abstention are no answers.
  const answerMatch = expect.answers ? !asked && !abstained && isAnswered(expect.answers, answer) : null
  const outcomes = [
    ...unlessAsExpected(expect.clarify, asked, 'asked back about'),
    ...unlessAsExpected(expect.abstain ?? (expect.answers && false), abstained, 'declined'),
    ...(answerMatch === false && !abstained ? [`the answer holds none of ${expect.answers?.join(' | ')}`] : []),
  ]
  const places = citationScores(expect, cited)
  const missed = places.documentHit === false ? [`no citation is on ${expectedPlaces(expect)}`] : []
  return {
    right: hasOutcome(expect) ? outcomes.length === 0 : null,
    answerMatch,
    problems: [...outcomes, ...missed],
  }
}

function hasOutcome({ answers, abstain, clarify }: Expectation): boolean {
  return answers !== undefined || abstain !== undefined || clarify !== undefined
}

function unlessAsExpected(expected: boolean | undefined, actual: boolean, what: string): readonly string[] {
  if (expected === undefined || expected === actual) return []
  return [expected ? `it was not ${what}` : `it was ${what}`]
}

function citationScores({ documents, pages, abstain, clarify }: Expectation, cited: readonly Cited[]) {
  const none = { documentHit: null, citationPrecision: null, citationRecall: null }
  if ((!documents && !pages) || abstain || clarify) return none
  const onDocument = (each: Cited) => !documents || documents.some((name) => isNamed(each, name))
  const onPage = (each: Cited) => !pages || pages.includes(each.page)
  const hits = cited.filter((each) => onDocument(each) && onPage(each))
  const wanted = [
    ...(documents ?? []).map((name) => cited.some((each) => isNamed(each, name) && onPage(each))),
    ...(pages ?? []).map((page) => cited.some((each) => each.page === page && onDocument(each))),
  ]
  return {
    documentHit: hits.length > 0,
    citationPrecision: cited.length === 0 ? null : hits.length / cited.length,
    citationRecall: wanted.filter(Boolean).length / wanted.length,
  }
}

/** By file name, path, title or the beginning of the id. */
function isNamed({ source, title, documentId }: Cited, name: string): boolean {
  const wanted = name.toLowerCase()
  const path = source.toLowerCase()
  const isId = wanted.length >= 6 && documentId.startsWith(wanted)
  return path === wanted || path.endsWith(`/${wanted}`) || title?.toLowerCase() === wanted || isId
}

function expectedPlaces({ documents, pages }: Expectation): string {
  return [documents?.join(' or '), pages && `page ${pages.join(' or ')}`].filter(Boolean).join(', ')
}

function ranAsExpected(what: 'agent' | 'tool', expected: Expectation['agents'], ran: readonly string[]) {
  const { include = [], exclude = [] } = expected ?? {}
  return [
    ...include.filter((name) => !ran.includes(name)).map((name) => `the ${what} ${name} did not run`),
    ...exclude.filter((name) => ran.includes(name)).map((name) => `the ${what} ${name} ran`),
  ]
}
