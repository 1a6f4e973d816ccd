/** Uses a server that speaks OpenAI's protocol. Run it: npx tsx examples/06-openai-compatible.ts */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createQuaero } from '../src/index.ts' // in your own program: from 'quaero'
import { startScriptedEndpoint } from './scripted-endpoint.ts'

const papers = join(import.meta.dirname, 'papers')

// Stands for vLLM, llama.cpp, Ollama, LiteLLM, or OpenAI itself.
const endpoint = await startScriptedEndpoint()

// Instead of the settings you may set OPENAI_BASE_URL, OPENAI_API_KEY and QUAERO_MODEL.
const quaero = await createQuaero({
  documents: [papers],
  model: 'openai:my-model',
  dataDir: ':memory:',
  settings: { endpoint: { baseUrl: endpoint.url } },
})
const { answer, citations, usage, model } = await quaero.ask('Who described leases first?')
console.log(answer)
for (const { marker, label, quote } of citations) console.log(`[${marker}] ${label}: “${quote}”`)
// The question is clear and the first search strong, so only the answer is asked for (docs/configuration.md, "research").
console.log(`${model}: ${usage.modelCalls} call, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`)
await quaero.close()
endpoint.close()

assert.match(answer, /Gray and Cheriton described leases in 1989\. \[1\]/)
assert.equal(usage.modelCalls, 1)
