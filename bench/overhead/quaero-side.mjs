/** Quaero's workflow, as built in dist. */
import { join } from 'node:path'
import { createQuaero } from '../../dist/index.js'

/** Opens Quaero over a folder that holds its documents already. */
export async function open({ folder, url }) {
  const quaero = await createQuaero({
    dataDir: join(folder, 'quaero'),
    model: 'openai:scripted',
    settings: { endpoint: { baseUrl: url } },
  })
  return {
    library: quaero.library,
    async turn(threadId, question) {
      const { status, abstained, citations, usage } = await quaero.ask(question, { threadId })
      if (status !== 'completed' || abstained || citations.length === 0) throw new Error(`No cited answer: ${status}`)
      return { modelCalls: usage.modelCalls, toolCalls: usage.toolCalls }
    },
    close: () => quaero.close(),
  }
}
