import { z } from 'zod'
import { formatClaims, formatEvidence, judgementIn, packEvidence, type Verdict } from '../../answers/index.ts'
import type { Evidence, Observation } from '../../events/index.ts'
import { Fenced } from '../../fenced.ts'
import { type DocumentRecord, findQuote, type Library, sentences, tokens } from '../../library/index.ts'
import { checkOptions, type Shape } from '../../options.ts'
import { type Prompt, renderPrompt } from '../../prompts.ts'
import { cellThreads, type GroupRuns, type RunResult, runIdOf, runReader } from '../../runs/index.ts'
import type { Storage } from '../../storage/index.ts'
import { type AskingRequest, askingRequest, usualAtOnce } from '../asking/asking-request.ts'
import type { ModelCallOptions } from '../asking/call-model.ts'
import { documentsOf } from '../asking/documents.ts'
import { inParallel } from '../asking/in-parallel.ts'
import { hasResult, knownRun } from '../asking/known-runs.ts'
import type { ClaimQuote } from '../cards/claim.ts'
import { type Audit, type AuditedSentence, auditOf } from './audit.ts'
import { type Statement, statementsIn } from './statements.ts'

export interface AuditRequest extends AskingRequest {
  /** Plain text or Markdown that others wrote. */
  readonly text: string
  /** Called when some more statements were read, or found to be known. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}

export interface AuditParts {
  readonly storage: Pick<Storage, 'events'>
  readonly library: Pick<Library, 'add' | 'list'>
  readonly search: (
    query: string,
    options: { readonly limit: number; readonly documents: readonly string[] },
  ) => Promise<readonly Observation[]>
  readonly modelNames: readonly string[]
  readonly group: GroupRuns
  /** The prompt of the second reading, which the sentences of answers are read by; null without a language model. */
  readonly prompt: Prompt | null
  /** Asks the model alone, as a run of its own. */
  readonly call: (question: string, options: ModelCallOptions) => Promise<RunResult>
}

const auditRequest = z.strictObject({
  text: z.string(),
  ...askingRequest,
  onProgress: z.custom<AuditRequest['onProgress']>((value) => typeof value === 'function').optional(),
} satisfies Shape<AuditRequest>)

/** A few in a call, so that each has its own passages in the prompt. */
const statementsAtOnce = 4
const passagesEach = 5
const evidenceTokens = 6000

/**
 * Reads a text that others wrote over the documents, sentence by sentence: with the prompt and the verdicts of the second reading
 * of answers. What was read before is found in the log; without a model, only copies of a page's words are supported.
 * Throws `UsageError`, `NoDocuments`.
 */
export async function auditText(given: AuditRequest, parts: AuditParts): Promise<Audit> {
  checkOptions('The audit', auditRequest, given)
  const { documents, limitedTo } = await documentsOf(given, parts.library)
  const statements = statementsIn(given.text)
  const found: AuditedSentence[] = statements.map(({ text, unchecked }) => {
    return { text, state: 'not checkable', ...(unchecked && { reason: unchecked }), quotes: [] }
  })
  const open = statements.flatMap(({ unchecked }, at) => (unchecked === null ? [at] : []))
  const groups = Array.from({ length: Math.ceil(open.length / statementsAtOnce) }, (_, index) =>
    open.slice(index * statementsAtOnce, (index + 1) * statementsAtOnce),
  )
  const asked = ['audit', given.text, ...documents.map(({ documentId }) => documentId).sort(), ...parts.modelNames]
  const name = given.text.trim().slice(0, 200)
  const group = parts.group(asked, { kind: 'audit', name, documents: documents.length })
  const asking = { ...parts, call: group.around(parts.call) }
  const read = async (places: readonly number[]) => {
    given.signal?.throwIfAborted()
    const texts = places.map((at) => statements[at]?.text ?? '')
    return { places, audited: await readTogether(texts, documents, given, asking) }
  }
  let done = 0
  const reading = inParallel(groups, given.atOnce ?? usualAtOnce, read)
  const states = ({ audited }: Awaited<ReturnType<typeof read>>) => audited.map(({ state }) => state)
  for await (const { places, audited } of group.during(reading, states, given.signal)) {
    for (const [index, at] of places.entries()) found[at] = audited[index] ?? unread(statements[at], 'it was left out')
    done += places.length
    given.onProgress?.({ done, total: open.length })
  }
  // Calls that the signal has stopped are no verdicts: the same audit asked for again goes on with them.
  given.signal?.throwIfAborted()
  return auditOf(found, limitedTo)
}

async function readTogether(
  texts: readonly string[],
  documents: readonly DocumentRecord[],
  given: AuditRequest,
  parts: AuditParts,
): Promise<readonly AuditedSentence[]> {
  const documentIds = documents.map(({ documentId }) => documentId).sort()
  const near = await Promise.all(
    texts.map((text) => parts.search(text, { limit: passagesEach, documents: documentIds })),
  )
  const evidence = packEvidence([...new Map(near.flat().map((each) => [each.passageId, each])).values()], {
    tokens: evidenceTokens,
    // The best passage of each statement is among them, whatever the others find.
    first: near.flatMap(([best]) => best?.passageId ?? []),
  })
  if (!parts.prompt) return texts.map((text, index) => withoutReader(text, near[index] ?? []))
  if (evidence.length === 0)
    return texts.map((text) => ({ text, state: 'not supported', reason: noPassage, quotes: [] }))
  const claims = texts.map((text) => ({ text, under: null, kind: 'sentence', formulas: [], notes: [] }) as const)
  const { system, user } = renderPrompt(parts.prompt, {
    question: 'What do these documents say?',
    evidence: new Fenced(formatEvidence(evidence)),
    claims: new Fenced(formatClaims(claims)),
  })
  const result = await reply(`${system}\n\n${user}`, texts, documentIds, given, parts)
  const { verdicts } = judgementIn(result.answer, texts.length)
  const why = hasResult(result.status)
    ? 'the reader gave no verdict'
    : (result.error?.message ?? 'the reading was stopped')
  return texts.map((text, index) => auditedBy(verdicts.get(index + 1), text, evidence) ?? unread({ text }, why))
}

const noPassage = 'no passage of the documents has its words'

/** A call that was made before is read from the log; one that was interrupted goes on. */
async function reply(
  prompt: string,
  texts: readonly string[],
  documentIds: readonly string[],
  { limits, signal, afresh = false }: AuditRequest,
  { storage, modelNames, call }: AuditParts,
): Promise<RunResult> {
  const { key, known } = await knownRun(['audit', prompt, ...documentIds, ...modelNames], afresh, runReader(storage))
  const place = { threadId: `${cellThreads}${runIdOf(key)}`, documentIds, idempotencyKey: key }
  const choices = { ...(limits && { limits }), ...(signal && { signal }) }
  return known ?? call(`Audit: ${texts[0] ?? ''}`, { prompt, ...place, ...choices })
}

function auditedBy(verdict: Verdict | undefined, text: string, evidence: readonly Evidence[]): AuditedSentence | null {
  if (!verdict) return null
  const named = evidence.filter(({ passage }) => verdict.passages.includes(passage.id))
  const quotes = named.map(({ observation }) => nearestQuote(text, observation))
  if (verdict.holds) return { text, state: 'supported', quotes }
  const kind = verdict.isContradicted ? 'contradicted' : 'not shown'
  return { text, state: 'not supported', reason: verdict.why ? `${kind}: ${verdict.why}` : kind, quotes }
}

/** Without a model, a sentence is supported if a passage has it word for word; else nobody has read it. */
function withoutReader(text: string, near: readonly Observation[]): AuditedSentence {
  for (const observation of near) {
    const span = findQuote(text, observation.text)
    if (span) return { text, state: 'supported', quotes: [quoteIn(observation, span)] }
  }
  return {
    ...unread({ text }, 'nobody read it, since there is no model'),
    quotes: near.slice(0, 1).map((each) => nearestQuote(text, each)),
  }
}

function unread(statement: Pick<Statement, 'text'> | undefined, reason: string): AuditedSentence {
  return { text: statement?.text ?? '', state: 'not read', reason, quotes: [] }
}

/** The sentence of a passage that shares most words with a statement. */
function nearestQuote(text: string, observation: Observation): ClaimQuote {
  const wanted = new Set(tokens(text).map(({ word }) => word))
  const shared = (part: string) => new Set(tokens(part).flatMap(({ word }) => (wanted.has(word) ? [word] : []))).size
  const parts = sentences(observation.text).map((span) => ({
    span,
    words: shared(observation.text.slice(span.start, span.end)),
  }))
  const whole = { span: { start: 0, end: observation.text.length }, words: 0 }
  return quoteIn(observation, parts.reduce((a, b) => (b.words > a.words ? b : a), whole).span)
}

function quoteIn(
  { documentId, title, source, section, page, start, text }: Observation,
  span: { readonly start: number; readonly end: number },
): ClaimQuote {
  const place = { documentId, title, source, section, page, start: start + span.start, end: start + span.end }
  return { ...place, text: text.slice(span.start, span.end) }
}
