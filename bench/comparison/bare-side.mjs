/**
 * The same workflow written with LangGraph alone, as its documentation shows it: a loop of an agent node and a tools
 * node, so that what is finished is saved like Quaero's steps are; `ChatOpenAI` streaming; all messages in the state;
 * the stock `SqliteSaver` on a file. It keeps no log, checks no quote, and watches no limit.
 */
import { join } from 'node:path'
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { ChatOpenAI } from '@langchain/openai'
import { openNotes } from './notes.mjs'
import { formatHistory, formatPassages, promptFor, routeFormat, searchTool } from './prompts.mjs'

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  standaloneQuestion: Annotation(),
  passages: Annotation(),
})

/** Opens the graph. `search` finds passages; without one, a folder that holds `notes.db` is searched. */
export async function open({ folder, url, search = openNotes(join(folder, 'notes.db')) }) {
  const model = new ChatOpenAI({ model: 'scripted', temperature: 0, apiKey: 'none', configuration: { baseURL: url } })
  const graph = new StateGraph(State)
    .addNode('orchestrator', orchestrator(model))
    .addNode('agent', agent(model.bindTools([searchTool])))
    .addNode('tools', tools(search))
    .addNode('synthesis', synthesis(model))
    .addEdge(START, 'orchestrator')
    .addEdge('orchestrator', 'agent')
    .addConditionalEdges('agent', afterAgent, ['tools', 'synthesis'])
    .addEdge('tools', 'agent')
    .addEdge('synthesis', END)
    .compile({ checkpointer: SqliteSaver.fromConnString(join(folder, 'bare.db')) })
  return {
    async turn(threadId, question) {
      const config = { configurable: { thread_id: threadId } }
      const { messages } = await graph.invoke({ messages: [new HumanMessage(question)] }, config)
      if (!messages.at(-1).text.includes('<cite')) throw new Error('No cited answer')
    },
    /** Milliseconds until the first text of the answer. */
    async firstText(threadId, question) {
      const config = { configurable: { thread_id: threadId }, streamMode: 'messages' }
      const began = performance.now()
      let first = null
      for await (const [chunk, { langgraph_node }] of await graph.stream(
        { messages: [new HumanMessage(question)] },
        config,
      )) {
        if (langgraph_node === 'synthesis' && chunk.text) first ??= performance.now() - began
      }
      if (first === null) throw new Error('No text was streamed')
      return first
    },
    close: async () => {},
  }
}

function orchestrator(model) {
  return async ({ messages }) => {
    const question = messages.at(-1).text
    const prompt = promptFor('orchestrator', { history: historyOf(messages), question })
    const reply = await ask(model, asMessages(prompt), { response_format: routeFormat })
    const { standaloneQuestion } = JSON.parse(reply.text)
    return { standaloneQuestion, passages: [] }
  }
}

/** One model call of the loop; the conversation of this turn goes on where the tools left it. */
function agent(model) {
  return async ({ messages, standaloneQuestion: question }) => {
    const asked = messages.findLastIndex(HumanMessage.isInstance)
    const history = historyOf(messages.slice(0, asked + 1))
    const prompt = asMessages(promptFor('research', { history, question, tools: 'search' }))
    const reply = await ask(model, [...prompt, ...messages.slice(asked + 1)])
    return { messages: [reply] }
  }
}

function tools(search) {
  return async ({ messages, passages }) => {
    const results = []
    const found = []
    for (const { id, args } of messages.at(-1).tool_calls) {
      const texts = await search(args.query)
      found.push(...texts)
      results.push(new ToolMessage({ tool_call_id: id, content: formatPassages(texts) }))
    }
    return { messages: results, passages: [...passages, ...found] }
  }
}

function afterAgent({ messages }) {
  return messages.at(-1).tool_calls.length > 0 ? 'tools' : 'synthesis'
}

function synthesis(model) {
  return async ({ messages, standaloneQuestion: question, passages }) => {
    const evidence = formatPassages([...new Set(passages)])
    const reply = await ask(
      model,
      asMessages(promptFor('synthesis', { history: historyOf(messages), question, evidence })),
    )
    return { messages: [new AIMessage({ content: reply.text, name: 'answer' })] }
  }
}

async function ask(model, messages, options) {
  let whole
  for await (const chunk of await model.stream(messages, options)) whole = whole ? whole.concat(chunk) : chunk
  return whole
}

function asMessages({ system, user }) {
  return [new SystemMessage(system), new HumanMessage(user)]
}

/** Earlier questions and answers, without the one asked now. */
function historyOf(messages) {
  const said = messages.filter((message) => HumanMessage.isInstance(message) || message.name === 'answer')
  return formatHistory(said.slice(0, -1).map(({ text }) => text))
}
