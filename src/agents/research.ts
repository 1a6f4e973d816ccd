import { AIMessage } from '@langchain/core/messages'
import { LimitReached, type QuaeroError } from '../errors.ts'
import type { Context, Observation } from '../events/index.ts'
import { fencedLine } from '../fenced.ts'
import { contentWords } from '../library/index.ts'
import type { Prompt } from '../prompts.ts'
import type { Tool } from '../tools/index.ts'
import { BaseAgent } from './base-agent.ts'
import { ambiguityIn, foremost, idsOf, isStrong, listing, nearBest, type QuickOptions, toldOf } from './hand-over.ts'
import { readingTool } from './loop/fit-context.ts'
import { type CitedPlace, earlierMessages, lastCited } from './loop/history.ts'
import { type ModelAgentOptions, promptedCall } from './loop/prompted-call.ts'
import { type ReactOptions, type ReactOutcome, reactLoop, runOneTool } from './loop/react-loop.ts'
import { endingOf } from './loop/step.ts'
import { type DelegationOptions, delegation } from './specialist.ts'
import { type AgentState, type AgentUpdate, askBack, currentQuestion, tell, toldIn } from './state.ts'

export interface ResearchOptions extends ModelAgentOptions {
  /** The tools on offer, read at each run: tools can be added and removed. */
  readonly tools: () => readonly Tool[]
  /** Asks a model that takes no tools what to search for; without it, such a model's refusal ends its work. */
  readonly plainPrompt?: Prompt
  /** The documents at hand, each with its id and what is known of it. */
  readonly documentTitles: (documents: readonly string[] | null) => Promise<readonly string[]>
  /** When a first search is enough for the writer to be asked at once; null: never. */
  readonly quick: QuickOptions | null
  /** The id of the passage of a person's document that holds a place; null where none does. */
  readonly passageAt: (place: CitedPlace) => Promise<string | null>
  /** How many questions back in a row may be asked, where the documents show that a question is ambiguous. */
  readonly maxClarifications: number
  readonly toolTimeoutMs: number
  readonly observationCharacters: number
  /** Which specialists it may ask; none if absent. */
  readonly delegation?: Omit<DelegationOptions, 'tools'>
}

/** Searches the documents where no model asks for it. */
const searchTool = 'pdf_retrieval'
/** Fixed, so that a person's approval of it still applies when the run resumes. */
const ownCall = 'own-search'
const ownWordsCall = 'own-words'
const ownReading = 'own-reading'
/** Passages that the last answer cites which are read again. */
const mostCited = 3
/** Passages of one reading. */
const readAtOnce = 5

const nobody = { specialists: [], maxDepth: 0, maxPerRun: 0 }

/** Gathers evidence with tools, in a loop of reasoning and acting; its result are passages, not prose. */
export class Research extends BaseAgent {
  readonly name = 'research'
  readonly #options: ResearchOptions

  constructor(options: ResearchOptions) {
    super()
    this.#options = options
  }

  protected async process(state: AgentState, context: Context): Promise<AgentUpdate> {
    const question = state.standaloneQuestion ?? currentQuestion(state)
    const { unclear } = toldIn(state.context)
    if (unclear && this.#mayAsk(state)) return askBack(state, { standaloneQuestion: question, ...unclear })
    const options = this.#loopOptions(question, state, context)
    return context.passages
      ? this.#read(context.passages, options, state, context)
      : this.#search(options, state, context)
  }

  /** A first search, which may be enough; else the loop. */
  async #search(options: LoopOptions, state: AgentState, context: Context): Promise<AgentUpdate> {
    const { quick } = this.#options
    const { question } = options
    const { cited: citedBefore } = toldIn(state.context)
    // Synthesis hands the turn back with the passages of the first search.
    const known = state.context.observations
    const first = quick && known.length === 0 ? await this.#begin(options, state, context) : null
    const mayBeQuick = quick && !namesTool(question, options.tools)
    if (mayBeQuick && !context.plan && first && isStrong(first.found, quick)) {
      const evidence = withCited(foremost(first.searches, quick), first.read)
      return handOn(state, context, { ...nothingMore, ...evidence, effort: 'quick' })
    }
    const { before, cited } = first ? withCited(first.found, first.read) : { before: known, cited: citedBefore }
    if (first?.limit) return handOn(state, context, { ...nothingMore, before, cited, error: first.limit })
    const plan = mayBeQuick ? planAfter(state) : null
    return this.#thoroughly({ ...options, before, cited, ...(plan && { plan }) }, state, context)
  }

  /** Reads the passages that the question names, in place of a search. */
  async #read(passages: readonly string[], options: LoopOptions, state: AgentState, context: Context) {
    const observations: Observation[] = []
    let error: LimitReached | null = null
    for (let at = 0; at < passages.length && !error; at += readAtOnce) {
      const args = { passage: passages.slice(at, at + readAtOnce).join(','), before: 0, after: 0 }
      const read = await runOneTool(context, { id: `${ownReading}-${at}`, name: readingTool, args }, options)
      observations.push(...read.observations)
      error = read.limit
    }
    return handOn(state, context, { ...nothingMore, observations, planned: passages, before: [], cited: [], error })
  }

  /**
   * What searches find for the question, and for the person's own words where others were put before them; then what the last
   * answer cites, with what stands beside it.
   */
  async #begin(options: LoopOptions, state: AgentState, context: Context) {
    const own = currentQuestion(state)
    const leansOnOthers = options.question !== own && options.question.endsWith(own)
    const searched = await searchItself(context, options)
    const alone = leansOnOthers && !searched?.limit ? await searchItself(context, options, own) : null
    const limit = searched?.limit ?? alone?.limit ?? null
    const read = limit ? [] : await this.#readCited(options, state, context)
    const searches = [searched?.observations ?? [], alone?.observations ?? []]
    return { searches, found: unique(searches.flat()), read, limit }
  }

  async #readCited(options: LoopOptions, state: AgentState, context: Context): Promise<readonly Observation[]> {
    const { documents, tools } = options
    if (!tools.some(({ name }) => name === readingTool)) return []
    const places = lastCited(state.messages).filter(({ documentId }) => documents?.includes(documentId) ?? true)
    const ids = await Promise.all(places.map(this.#options.passageAt))
    const passage = [...new Set(ids.filter((id) => id !== null))].slice(0, mostCited).join(',')
    if (passage === '') return []
    const call = { id: ownReading, name: readingTool, args: { passage } }
    return (await runOneTool(context, call, options)).observations
  }

  async #thoroughly(options: LoopOptions & Before, state: AgentState, context: Context) {
    const { question, before, cited } = options
    const isFirstPass = state.context.observations.length === 0
    const outcome = await this.#research(options, state, context)
    const unclear = this.#mayAsk(state) && ambiguityIn(outcome.finalText)
    if (unclear) return askBack(state, { standaloneQuestion: question, ...unclear })
    const isUnsearched = !this.#options.quick && outcome.toolHistory.length === 0
    const unasked = isUnsearched ? await searchItself(context, options) : null
    return handOn(state, context, {
      ...outcome,
      ...(outcome.planned && isFirstPass && { effort: 'quick' }),
      scoreShare: this.#options.quick?.scoreShare ?? 0,
      before: [...before, ...(unasked?.observations ?? [])],
      cited,
      error: outcome.error ?? unasked?.limit ?? null,
    })
  }

  /** A reply to a question back is searched for as it is. */
  #mayAsk({ clarificationCount, context }: AgentState): boolean {
    return clarificationCount < this.#options.maxClarifications && !toldIn(context).isAfterReply
  }

  #loopOptions(question: string, state: AgentState, context: Context): LoopOptions {
    const { plainPrompt, tools: currentTools } = this.#options
    return {
      ...this.#options,
      tools: currentTools(),
      isThere: (tool) => currentTools().includes(tool),
      ...(plainPrompt && { plain: { prompt: plainPrompt, question } }),
      agentTask: { agent: 'research', question, documents: context.documents },
      question,
      iteration: state.iteration + 1,
      documents: context.documents,
    }
  }

  async #research(options: LoopOptions & Before, state: AgentState, context: Context) {
    const { question, tools, before, cited } = options
    const titles = await this.#options.documentTitles(context.documents)
    const { messages, ...call } = promptedCall(
      context,
      this.#options,
      earlierMessages(state.messages, this.#options.maxHistory),
      {
        question,
        documents: titles.map((title) => `- ${fencedLine(title)}`).join('\n') || '(none)',
        found: listing(question, before, cited),
        tools: tools.map(({ name }) => name).join(', ') || '(none)',
      },
    )
    const own: ReactOptions = { ...options, ...call }
    const delegate = delegation({ ...(this.#options.delegation ?? nobody), tools: this.#options.tools }, own)
    return reactLoop(context, messages, { ...own, delegate })
  }
}

/** A loop before its prompt is rendered. */
type LoopOptions = Omit<ReactOptions, 'prompt' | 'history'>

/** What is known before the loop. */
interface Before extends Pick<ReactOptions, 'plan'> {
  readonly before: readonly Observation[]
  /** Ids of those passages that the last answer cites, and of those beside them. */
  readonly cited: readonly string[]
}

/** One search, for the question itself or for a person's own words, if there is a tool for it: what was found, and the limit that forbade it. */
async function searchItself(context: Context, options: LoopOptions, words?: string) {
  if (!options.tools.some(({ name }) => name === searchTool)) return null
  const id = words === undefined ? ownCall : ownWordsCall
  return runOneTool(context, { id, name: searchTool, args: { query: words ?? options.question } }, options)
}

/** What searches have found, then what was read because the last answer cites it. */
function withCited(found: readonly Observation[], read: readonly Observation[]) {
  const known = new Set(idsOf(found))
  const again = read.filter(({ passageId }) => !known.has(passageId))
  return { before: [...found, ...again], cited: idsOf(again) }
}

function unique(found: readonly Observation[]): readonly Observation[] {
  return [...new Map([...found].reverse().map((each) => [each.passageId, each])).values()].reverse()
}

/** Tools that read the library: what a first round of them finds goes to the writer at once. */
const planTools: ReadonlySet<string> = new Set([searchTool, readingTool, 'document_overview'])
/** Tools that read the library, or are about what others find. */
const commonTools: ReadonlySet<string> = new Set([...planTools, 'read_page'])

/** One plan a turn: where the writer has had what one has found, a second would not be enough. */
function planAfter(state: AgentState): ReactOptions['plan'] | null {
  if (toldIn(state.context).first.length > 0) return null
  return { tools: planTools, known: idsOf(state.context.observations) }
}

/** True for a question that holds a word of a tool's name: "What does the web say", asked where `web_search` is offered. */
function namesTool(question: string, tools: readonly Tool[]): boolean {
  const names = tools.map(({ name }) => name).filter((name) => !commonTools.has(name))
  const words = new Set(contentWords(question))
  return names.flatMap((name) => contentWords(name.replaceAll('_', ' '))).some((word) => words.has(word))
}

interface Findings extends ReactOutcome, Before {
  readonly effort?: 'quick'
  /** Where the loop has found passages, others are left out below this share of their best score, unless it named them. */
  readonly scoreShare?: number
}

const nothingMore: ReactOutcome = { finalText: null, observations: [], readIds: [], toolHistory: [], error: null }

/** Leads to synthesis with all that was found. */
function handOn(state: AgentState, context: Context, findings: Findings): AgentUpdate {
  const { before, cited, finalText, error, effort = 'thorough', scoreShare = 0 } = findings
  const foundBefore = new Set(before.map(({ passageId }) => passageId))
  const all = [...before, ...findings.observations.filter(({ passageId }) => !foundBefore.has(passageId))]
  const told = toldOf(findings, all)
  const near = idsOf(nearBest(before, findings.observations, scoreShare))
  const wanted = new Set([...told.first, ...told.found, ...near, ...cited])
  const observations = all.filter(({ passageId }) => wanted.has(passageId))
  const used = [...(before.length > cited.length ? [searchTool] : []), ...(cited.length > 0 ? [readingTool] : [])]
  return {
    nextAgent: 'synthesis',
    // The model's closing words stand in the thread until the answer replaces them, by id. A quick turn has none.
    ...(effort === 'thorough' && {
      messages: [new AIMessage({ id: answerId(context), content: finalText ?? '(no words)' })],
    }),
    context: {
      ...tell(state.context, { ...told, cited: [...cited] }),
      effort,
      observations,
      toolHistory: [...new Set([...used, ...findings.toolHistory])],
      finalOutput: finalText,
      ending: endingOf(error) ?? state.context.ending,
      error: failureOf(error) ?? state.context.error,
    },
  }
}

/** The id under which a run's one AI message stands in the thread. */
export function answerId(context: Context): string {
  return `${context.correlationId}-answer`
}

function failureOf(error: QuaeroError | null): { code: string; message: string } | null {
  return error && !(error instanceof LimitReached) ? { code: error.code, message: error.message } : null
}
