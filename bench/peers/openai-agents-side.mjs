/** OpenAI Agents (`@openai/agents`): agents run with a session that is an append-only table. */
import { join } from 'node:path'
import { Agent, OpenAIChatCompletionsModel, Runner, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import { formatPassages } from '../comparison/prompts.mjs'
import { instructions, openMessages, searchDescription, searchName, workflow } from './workflow.mjs'

export async function open({ folder, url, search }) {
  setTracingDisabled(true)
  const model = new OpenAIChatCompletionsModel(new OpenAI({ baseURL: url, apiKey: 'none' }), 'scripted')
  const runner = new Runner({ tracingDisabled: true })
  const modelSettings = { temperature: 0 }
  const messages = openMessages(join(folder, 'openai-agents.db'))
  const researcher = new Agent({ name: 'research', instructions, model, modelSettings, tools: [searchIn(search)] })

  async function run(agent, input, options) {
    const result = await runner.run(agent, input, { ...options, stream: true })
    await result.completed
    return result.finalOutput
  }

  const ask = ({ system, user }) =>
    run(new Agent({ name: 'writer', instructions: system, model, modelSettings }), user, {})

  const turn = workflow({
    route: ask,
    async gather(threadId, question) {
      const context = { passages: [] }
      await run(researcher, question, { session: sessionOver(messages, threadId), context })
      return context.passages
    },
    async answer(threadId, prompt) {
      const text = await ask(prompt)
      const content = [{ type: 'output_text', text }]
      messages.add(threadId, [{ type: 'message', role: 'assistant', status: 'completed', content }])
      return text
    },
  })
  return { turn, close: async () => messages.close() }
}

function searchIn(search) {
  return tool({
    name: searchName,
    description: searchDescription,
    parameters: z.object({ query: z.string() }),
    execute: async ({ query }, run) => {
      const found = await search(query)
      run.context.passages.push(...found)
      return formatPassages(found)
    },
  })
}

/** A `Session` of this SDK. */
function sessionOver(messages, threadId) {
  return {
    getSessionId: async () => threadId,
    getItems: async (limit) => (limit === undefined ? messages.of(threadId) : messages.of(threadId).slice(-limit)),
    addItems: async (items) => messages.add(threadId, items),
    popItem: async () => undefined,
    clearSession: async () => {},
  }
}
