/** Quaero's workflow, as built in dist. */
import { join } from 'node:path'
import { createQuaero, loadConfig } from '../../dist/index.js'

function isAnswerText({ type, payload }) {
  return type === 'message.delta' && payload.scope === 'thread'
}

/** An answer whose text is the one that was streamed. */
function isKept({ type, payload }) {
  return (
    type === 'message.completed' && payload.role === 'assistant' && payload.scope === 'thread' && !payload.superseded
  )
}

/** Opens Quaero with no other environment than `env`. `settings` are laid over its own. */
export async function open({ folder, url, settings = {}, env = {} }) {
  const overrides = {
    research: 'thorough',
    answer: { secondReading: 'never' },
    ...settings,
    endpoint: { baseUrl: url },
  }
  const config = loadConfig({ env, overrides })
  const quaero = await createQuaero({ dataDir: join(folder, 'quaero'), model: 'openai:scripted', config })
  return {
    library: quaero.library,
    async turn(threadId, question) {
      const { status, abstained, citations } = await quaero.ask(question, { threadId })
      if (status !== 'completed' || abstained || citations.length === 0) throw new Error(`No cited answer: ${status}`)
    },
    /** Milliseconds until the first text of the answer. Throws if any of it is lost on the way. */
    async firstText(threadId, question) {
      const began = performance.now()
      let first = null
      let streamed = ''
      for await (const line of quaero.stream(question, { threadId })) {
        if (isAnswerText(line)) {
          first ??= performance.now() - began
          streamed += line.payload.text
        }
        if (isKept(line) && streamed !== line.payload.text) throw new Error('A delta was lost')
      }
      if (first === null) throw new Error('No text was streamed')
      return first
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
