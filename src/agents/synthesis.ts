import type { AIMessage } from '@langchain/core/messages'
import {
  abstainMark,
  ambiguousMark,
  answerOf,
  confidenceOf,
  type JudgedDraft,
  judgeDraft,
  judgeQuotes,
  longestDraft,
  merged,
  type PageTextOf,
  packEvidence,
  type TablesOf,
  type VerifiedAnswer,
} from '../answers/index.ts'
import { type AnswerSentence, type Context, type Evidence, fact, slices } from '../events/index.ts'
import type { AgentTask } from '../models/index.ts'
import { BaseAgent } from './base-agent.ts'
import { ambiguityIn, idsOf, isWorthAsking, type QuickOptions } from './hand-over.ts'
import { citedIn, closingMessage } from './loop/history.ts'
import type { ModelAgentOptions } from './loop/prompted-call.ts'
import { endingOf, survivable } from './loop/step.ts'
import { answerId } from './research.ts'
import { judgeWith, type Readings, type SecondReadingOptions } from './second-reading.ts'
import { type AgentState, type AgentUpdate, currentQuestion, tell, toldIn } from './state.ts'
import { abstention, leftOut, refusal, searchedIn, succeededIn, withNotes, withoutBold } from './wording.ts'
import { type Draft, discard, repairRequest, ruledBy, taskOf, writeDraft } from './write-draft.ts'

export interface SynthesisOptions extends ModelAgentOptions {
  readonly evidenceTokens: number
  /** Which passages of a first search are written from at once; null where every question is researched in full. */
  readonly quick: QuickOptions | null
  /** Below this confidence a quoted (extractive) answer is withheld. */
  readonly abstainBelow: number
  /** Below this confidence the answer carries a note to verify it. */
  readonly noteBelow: number
  /** Ask a language model once more where what is left of its answer does not answer the question. */
  readonly repair: boolean
  /** Has a language model read the sentences beside the passages; null where nobody reads them again. */
  readonly secondReading: SecondReadingOptions | null
  readonly pageTextOf: PageTextOf
  /** Where it is absent, nothing is known of tables. */
  readonly tablesOf?: TablesOf
  /** Picks quotes without a model: what is left when the model fails. */
  readonly quoteEvidence: (task: AgentTask) => Promise<AIMessage>
  readonly countDocuments: (documents: readonly string[] | null) => Promise<number>
}

/** Of passages that the question names. */
const namedTokens = 12_000

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
    const first = await this.#draft(this.#evidence(state, context), turn)
    const { draft: last, judged } = await this.#repaired(first, turn)
    if (isHandedBack(last, judged, state)) return handBack(last, judged, turn)
    const { abstainBelow } = this.#options
    return this.#conclude({ ...turn, judged, ...shownOf(last, judged, { context, abstainBelow }) })
  }

  #evidence({ context }: AgentState, { passages: named }: Context): Evidence[] {
    const { quick, evidenceTokens: tokens } = this.#options
    if (named) return packEvidence(context.observations, { tokens: namedTokens, first: named })
    const { observations, effort } = context
    const { first, cited } = toldIn(context)
    // Where research says which passages hold the answer, few others are worth their tokens.
    if (quick && first.length > 0) {
      const { evidenceTokens } = quick
      // A plan has a passage for each of its parts; closing words may have missed one.
      const passages = effort === 'quick' ? first.length : quick.passages
      return packEvidence(observations, { tokens: evidenceTokens, first: [...first, ...cited], passages })
    }
    // Research has put them in order.
    if (quick && effort === 'quick') {
      return packEvidence(observations, { tokens: quick.firstTokens, first: idsOf(observations) })
    }
    return packEvidence(observations, { tokens, first })
  }

  async #judge({ text, evidence, kind }: Draft, { question, context, readings }: Turn): Promise<JudgedDraft> {
    const { pageTextOf, tablesOf, secondReading } = this.#options
    const sources = { evidence, pageTextOf, ...(tablesOf && { tablesOf }) }
    const draft = text.replaceAll(abstainMark, '').replace(ambiguousMark, '')
    const toCheck = { draft, ...sources, hasTime: slices(context) }
    const judge = secondReading && judgeWith(context, secondReading, { question, evidence, readings })
    const judged = await (kind === 'quotes' ? judgeQuotes(toCheck) : judgeDraft({ ...toCheck, question, judge }))
    await fact(context, 'draft.checked', checkedIn(judged))
    return judged
  }

  /** The model's draft; the best quotes, if the model fails; nothing, if there is no evidence to pay a model for. */
  async #draft(evidence: readonly Evidence[], turn: Turn): Promise<Draft> {
    const { question, context } = turn
    const nothing = { shown: '', error: null, ending: null, cut: false, refused: false, ruled: null }
    const empty = { ...nothing, messageId: answerId(context), evidence, asked: [] }
    const isWorth = !this.#options.quick || isWorthAsking(evidence, question, toldIn(turn.state.context))
    if (evidence.length === 0 || !isWorth) return { ...empty, text: abstainMark, kind: 'written' }
    try {
      return await writeDraft(this.#options, { ...turn, evidence })
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

  /** The judged draft; merged with a second one, if what is left of it does not answer the question. */
  async #repaired(draft: Draft, turn: Turn): Promise<{ readonly draft: Draft; readonly judged: JudgedDraft }> {
    const { evidence, asked } = draft
    const first = { draft, judged: await this.#judge(draft, turn) }
    if (!this.#options.repair || draft.kind !== 'written' || draft.refused || !needsRepair(first.judged)) return first
    try {
      const failed = [...asked, ...repairRequest(draft, first.judged)]
      const again = await writeDraft(this.#options, { ...turn, evidence, failed })
      const judged = await this.#judge(again, turn)
      await discard(turn.context, draft)
      return { draft: again, judged: merged(first.judged, judged) }
    } catch (error) {
      // A limit or a failing endpoint leaves what the first draft holds.
      survivable(error, turn.context)
      return first
    }
  }

  async #conclude(work: Work): Promise<AgentUpdate> {
    const { question, draft, verified, confidence, abstained, state, context } = work
    const written = abstained ? await this.#abstain(work) : this.#answer(work)
    // Words that a rule put in bold are returned as highlights; the text itself stays plain, like the documents.
    const sources = sourcesOf(draft)
    const { text: answer, highlights } = withoutBold(written, abstained ? null : sources)
    const citations = abstained ? [] : [...verified.citations]
    const calculations = abstained ? [] : [...verified.calculations]
    const sentences = sentencesIn(work)
    const unsupported = leftOut(sentences, sources)
    const message = { messageId: draft.messageId, role: 'assistant', scope: 'thread' } as const
    if (draft.messageId === answerId(context)) await fact(context, 'message.created', message)
    await fact(context, 'message.completed', {
      ...message,
      text: answer,
      citations,
      ...(calculations.length > 0 && { calculations }),
      ...(sentences.length > 0 && { sentences }),
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
      sentences,
      unsupported,
      context: {
        ...tell(state.context, { abstained, highlights }),
        ending: state.context.ending ?? draft.ending,
        error: draft.error ?? state.context.error,
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
      namesAbsence: verified.namesAbsence,
    })
  }

  async #abstain({ draft, judged, state, context }: Work): Promise<string> {
    const unverified = draft.kind === 'written' && judged.sentences.some(({ isStructure }) => !isStructure)
    const log = context.log?.()
    const nearest = abstention({
      question: state.standaloneQuestion ?? currentQuestion(state),
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

/** A remainder that does not answer is not shown as an answer, and neither are quotes of little confidence. */
function shownOf(
  last: Draft,
  judged: JudgedDraft,
  { context, abstainBelow }: { context: Context; abstainBelow: number },
) {
  const draft = checkedDraft(last, judged, context)
  const verified = answerOf(judged)
  const isAnswer = verified.text !== '' && (draft.kind === 'quotes' || judged.isAnswered)
  const sure = draft.ruled ? draft.ruled.confidence : confidenceOf(verified.sentences, judged.isAnswered)
  const confidence = isAnswer ? sure : 0
  return { draft, verified, confidence, abstained: !isAnswer || (draft.kind === 'quotes' && confidence < abstainBelow) }
}

/** Of an abstention, what does not stand. */
function sentencesIn({ abstained, draft, verified: { sentences } }: Work): AnswerSentence[] {
  const told = abstained ? sentences.filter(({ state }) => state === 'unsupported') : sentences
  return told.map((each) => ({ ...each, text: withoutBold(each.text, sourcesOf(draft)).text }))
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
  readonly judged: JudgedDraft
  readonly verified: VerifiedAnswer
  readonly confidence: number
  readonly abstained: boolean
}

function commonNotes(draft: Draft, state: AgentState) {
  return { ending: state.context.ending ?? draft.ending, assumed: toldIn(state.context).assumed, cut: draft.cut }
}

/** The draft with what its check has shown: it was too long to be checked whole, or the time was up. */
function checkedDraft(draft: Draft, { isCutShort }: JudgedDraft, { deadline }: Context): Draft {
  const cut = draft.cut || draft.text.length > longestDraft
  return { ...draft, cut, ending: draft.ending ?? (isCutShort ? endingOf(deadline?.reason) : null) }
}

/** What is told of a draft's check. */
function checkedIn({ sentences }: JudgedDraft) {
  const said = sentences.filter(({ isStructure }) => !isStructure)
  return {
    sentences: said.map(({ text, state, stage, reason, correctedFrom }) => ({
      text,
      state,
      stage,
      ...(reason !== null && { reason }),
      ...(correctedFrom !== null && { correctedFrom }),
    })),
  }
}

/** True where sentences of a draft fell, and what is left does not answer the question. */
function needsRepair({ sentences, isAnswered }: JudgedDraft): boolean {
  return !isAnswered && sentences.some(({ state, isStructure }) => state === 'unsupported' && !isStructure)
}

/** True where the writer of a quick turn abstains or asks what is meant, or what is left of its draft does not answer. */
function isHandedBack({ kind, refused }: Draft, { isAnswered, isCutShort }: JudgedDraft, { context }: AgentState) {
  return context.effort === 'quick' && kind === 'written' && !refused && !isCutShort && !isAnswered
}

/** Gives a quick turn back to research. What was streamed of the draft is discarded. */
async function handBack(draft: Draft, judged: JudgedDraft, { state, context }: Turn): Promise<AgentUpdate> {
  if (draft.asked.length > 0) await discard(context, draft)
  const unclear = ambiguityIn(draft.text)
  const hasAbstained = judged.sentences.length === 0 && !unclear
  const declined = hasAbstained ? draft.evidence.map(({ observation }) => observation.passageId) : []
  return { nextAgent: 'research', context: { ...tell(state.context, { declined, unclear }), effort: 'thorough' } }
}
