import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { packEvidence } from '../answers/evidence.ts'
import { abstainMark } from '../answers/notation/stream-filter.ts'
import type { PageTextOf } from '../answers/quotes/locate-quotes.ts'
import type { Claim } from '../answers/second-reading/claim.ts'
import { confidenceOf } from '../answers/verification/confidence.ts'
import { longestDraft, type VerifiedAnswer, verifyDraft } from '../answers/verification/verify-draft.ts'
import { type Context, type Evidence, fact, slices } from '../events/index.ts'
import type { AgentTask } from '../models/port/model.ts'
import { BaseAgent } from './base-agent.ts'
import { foremost, handedOver, isWorthAsking, type QuickOptions } from './hand-over.ts'
import { citedIn, closingMessage } from './loop/history.ts'
import type { ModelAgentOptions } from './loop/prompted-call.ts'
import { endingOf, survivable } from './loop/step.ts'
import { handBack, partial, withOwnWords } from './quick-answer.ts'
import { answerId } from './research.ts'
import { type Readings, readAgain, type SecondReadingOptions } from './second-reading.ts'
import { type AgentState, type AgentUpdate, currentQuestion } from './state.ts'
import { abstention, leftOut, refusal, searchedIn, succeededIn, withNotes, withoutBold } from './wording.ts'
import { type Draft, discard, ruledBy, writeDraft } from './write-draft.ts'

export interface SynthesisOptions extends ModelAgentOptions {
  readonly evidenceTokens: number
  /** Which passages of a first search are written from at once; null where every question is researched in full. */
  readonly quick: QuickOptions | null
  /** Below this confidence a quoted (extractive) answer is withheld. */
  readonly abstainBelow: number
  /** Below this confidence the answer carries a note to verify it. */
  readonly noteBelow: number
  /** Ask a language model once more where too little of its answer could be verified. */
  readonly repair: boolean
  /** Has a language model read doubtful sentences beside their quotes; null for the checks by words alone. */
  readonly secondReading: SecondReadingOptions | null
  readonly pageTextOf: PageTextOf
  /** Picks quotes without a model: what is left when the model fails. */
  readonly quoteEvidence: (task: AgentTask) => Promise<AIMessage>
  readonly countDocuments: (documents: readonly string[] | null) => Promise<number>
}

/** Answers the question from the evidence; only what a quote on its page supports reaches the reader. */
export class Synthesis extends BaseAgent {
  readonly name = 'synthesis'
  readonly #options: SynthesisOptions

  constructor(options: SynthesisOptions) {
    super()
    this.#options = options
  }

  protected async process(state: AgentState, context: Context): Promise<AgentUpdate> {
    const question = state.standaloneQuestion ?? currentQuestion(state)
    const turn = { question, state, context, readings: new Map() }
    const first = await this.#draft(this.#evidence(state), turn)
    const { draft: last, verified } = await this.#repaired(first, turn)
    const back = await handBack(last, verified, turn)
    if (back) return back
    const draft = checkedDraft(last, verified, context)
    const confidence = confidenceIn(draft, verified, question)
    return this.#conclude({ ...turn, draft, verified, confidence })
  }

  #evidence({ context }: AgentState): Evidence[] {
    const { quick, evidenceTokens: tokens } = this.#options
    const { observations, effort } = context
    const { first, cited } = handedOver({ context })
    if (quick && effort === 'quick')
      return packEvidence(foremost(observations, quick, cited), { tokens: quick.evidenceTokens })
    // Where research says which passages hold the answer, few others are worth their tokens.
    const passages = quick && first.length > 0 ? quick.passages : observations.length
    return packEvidence(observations, { tokens, first, passages })
  }

  async #verify({ text, evidence, kind }: Draft, { question, context, readings }: Turn): Promise<VerifiedAnswer> {
    const { pageTextOf, secondReading } = this.#options
    const reread = (options: SecondReadingOptions) => (claims: readonly Claim[]) =>
      readAgain(context, options, { question, claims, readings })
    const draft = text.replaceAll(abstainMark, '')
    const verified = await verifyDraft({
      draft,
      question,
      evidence,
      pageTextOf,
      hasTime: slices(context),
      ...(secondReading && kind === 'written' && { reread: reread(secondReading) }),
    })
    await fact(context, 'draft.checked', { dropped: [...verified.dropped] })
    return verified
  }

  /** The model's draft; the best quotes, if the model fails; nothing, if there is no evidence to pay a model for. */
  async #draft(evidence: readonly Evidence[], turn: Turn): Promise<Draft> {
    const { question, context } = turn
    const nothing = { shown: '', error: null, ending: null, cut: false, refused: false, ruled: null }
    const empty = { ...nothing, messageId: answerId(context), evidence, asked: [] }
    const isWorth = !this.#options.quick || isWorthAsking(evidence, question, turn.state)
    if (evidence.length === 0 || !isWorth) return { ...empty, text: abstainMark, kind: 'written' }
    try {
      return await this.#write(evidence, turn)
    } catch (thrown) {
      const error = survivable(thrown, context)
      const { code, message } = error
      const ending = endingOf(error)
      await fact(context, 'notice', { code, message: `The answer is made of quotes: ${message}` })
      const quotes = await this.#options.quoteEvidence(taskOf(question, evidence, context))
      const failure = ending ? null : { code, message }
      return { ...empty, ruled: ruledBy(quotes), text: quotes.text, kind: 'quotes', error: failure, ending }
    }
  }

  /** The verified draft; or a second one, if the first fails and the second is better. */
  async #repaired(draft: Draft, turn: Turn) {
    const { evidence, asked } = draft
    const first = { draft, verified: await this.#verify(draft, turn) }
    if (!this.#options.repair || draft.kind !== 'written' || draft.refused || !needsRepair(first.verified)) return first
    try {
      const failed = [...asked, new AIMessage(draft.text), new HumanMessage(repairRequest(first.verified))]
      const again = await this.#write(evidence, turn, failed)
      const second = { draft: again, verified: await this.#verify(again, turn) }
      // Who may repair an answer and abstains has none: what is left of the first is then not shown as one.
      const hasAbstained = second.verified.text === '' && again.text.includes(abstainMark)
      const isSecond = hasAbstained ? first.verified.lostFirst : isBetter(second.verified, first.verified)
      await discard(turn.context, isSecond ? draft : again)
      if (!isSecond) return first
      return hasAbstained ? { draft: again, verified: { ...second.verified, dropped: first.verified.dropped } } : second
    } catch (error) {
      // A limit or a failing endpoint leaves what the first draft holds.
      survivable(error, turn.context)
      return first
    }
  }

  #write(
    evidence: readonly Evidence[],
    { question, state, context }: Turn,
    failed: readonly BaseMessage[] = [],
  ): Promise<Draft> {
    const agentTask = taskOf(question, evidence, context)
    const { messages } = state
    const assumed = [assumedOf(state), state.context.effort === 'quick' && partial].filter(Boolean).join('\n')
    const asked = withOwnWords(question, state)
    return writeDraft(context, this.#options, { agentTask, question: asked, evidence, messages, assumed, failed })
  }

  async #conclude(work: Work): Promise<AgentUpdate> {
    const { question, draft, verified, confidence, state, context } = work
    const abstained = verified.text === '' || (draft.kind === 'quotes' && confidence < this.#options.abstainBelow)
    const written = abstained ? await this.#abstain(work) : this.#answer(work)
    // Words that a rule put in bold are returned as highlights; the text itself stays plain, like the documents.
    const sources = sourcesOf(draft)
    const { text: answer, highlights } = withoutBold(written, abstained ? null : sources)
    const citations = abstained ? [] : [...verified.citations]
    const calculations = abstained ? [] : [...verified.calculations]
    const unsupported = leftOut(verified.dropped, sources)
    const message = { messageId: draft.messageId, role: 'assistant', scope: 'thread' } as const
    if (draft.messageId === answerId(context)) await fact(context, 'message.created', message)
    await fact(context, 'message.completed', {
      ...message,
      text: answer,
      citations,
      ...(calculations.length > 0 && { calculations }),
      ...(unsupported.length > 0 && { unsupported }),
      confidence,
      abstained,
      superseded: answer !== draft.shown,
    })
    return {
      messages: [closingMessage(answerId(context), answer, { question, ...citedIn(citations) })],
      nextAgent: 'END',
      finalAnswer: answer,
      confidenceScore: confidence,
      citations,
      calculations,
      unsupported,
      context: {
        ...state.context,
        ending: state.context.ending ?? draft.ending,
        error: draft.error ?? state.context.error,
        agents: { ...state.context.agents, synthesis: { abstained, highlights } },
      },
    }
  }

  #answer({ draft, verified, confidence, state }: Work): string {
    const answersByRule = this.#options.chat.kind === 'rules'
    return withNotes(verified.text, {
      ...commonNotes(draft, state),
      remarks: draft.ruled?.remarks ?? [],
      extractive: answersByRule,
      failure: draft.error,
      quotes: draft.kind === 'quotes' && !answersByRule,
      unsure: confidence < this.#options.noteBelow,
      lostFirst: verified.lostFirst,
      namesAbsence: verified.namesAbsence,
    })
  }

  async #abstain({ draft, verified, state, context }: Work): Promise<string> {
    const unverified = draft.kind === 'written' && verified.dropped.length > 0
    const log = context.log?.()
    const nearest = abstention({
      evidence: draft.evidence,
      documents: await this.#options.countDocuments(context.documents),
      searchedWeb: state.context.toolHistory.includes('web_search') && succeededIn(log, 'web_search'),
      searched: searchedIn(log),
      unverified,
    })
    const text = draft.refused ? `${refusal(draft.text)}\n\n${nearest}` : nearest
    const searchedByRule = this.#options.chat.kind === 'rules'
    return withNotes(text, {
      ...commonNotes(draft, state),
      searchedByRule,
      failure: draft.error ?? state.context.error,
      unverified,
    })
  }
}

/** What a rule quoted from, whose own bold marks stay; null where a model wrote. */
function sourcesOf({ kind, evidence }: Draft): readonly string[] | null {
  return kind === 'quotes' ? evidence.map(({ observation }) => observation.text) : null
}

/** What a turn is about. */
interface Turn {
  readonly question: string
  readonly state: AgentState
  readonly context: Context
  readonly readings: Readings
}

interface Work extends Turn {
  readonly draft: Draft
  readonly verified: VerifiedAnswer
  readonly confidence: number
}

function taskOf(question: string, evidence: readonly Evidence[], { documents }: Context): AgentTask {
  return { agent: 'synthesis', question, evidence: evidence.map(({ passage }) => passage), documents }
}

function commonNotes(draft: Draft, state: AgentState) {
  return { ending: state.context.ending ?? draft.ending, assumed: assumedOf(state), cut: draft.cut }
}

/** The draft with what its check has shown: it was too long to be checked whole, or the time was up. */
function checkedDraft(draft: Draft, { isCutShort }: VerifiedAnswer, { deadline }: Context): Draft {
  const cut = draft.cut || draft.text.length > longestDraft
  return { ...draft, cut, ending: draft.ending ?? (isCutShort ? endingOf(deadline?.reason) : null) }
}

/** A rule's own confidence in its answer, as long as any of it holds; else what the verification shows. */
function confidenceIn({ ruled, evidence }: Draft, verified: VerifiedAnswer, question: string): number {
  if (ruled) return verified.text === '' ? 0 : ruled.confidence
  return confidenceOf({ ...verified, question, evidence })
}

function assumedOf(state: AgentState): string | null {
  const assumed = state.context.agents.orchestrator?.assumed
  return typeof assumed === 'string' ? assumed : null
}

/** So many failures are listed; a model that fails more often has not understood the form. */
const mostListed = 12

/** True where nothing of a draft, not its first sentence, or less than half of it could be verified. */
function needsRepair({ text, dropped, lostFirst, support }: VerifiedAnswer): boolean {
  return dropped.length > 0 && (text === '' || lostFirst || dropped.length > support.length)
}

/** The second draft is the answer if it answers where the first does not, or more of it could be verified. */
function isBetter(repaired: VerifiedAnswer, first: VerifiedAnswer): boolean {
  const rankOf = ({ text, lostFirst, support, dropped }: VerifiedAnswer) =>
    (text === '' ? 0 : lostFirst ? 1 : 2) + support.length / (support.length + dropped.length + 1)
  return rankOf(repaired) > rankOf(first)
}

/** Tells the model which sentences failed and why, and asks for the whole answer once more. */
function repairRequest({ dropped }: VerifiedAnswer): string {
  const failures = dropped.slice(0, mostListed).map(({ sentence, reason }) => `- “${sentence}”: ${reason}.`)
  const more = dropped.length - failures.length
  return [
    'These sentences of your answer could not be verified, and will not be shown:',
    ...failures,
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
    'Write the whole answer once more, in the same form. Name after each sentence the passage that says it, with words copied letter for letter from it; state only what they state, and leave out what no passage says. If the passages do not hold the answer, reply with exactly <abstain/>.',
  ].join('\n')
}
