/** A follow-up on the same thread, in a later start of the program. Run it: npx tsx examples/02-continue-a-thread.ts */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createQuaero } from '../src/index.ts' // in your own program: from 'quaero'

const papers = join(import.meta.dirname, 'papers')
const dataDir = await mkdtemp(join(tmpdir(), 'quaero-example-'))

const first = await createQuaero({ documents: [papers], model: 'extractive', dataDir })
const { threadId, answer } = await first.ask('How fast was NORMAL compared with FULL?')
await first.close()
console.log(answer)

// Nothing but the thread's id has to be kept: documents, conversation and log are in the data directory.
const second = await createQuaero({ model: 'extractive', dataDir })
const followUp = await second.ask('How many bytes did it write per event?', { threadId })
console.log(`Understood as: ${followUp.standaloneQuestion}`)
console.log(followUp.answer)

const transcript = await second.threads.messages(threadId)
for (const { role, content } of transcript) console.log(`${role}: ${content.slice(0, 60)}…`)
await second.close()
await rm(dataDir, { recursive: true })

assert.match(followUp.standaloneQuestion ?? '', /NORMAL/)
assert.match(followUp.answer, /4,361 bytes/)
assert.deepEqual([followUp.turn, transcript.length], [2, 4])
