/** Adds, lists, asks and removes documents of your own. Run it: npx tsx examples/04-your-own-documents.ts */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createQuaero } from '../src/index.ts' // in your own program: from 'quaero'

const folder = await mkdtemp(join(tmpdir(), 'quaero-example-'))
const notes = join(folder, 'greenhouse.md')
await writeFile(notes, '# The greenhouse\n\nThe greenhouse was opened in 2019. It holds 340 kinds of orchids.\n')

const quaero = await createQuaero({ model: 'extractive', dataDir: ':memory:' })

// PDF, Markdown, HTML, text and Word files, or whole folders of them. What is unchanged is not read again.
const { totals } = await quaero.library.add([folder, join(import.meta.dirname, 'papers')])
console.log(`${totals.added} documents added, ${totals.passages} passages`)

// Without `documents` the whole library is searched, with them these alone.
const { answer, citations } = await quaero.ask('How many kinds of orchids are there?', { documents: [notes] })
console.log(answer)

// A citation points into the stored text of a page.
const [citation] = citations
assert.ok(citation)
const { text } = await quaero.library.text(citation.documentId, citation.page)
assert.equal(text.slice(citation.start, citation.end), citation.quote)

await quaero.library.remove(citation.documentId)
const left = await quaero.library.list()
for (const { title, pages } of left) console.log(`- ${title} (${pages} pages)`)
await quaero.close()
await rm(folder, { recursive: true })

assert.match(answer, /340 kinds of orchids/)
assert.equal(left.length, totals.added - 1)
