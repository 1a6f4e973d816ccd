/** The AI SDK (`ai`): `streamText` with a tool, over the whole conversation from an append-only table. */
import { join } from 'node:path'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'
import { formatPassages } from '../comparison/prompts.mjs'
import { instructions, openMessages, searchDescription, searchName, workflow } from './workflow.mjs'

export async function open({ folder, url, search }) {
  const model = createOpenAICompatible({ name: 'scripted', baseURL: url, apiKey: 'none' })('scripted')
  const messages = openMessages(join(folder, 'ai-sdk.db'))
  const ask = ({ system, user }) => streamText({ model, temperature: 0, system, prompt: user }).text

  async function gather(threadId, question) {
    const passages = []
    const searching = tool({
      description: searchDescription,
      inputSchema: z.object({ query: z.string() }),
      execute: async ({ query }) => {
        passages.push(...(await search(query)))
        return formatPassages(passages)
      },
    })
    const asked = { role: 'user', content: question }
    const result = streamText({
      model,
      temperature: 0,
      system: instructions,
      messages: [...messages.of(threadId), asked],
      tools: { [searchName]: searching },
      stopWhen: stepCountIs(5),
    })
    messages.add(threadId, [asked, ...(await result.response).messages])
    return passages
  }

  const turn = workflow({
    route: ask,
    gather,
    async answer(threadId, prompt) {
      const text = await ask(prompt)
      messages.add(threadId, [{ role: 'assistant', content: text }])
      return text
    },
  })
  return { turn, close: async () => messages.close() }
}
