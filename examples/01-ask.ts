/** Asks one question over a folder of documents. Run it: npx tsx examples/01-ask.ts */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createQuaero } from '../src/index.ts' // in your own program: from 'quaero'

const papers = join(import.meta.dirname, 'papers')

// "extractive" needs no key: it answers with sentences of the documents. ":memory:" leaves no file behind.
const quaero = await createQuaero({ documents: [papers], model: 'extractive', dataDir: ':memory:' })
const { answer, citations, confidence } = await quaero.ask('What share of messages was lost with ten concurrent runs?')

console.log(answer)
for (const { marker, label, quote } of citations) console.log(`[${marker}] ${label}: “${quote}”`)
console.log(`Confidence: ${confidence?.toFixed(2)}`)
await quaero.close()

assert.match(answer, /90% for ten/)
assert.ok(citations.every(({ verified }) => verified))
