import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outward } from '../../../src/server/user/outward.ts'
import { openQuaero, temporaryFolder } from '../../fixtures/workflow.ts'
import { clients } from './clients.ts'
import { read, served } from './served.ts'

/** Parts of names of files and hosts. */
const word = fc.stringMatching(/^[a-z]{3,9}$/)

/** A document about one subject that names places in the folder it lies in, and an address in which that folder stands. */
const places = fc.record({ subject: word, file: word, host: word })
type Places = typeof places extends fc.Arbitrary<infer T> ? T : never

const textOf = ({ subject, file, host }: Places, folder: string) => `# The ${subject} service

## Files

The ${subject} service writes its audit log to ${folder}/logs/${file}.log on each start.

## Tables

The tables of the ${subject} service are published at https://${host}.example${folder}/.${file}.example/tables each year.
`

const questionOf = ({ subject }: Places) => `Where does the ${subject} service write its audit log?`

/** An engine over a folder that its documents name. */
async function opened(all: readonly Places[]) {
  const folder = await temporaryFolder()
  const files = all.map(({ subject }) => join(folder, `${subject}.md`))
  await Promise.all(all.map((each, index) => writeFile(files[index] ?? '', textOf(each, folder))))
  const quaero = await openQuaero({ dataDir: folder })
  await quaero.library.add(files)
  return { folder, quaero, send: await served(quaero, {}, folder) }
}

interface Quoted {
  readonly documentId: string
  readonly page: number
  readonly start: number
  readonly end: number
  readonly quote?: string
  readonly text?: string
}

/** Every citation and passage within a value, at any depth. */
function quotesIn(value: unknown): readonly Quoted[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(quotesIn)
  return 'documentId' in value && 'start' in value && 'end' in value ? [value as Quoted, ...inner] : inner
}

describe('what leaves the server', { tags: ['Q16'] }, () => {
  it.each(Object.entries(clients))('has each quote at its place of the page, by %s', async (name, client) => {
    const [place] = fc.sample(places, 1) as [Places]
    const { folder, quaero, send } = await opened([place])
    const { said } = await client(send)(questionOf(place))
    expect(JSON.stringify(said)).toContain(`audit log to ${folder}/logs/${place.file}.log on each start`)
    const quotes = quotesIn(said)
    // Clients of OpenAI's protocol get the words of a quote, and not its place.
    if (!name.startsWith('OpenAI')) expect(quotes.length).toBeGreaterThan(0)
    for (const { documentId, page, start, end, quote, text } of quotes) {
      const { text: whole } = await quaero.library.text(documentId, page)
      expect(whole.slice(start, end)).toBe(quote ?? text)
    }
  })

  it('keeps questions, titles and addresses in which folders of this machine stand', async () => {
    const { folder, send } = await opened([{ subject: 'ledger', file: 'audit', host: 'www' }])
    const question = `What is published at https://www.example${folder}/.audit.example/tables, and in ${folder}/logs/audit.log?`
    const { threadId } = await read<{ threadId: string }>(send('/api/ask', { body: { question } }))
    expect(await read(send('/api/runs'))).toMatchObject({ runs: [{ question }] })
    const { messages } = await read<{ messages: readonly { content: string }[] }>(send(`/api/threads/${threadId}`))
    expect(messages[0]?.content).toBe(question)
  })

  it('shows files by their names alone, also where they failed', async () => {
    const { folder, send } = await opened([{ subject: 'ledger', file: 'audit', host: 'www' }])
    const { documents } = await read<{ documents: readonly { source: string }[] }>(send('/api/documents'))
    expect(documents.map(({ source }) => source)).toEqual(['ledger.md'])
    const added = await (await send('/api/documents?name=broken.pdf', { body: new TextEncoder().encode('no') })).text()
    expect(added).toContain('"path":"broken.pdf"')
    expect(added).not.toContain(folder)
  })

  it('shortens paths in messages of errors, and nothing else of an event', () => {
    const { event } = outward({ prefix: 'alice_' })
    const origin = { id: 'e1', timestamp: '2026-01-01T00:00:00.000Z', correlationId: 'r1', runId: 'r1', position: 1 }
    const threadId = 'alice_t1'
    const args = {
      path: '/data/logs/audit.log',
      source: '/data/x',
      threadId: 'alice_t1',
      code: 'a',
      message: '/data/b/c',
    }
    const payload = { callId: 'c1', tool: 'read', args }
    expect(event({ ...origin, threadId, type: 'tool.started', payload })).toMatchObject({ threadId: 't1', payload })
    const message = 'Cannot read /data/users/a b/c.pdf of https://[::1]/data/logs/c.pdf or file:///data/logs/c.pdf'
    const failed = { code: 'unreadable', message, recoverable: false }
    expect(event({ ...origin, threadId, type: 'tool.failed', payload: failed }).payload).toMatchObject({
      message: 'Cannot read a b/c.pdf of https://[::1]/data/logs/c.pdf or c.pdf',
    })
  })
})
