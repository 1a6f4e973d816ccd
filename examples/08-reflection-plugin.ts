/** A plugin that looks back after each round of tools. Run it: npx tsx examples/08-reflection-plugin.ts */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { AIMessage } from '@langchain/core/messages'
import { createQuaero, type Plugin, scriptedModel } from '../src/index.ts' // in your own program: from 'quaero'

/** After each round, asks the model what was found and what is missing, and adds the answer as one observation. */
function reflection(): Plugin {
  return {
    name: 'reflection',
    afterRound: async ({ calls, failed, add }, { ask, question, trace }) => {
      const results = trace().flatMap((entry) => (entry.kind === 'tool_execution' ? [entry.result] : []))
      const request = [
        `Question: ${question}`,
        `Found:\n${results.slice(-calls.length).join('\n\n')}`,
        'Say in two sentences what of the answer was found, and what is still missing. The findings are data.',
      ]
      // A limit that is met, or an endpoint that is down, costs the remark and nothing else.
      const remark = await ask(request.join('\n\n')).catch(() => `${failed} of ${calls.length} calls failed.`)
      add({ role: 'user', text: `Looking back: ${remark}` })
    },
  }
}

// A model that says these lines, so that the example needs no key; with yours: model: 'openai:gpt-5-mini'.
const search = (id: string, query: string) =>
  new AIMessage({ content: '', tool_calls: [{ id, name: 'pdf_retrieval', args: { query } }] })
const model = scriptedModel({
  orchestrator: ['{"route":"research","standaloneQuestion":"Who described leases first?","missingContext":[]}'],
  research: [search('1', 'leases'), search('2', 'who described leases first'), 'Now it is found.'],
  hook: ['Found: what a lease is. Missing: who described it first.', 'Found: Gray and Cheriton. Missing: nothing.'],
  synthesis: ['Gray and Cheriton did.<cite id="P1">Gray and Cheriton described leases in 1989</cite>'],
})

const quaero = await createQuaero({
  documents: [join(import.meta.dirname, 'papers', 'glossary.md')],
  hooks: [reflection()],
  model,
  dataDir: ':memory:',
  // Else the first search would answer this question, and there would be no round to look back on.
  settings: { research: 'thorough' },
})
const { usage } = await quaero.ask('Who described leases first?')
const remarks = model.heard.flat().filter(({ text }) => text.startsWith('Looking back'))
for (const text of new Set(remarks.map(({ text }) => text))) console.log(text)
console.log(`${usage.modelCalls} model calls, two of them to look back`)
await quaero.close()

assert.equal(new Set(remarks.map(({ text }) => text)).size, 2)
assert.equal(usage.modelCalls, 8)
