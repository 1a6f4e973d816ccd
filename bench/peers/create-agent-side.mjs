/**
 * LangChain's `createAgent` over the stock `SqliteSaver`; route and answer are calls in its middleware. Replies come
 * whole: asked to stream, `ChatOpenAI` would load a tokenizer from the network.
 */
import { join } from 'node:path'
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent, createMiddleware, tool } from 'langchain'
import { z } from 'zod'
import { formatPassages } from '../comparison/prompts.mjs'
import { answerPrompt, instructions, routePrompt, searchDescription, searchName } from './workflow.mjs'

export async function open({ folder, url, search }) {
  const model = new ChatOpenAI({
    model: 'scripted',
    temperature: 0,
    apiKey: 'none',
    maxRetries: 0,
    configuration: { baseURL: url },
  })
  const agent = createAgent({
    model,
    systemPrompt: instructions,
    tools: [searchIn(search)],
    middleware: [routeAndAnswer(model)],
    checkpointer: SqliteSaver.fromConnString(join(folder, 'create-agent.db')),
  })
  return {
    async turn(threadId, question) {
      const config = { configurable: { thread_id: threadId } }
      const { messages } = await agent.invoke({ messages: [new HumanMessage(question)] }, config)
      if (!messages.at(-1).text.includes('<cite')) throw new Error('No cited answer')
    },
    close: async () => {},
  }
}

function routeAndAnswer(model) {
  const ask = async ({ system, user }) => (await model.invoke([new SystemMessage(system), new HumanMessage(user)])).text
  return createMiddleware({
    name: 'RouteAndAnswer',
    beforeAgent: async ({ messages }) => {
      JSON.parse(await ask(routePrompt(saidIn(messages.slice(0, -1)), messages.at(-1).text)))
    },
    afterAgent: async ({ messages }) => {
      const asked = messages.findLastIndex(HumanMessage.isInstance)
      const passages = messages.slice(asked).flatMap((each) => (ToolMessage.isInstance(each) ? each.artifact : []))
      const prompt = answerPrompt(saidIn(messages.slice(0, asked)), messages[asked].text, passages)
      return { messages: [new AIMessage({ content: await ask(prompt), name: 'answer' })] }
    },
  })
}

function saidIn(messages) {
  const said = messages.filter((message) => HumanMessage.isInstance(message) || message.name === 'answer')
  return said.slice(-10).map(({ text }) => text)
}

function searchIn(search) {
  const run = async ({ query }) => {
    const found = await search(query)
    return [formatPassages(found), found]
  }
  return tool(run, {
    name: searchName,
    description: searchDescription,
    schema: z.object({ query: z.string() }),
    responseFormat: 'content_and_artifact',
  })
}
