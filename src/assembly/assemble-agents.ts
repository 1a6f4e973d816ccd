import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import {
  type BaseAgent,
  Clarification,
  Orchestrator,
  Research,
  readerExam,
  readerMarks,
  type SecondReadingOptions,
  type Specialist,
  Synthesis,
} from '../agents/index.ts'
import type { AgentName, Config, ModelUser } from '../config.ts'
import type { Agents } from '../graph/index.ts'
import { type DocumentRecord, documentName, type PassageIndex } from '../library/index.ts'
import { type AgentTask, type ChatModel, rememberAbilities, resolveModel } from '../models/index.ts'
import { loadPrompt } from '../prompts.ts'
import type { HookCallsOptions } from '../runs/index.ts'
import { observationAt, type Tool } from '../tools/index.ts'

/** Loaded when it is needed, since it takes time. */
const offline = () => import('../offline/index.ts')

export interface AgentParts {
  readonly config: Config
  readonly dataDir: string
  /** Chosen by the caller for all agents; null leaves it to the settings. */
  readonly model: string | BaseChatModel | null
  readonly index: PassageIndex
  /** Read again for each run, since tools come and go. */
  readonly tools: () => readonly Tool[]
  readonly own: Partial<Readonly<Record<AgentName, BaseAgent>>>
}

export interface AssembledAgents {
  readonly agents: Agents
  readonly models: Readonly<Record<AgentName, ChatModel>>
  readonly specialists: readonly Specialist[]
  /** The model of the second reading; null where answers are not read again. */
  readonly reader: ChatModel | null
  /** For hooks that ask a model themselves. */
  readonly chatFor: HookCallsOptions['chatFor']
}

/** Makes the four agents, each with its model, prompt and settings; a person's own agents take their places. */
export async function assembleAgents(parts: AgentParts): Promise<AssembledAgents> {
  const { config, model, index, tools, own, dataDir } = parts
  const { settings } = config
  const extractive = extractiveOver(index, settings)
  const choosing = { config, extractive, abilities: rememberAbilities(settings.endpoint) }
  const choose = (agent: ModelUser) => resolveModel(model, { ...choosing, agent })
  const models = {
    orchestrator: await choose('orchestrator'),
    clarification: await choose('clarification'),
    research: await choose('research'),
    synthesis: await choose('synthesis'),
  }
  const specialists = await assembleSpecialists(parts, models.research, choosing)
  const isReadAgain = settings.answer.secondReading === 'doubtful' && models.synthesis.kind === 'language'
  const reader = isReadAgain ? readerOf(await choose('secondReading'), models.synthesis) : null
  const common = (agent: AgentName) => {
    const { temperature, maxHistory, prompt } = settings.agents[agent]
    return { chat: models[agent], prompt: loadPrompt(prompt, settings.promptsDir), temperature, maxHistory }
  }
  const quick = settings.research === 'auto' && canBeQuick(models, own) ? settings.quick : null
  const agents = {
    orchestrator: new Orchestrator({
      ...common('orchestrator'),
      ask: settings.clarification.ask,
      maxClarifications: settings.clarification.maxInARow,
      skipRouting: quick?.skipRouting === true && models.orchestrator.kind === 'language',
      documentTitles: async (documents) => (await documentsIn(index, documents)).map(describe),
      // Loaded with the first follow-up.
      completed: async (question, history) =>
        history.length === 0 ? question : (await offline()).standaloneQuestion(question, history).question,
    }),
    clarification: new Clarification(common('clarification')),
    research: new Research({
      ...common('research'),
      plainPrompt: loadPrompt('searches', settings.promptsDir),
      tools,
      documentTitles: async (documents) =>
        (await documentsIn(index, documents)).map((each) => `${each.documentId}: ${describe(each)}`),
      quick,
      passageAt: async (place) => {
        const found = await observationAt(index, place)
        return found?.origin === 'documents' ? found.passageId : null
      },
      maxClarifications: settings.clarification.ask === 'never' ? 0 : settings.clarification.maxInARow,
      toolTimeoutMs: 1000 * settings.tools.timeoutSeconds,
      observationCharacters: settings.tools.observationCharacters,
      delegation: { specialists, ...settings.delegation },
    }),
    synthesis: new Synthesis({
      ...common('synthesis'),
      ...settings.answer,
      secondReading: reader && readingBy(reader, config, dataDir),
      evidenceTokens: settings.search.evidenceTokens,
      quick,
      pageTextOf: (documentId, page, { start, end }) =>
        index.pageWindow(documentId, page, { start: Math.max(0, start - aroundQuote), end: end + aroundQuote }),
      tablesOf: (documentId, page, within) => index.tables(documentId, page, within),
      quoteEvidence: quoteWith(extractive),
      countDocuments: async (documents) => documents?.length ?? (await index.documents()).length,
    }),
  }
  return { agents: { ...agents, ...own }, models, specialists, reader, chatFor: chatFinder(models, choosing) }
}

/** Rules cost nothing. They hand nothing back, and neither does a person's own agent. */
function canBeQuick({ research, synthesis }: AssembledAgents['models'], own: AgentParts['own']): boolean {
  return !own.synthesis && [research, synthesis].every(({ kind }) => kind === 'language')
}

function readingBy(chat: ChatModel, { settings }: Config, dataDir: string): SecondReadingOptions {
  const { temperature, prompt } = settings.agents.secondReading
  const reader = { chat, temperature, prompt: loadPrompt(prompt, settings.promptsDir) }
  const { readerMark: leastMark } = settings.answer
  return { ...reader, examine: readerExam({ ...reader, leastMark, marks: readerMarks(dataDir) }) }
}

/** A second reading takes a language model. */
function readerOf(chosen: ChatModel, synthesis: ChatModel): ChatModel {
  return chosen.kind === 'rules' ? synthesis : chosen
}

/** Models by agent or by name; one that is named is made once. */
function chatFinder(
  models: AssembledAgents['models'],
  choosing: Parameters<typeof resolveModel>[1],
): AssembledAgents['chatFor'] {
  const byAgent = new Map<string, ChatModel>(Object.entries(models))
  const named = new Map<string, Promise<ChatModel>>()
  return async (agent, name) => {
    if (name === undefined) return byAgent.get(agent ?? 'synthesis') ?? models.synthesis
    const chat = named.get(name) ?? resolveModel(name, choosing)
    named.set(name, chat)
    return chat
  }
}

/** Characters on either side of a passage in which its quotes are looked for, where its page is longer. */
const aroundQuote = 30_000

/** Each specialist with its prompt and model; a model that the caller chose for all agents is theirs too. */
function assembleSpecialists(
  { config, model }: AgentParts,
  research: ChatModel,
  choosing: Parameters<typeof resolveModel>[1],
): Promise<readonly Specialist[]> {
  const { specialists, promptsDir } = config.settings
  return Promise.all(
    Object.entries(specialists).map(async ([name, { model: own, prompt, ...rest }]) => {
      const isOwn = model === null && own !== null
      const chat = isOwn ? await resolveModel(own, choosing) : research
      return { name, ...rest, chat, prompt: loadPrompt(prompt, promptsDir) }
    }),
  )
}

/** The model without a key, which is loaded when it is first needed. */
function extractiveOver(index: PassageIndex, { clarification }: Config['settings']): () => Promise<ChatModel> {
  let model: Promise<ChatModel> | undefined
  const load = async () => {
    const { extractiveModel, partsOver } = await offline()
    return extractiveModel(partsOver(index, clarification))
  }
  return () => {
    model ??= load()
    return model
  }
}

/** Documents that fit into a prompt; a library of thousands is not listed. */
const mostDocuments = 50

async function documentsIn(index: PassageIndex, documents: readonly string[] | null) {
  const all = await index.documents()
  return all.filter(({ documentId }) => documents?.includes(documentId) ?? true).slice(0, mostDocuments)
}

/** A document's title, with authors, year and kind of file: "The Marble corpus (Lund Group, 2021, pdf)". */
function describe(document: DocumentRecord): string {
  const { authors, year, format } = document
  const [author, ...others] = authors
  const by = author && others.length > 0 ? `${author} and others` : author
  return `${documentName(document)} (${[by, year, format].filter((each) => each).join(', ')})`
}

/** The extractive model's answer, used when the chosen model fails. No span reports it. */
function quoteWith(extractive: () => Promise<ChatModel>) {
  return async (agentTask: AgentTask) => {
    // An option of our models, which LangChain's type does not know.
    const options: object = { agentTask }
    return (await extractive()).model.invoke([], options)
  }
}
