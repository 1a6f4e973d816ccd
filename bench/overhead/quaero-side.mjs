/** Quaero's workflow, as built in dist. */
import { join } from 'node:path'
import { createQuaero } from '../../dist/index.js'

/** Opens Quaero over a folder that holds its documents already. `settings` are laid over its own. */
export async function open({ folder, url, settings = {} }) {
  const quaero = await createQuaero({
    dataDir: join(folder, 'quaero'),
    model: 'openai:scripted',
    settings: { ...settings, endpoint: { baseUrl: url } },
  })
  return {
    library: quaero.library,
    async turn(threadId, question) {
      const { status, abstained, citations, usage } = await quaero.ask(question, { threadId })
      if (status !== 'completed' || abstained || citations.length === 0) throw new Error(`No cited answer: ${status}`)
      return { modelCalls: usage.modelCalls, toolCalls: usage.toolCalls }
    },
    lastTurn: (threadId) => keptOf(quaero, threadId),
    close: () => quaero.close(),
  }
}

/** Bytes of the thread's last turn that a person would want kept: question, answer, quotes, results of tools. */
async function keptOf({ runs }, threadId) {
  const { runId } = (await runs.list({ threadId })).at(-1)
  const { question, answer, citations } = await runs.show(runId)
  const texts = [question, answer, ...citations.map(({ quote }) => quote)]
  for await (const { type, payload } of runs.events(runId)) if (type === 'tool.completed') texts.push(payload.content)
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}
