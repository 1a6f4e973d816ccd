import type { Payloads, StreamEvent } from '../../src/events/index.ts'

const kinds = ['routing', 'research', 'writing', 'reading', 'exam', 'other'] as const
export type CallKind = (typeof kinds)[number]
export const callKinds: readonly CallKind[] = kinds

/** One call of a model. Null: the endpoint did not say, or the call failed. */
export interface Call {
  readonly kind: CallKind
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly cachedTokens: number | null
}

/** A draft as it was written, with what became of its sentences. */
export interface Draft {
  /** Null: no model wrote it. */
  readonly text: string | null
  readonly sentences: Payloads['draft.checked']['sentences']
}

export interface Account {
  readonly drafts: readonly Draft[]
  readonly calls: readonly Call[]
  readonly notices: readonly string[]
}

const kindOfPrompt: Readonly<Record<string, CallKind>> = {
  orchestrator: 'routing',
  clarification: 'routing',
  research: 'research',
  searches: 'research',
  specialist: 'research',
  synthesis: 'writing',
  'second-reading': 'reading',
  'reader-exam': 'exam',
}

/** What was written and paid in a run, from its stream. */
export function accountOf(lines: readonly StreamEvent[]): Account {
  const calls = callsIn(lines)
  return {
    drafts: draftsIn(lines, calls),
    calls: [...calls.values()],
    notices: lines.flatMap(({ type, payload }) => (type === 'notice' ? [payload.message] : [])),
  }
}

/** The calls by their spans. A rule is given no prompt, and costs nothing. */
function callsIn(lines: readonly StreamEvent[]): ReadonlyMap<string, Call> {
  const calls = new Map<string, Call>()
  for (const line of lines) {
    if (line.type === 'model.started' && (line.payload.prompt || line.payload.askedBy)) {
      const kind = kindOfPrompt[line.payload.promptId ?? ''] ?? 'other'
      calls.set(line.id, { kind, inputTokens: null, outputTokens: null, cachedTokens: null })
    }
    const call = calls.get(spanOf(line))
    if (line.type === 'model.completed' && call) {
      const { inputTokens, outputTokens, cachedInputTokens = null } = line.payload.usage
      calls.set(spanOf(line), { ...call, inputTokens, outputTokens, cachedTokens: cachedInputTokens })
    }
  }
  return calls
}

function draftsIn(lines: readonly StreamEvent[], calls: ReadonlyMap<string, Call>): readonly Draft[] {
  const drafts: Draft[] = []
  let text: string | null = null
  for (const line of lines) {
    if (line.type === 'model.replied' && calls.get(spanOf(line))?.kind === 'writing') text = line.payload.text
    if (line.type !== 'draft.checked') continue
    drafts.push({ text, sentences: line.payload.sentences })
    text = null
  }
  return drafts
}

function spanOf(line: StreamEvent): string {
  return 'causationId' in line ? (line.causationId ?? '') : ''
}
