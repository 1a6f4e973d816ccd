/** Asks a running server by the Model Context Protocol. Run it: npx tsx examples/11-mcp-client.ts */
import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { startServer } from './running-server.ts'

// Stands for "npx quaero serve papers" in another terminal.
const { origin, token, close } = await startServer()

const client = new Client({ name: 'example', version: '1.0.0' })
const requestInit = { headers: { Authorization: `Bearer ${token}` } }
await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit }))
const { tools } = await client.listTools()
console.log(`Tools: ${tools.map(({ name }) => name).join(', ')}`)

const asked = await client.callTool({
  name: 'ask',
  arguments: { question: 'How fast was NORMAL compared with FULL?' },
})
const citation = z.object({
  quote: z.string(),
  documentId: z.string(),
  page: z.number(),
  start: z.number(),
  end: z.number(),
})
const { answer, citations } = z
  .object({ answer: z.string(), citations: z.array(citation) })
  .parse(asked.structuredContent)
console.log(answer)

// Each quote stands on a page, which is a resource.
for (const { quote, documentId, page, start, end } of citations) {
  const { contents } = await client.readResource({ uri: `quaero://documents/${documentId}/pages/${page}` })
  const [text] = contents
  assert.ok(text && 'text' in text)
  assert.equal(text.text.slice(start, end), quote)
  console.log(`On page ${page}: “${quote}”`)
}
await client.close()
await close()

assert.match(answer, /19\.6 times as fast as FULL/)
assert.ok(citations.length > 0)
