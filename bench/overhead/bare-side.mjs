/**
 * The same workflow written with LangGraph alone, as its documentation shows it: a node an agent, `ChatOpenAI`
 * streaming, all messages in the state, the stock `SqliteSaver` on a file. It checks nothing, logs nothing, and cannot
 * resume in the middle of a node.
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
  calls: Annotation(),
})

/** Opens the graph. `search` finds passages; without one, a folder that holds `notes.db` is searched. */
export async function open({ folder, url, search = openNotes(join(folder, 'notes.db')) }) {
  const model = new ChatOpenAI({ model: 'scripted', temperature: 0, apiKey: 'none', configuration: { baseURL: url } })
  const graph = new StateGraph(State)
    .addNode('orchestrator', orchestrator(model))
    .addNode('research', research(model.bindTools([searchTool]), search))
    .addNode('synthesis', synthesis(model))
    .addEdge(START, 'orchestrator')
    .addConditionalEdges('orchestrator', () => 'research', ['research'])
    .addEdge('research', 'synthesis')
    .addEdge('synthesis', END)
    .compile({ checkpointer: SqliteSaver.fromConnString(join(folder, 'bare.db')) })
  return {
    async turn(threadId, question) {
      const config = { configurable: { thread_id: threadId } }
      const { messages, calls } = await graph.invoke({ messages: [new HumanMessage(question)] }, config)
      if (!messages.at(-1).text.includes('<cite')) throw new Error('No cited answer')
      return calls
    },
    close: async () => {},
  }
}

function orchestrator(model) {
  return async ({ messages }) => {
    const question = messages.at(-1).text
    const prompt = promptFor('orchestrator', { history: historyOf(messages), question })
    const reply = await ask(model, asMessages(prompt), { response_format: routeFormat })
    return { standaloneQuestion: JSON.parse(reply.text).standaloneQuestion, calls: { modelCalls: 1, toolCalls: 0 } }
  }
}

function research(model, search) {
  return async ({ messages, standaloneQuestion: question, calls }) => {
    const prompt = asMessages(promptFor('research', { history: historyOf(messages), question, tools: 'search' }))
    const scratch = []
    const passages = []
    for (;;) {
      const reply = await ask(model, [...prompt, ...scratch])
      scratch.push(reply)
      if (reply.tool_calls.length === 0) break
      for (const { id, args } of reply.tool_calls) {
        const found = await search(args.query)
        passages.push(...found)
        scratch.push(new ToolMessage({ tool_call_id: id, content: formatPassages(found) }))
      }
    }
    const rounds = scratch.filter(ToolMessage.isInstance).length
    return {
      messages: scratch,
      passages,
      calls: { modelCalls: calls.modelCalls + rounds + 1, toolCalls: rounds },
    }
  }
}

function synthesis(model) {
  return async ({ messages, standaloneQuestion: question, passages, calls }) => {
    const evidence = formatPassages([...new Set(passages)])
    const reply = await ask(
      model,
      asMessages(promptFor('synthesis', { history: historyOf(messages), question, evidence })),
    )
    return {
      messages: [new AIMessage({ content: reply.text, name: 'answer' })],
      calls: { ...calls, modelCalls: calls.modelCalls + 1 },
    }
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
