/** Writes a report from an outline, as a document of Word, and verifies it. Run it: npx tsx examples/15-a-report.ts */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createQuaero, parseOutline, reportFile, verifyFile } from '../src/index.ts' // in your own program: from 'quaero'

const papers = ['glossary.md', 'field-notes.html'].map((name) => join(import.meta.dirname, 'papers', name))

// Without a language model it is a digest: sentences of the documents. With yours, model: 'openai:gpt-5-mini', the model
// plans the outline, if you give none, and writes the sections from what was found.
const quaero = await createQuaero({ documents: papers, model: 'extractive', dataDir: ':memory:' })
const outline = parseOutline(`# Keeping data

## Backups
- Which ways of copying the file were tried in the drill?

## Terms
- What is a fencing token?
- What does a unicorn cost?
`)
const work = quaero.writeReport({ question: 'How is data kept?', outline })

// Nothing is asked before its steps are waited for; leaving the loop stops it, and the same report goes on where it was.
for await (const step of work.steps()) {
  if (step.step === 'section') console.log(`${step.heading}: ${step.sentences} sentences`)
}
const report = await work.result() // from the log: nothing is asked again
const [first] = report.sections[1]?.paragraphs.flat() ?? []
console.log(`${report.kind}: ${first?.text} (${first?.quotes[0]?.title})`)
for (const { question, reason } of report.notFound) console.log(`Not found: ${question} ${reason}`)

const bytes = await reportFile(report, 'docx', { documents: await quaero.library.list() })
const { stands, claims } = await verifyFile('report.docx', new Uint8Array(Buffer.from(bytes)), quaero.library)
console.log(`${claims.length} sentences in report.docx, ${stands ? 'all stand' : 'not all stand'}`)
await quaero.close()

assert.equal(report.kind, 'digest')
assert.match(first?.text ?? '', /grows each time a lease is given out/)
assert.deepEqual(
  report.notFound.map(({ question }) => question),
  ['What does a unicorn cost?'],
)
assert.ok(stands)
