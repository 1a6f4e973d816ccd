/** Asks several papers the same questions, exports the table, and proves the file again. Run it: npx tsx examples/14-table-and-proof.ts */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createQuaero, readQuestions, tableFile, verifyFile } from '../src/index.ts' // in your own program: from 'quaero'

const papers = ['lost-updates.pdf', 'event-log.pdf'].map((name) => join(import.meta.dirname, 'papers', name))
const columns = readQuestions(`# One a line; with a language model, [number] asks for a number with its unit.
What share of messages was lost? [number]
How many bytes did checkpoints take?`)

const quaero = await createQuaero({ dataDir: ':memory:', model: 'extractive' })
const work = quaero.table({ columns, documents: papers })
for await (const { row, column, cell } of work.cells()) console.log(row, column, cell.value ?? cell.state)

// Known cells cost nothing: this reads them from the log.
const table = await work.result()
assert.equal((await quaero.table({ columns, documents: papers }).plan()).open, 0)

// As somebody else would prove it: from the file and the papers, without a model, a network or this library.
const elsewhere = await createQuaero({ dataDir: ':memory:', model: 'extractive', documents: papers })
const bytes = new TextEncoder().encode(String(await tableFile(table, 'md')))
const proven = await verifyFile('table.md', bytes, elsewhere.library)
console.log(`${proven.claims.length} values, all stand: ${proven.stands}`)

const forged = new TextEncoder().encode(new TextDecoder().decode(bytes).replace('461 bytes', '641 bytes'))
const { changes } = await verifyFile('table.md', forged, elsewhere.library)
console.log(changes.join('\n'))
await quaero.close()
await elsewhere.close()

assert.ok(proven.stands)
assert.equal(changes.length, 1)
