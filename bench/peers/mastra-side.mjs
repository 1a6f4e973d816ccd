/** Mastra (`@mastra/core`): agents with its memory over LibSQL; it sends the last ten messages, as it does unasked. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { LibSQLStore } from '@mastra/libsql'
import { Memory } from '@mastra/memory'
import { z } from 'zod'
import { formatPassages } from '../comparison/prompts.mjs'
import { instructions, searchDescription, searchName, workflow } from './workflow.mjs'

export async function open({ folder, url, search }) {
  process.env.MASTRA_TELEMETRY_DISABLED = '1'
  const model = createOpenAICompatible({ name: 'scripted', baseURL: url, apiKey: 'none' })('scripted')
  const storage = new LibSQLStore({ id: 'memory', url: `file:${join(folder, 'mastra.db')}` })
  await storage.init()
  const memory = new Memory({ storage })
  const found = new Map()
  const researcher = new Agent({
    id: 'research',
    name: 'research',
    instructions,
    model,
    memory,
    tools: { [searchName]: searchIn(search, found) },
  })
  const writer = new Agent({ id: 'writer', name: 'writer', instructions: '', model })
  const modelSettings = { temperature: 0, maxRetries: 0 }
  const ask = async ({ system, user }) => (await writer.stream(user, { instructions: system, modelSettings })).text

  const turn = workflow({
    route: ask,
    async gather(threadId, question) {
      found.set(threadId, [])
      const result = await researcher.stream(question, {
        memory: { thread: threadId, resource: 'person' },
        modelSettings,
      })
      await result.text
      return found.get(threadId)
    },
    async answer(threadId, prompt) {
      const text = await ask(prompt)
      const content = { format: 2, parts: [{ type: 'text', text }] }
      const message = { id: randomUUID(), threadId, resourceId: 'person', role: 'assistant', type: 'text', content }
      await memory.saveMessages({ messages: [{ ...message, createdAt: new Date() }] })
      return text
    },
  })
  return { turn, close: async () => {} }
}

function searchIn(search, found) {
  return createTool({
    id: searchName,
    description: searchDescription,
    inputSchema: z.object({ query: z.string() }),
    execute: async ({ query }, context) => {
      const passages = await search(query)
      found.get(context.agent?.threadId)?.push(...passages)
      return formatPassages(passages)
    },
  })
}
