import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { type Ended, quaero, startQuaero } from '../fixtures/command-line.ts'
import { type EmbeddingEndpointOptions, embeddingConfig, embeddingEndpoint } from '../fixtures/embedding-endpoint.ts'
import { quickAndSlow } from '../fixtures/quick-rows.ts'
import { speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { rowsIn } from '../fixtures/storage/chosen-storage.ts'
import { folderOf, gate } from '../fixtures/workflow.ts'

/** Long enough for its section to be a passage of its own. */
const mending = 'The crew mends nets at the harbour each winter. '.repeat(12).trim()

const ledger = {
  'ledger.md': `# Annual ledger

## Cash flows

Purchases of property, plant and equipment came to 212 million.

## Staff

Wages rose by four percent in spring. ${mending}
`,
  'ponds.md': `# On ponds

## Winter

Ponds freeze from the shore inwards.
`,
}
const query = 'capital expenditure'

/** A folder with documents and a configuration that names an embedding endpoint. */
async function place(options: EmbeddingEndpointOptions = {}, settings: Readonly<Record<string, unknown>> = {}) {
  const cwd = await folderOf(ledger)
  const endpoint = await embeddingEndpoint(options)
  const config = await embeddingConfig(cwd, endpoint, settings)
  const run = (...words: string[]) => quaero([...words, '--config', config], { cwd })
  return { cwd, endpoint, config, run }
}

function hits({ out }: Ended) {
  return jsonOutputs.search.parse(JSON.parse(out))
}

describe('search by meaning', () => {
  it('sends nothing where it is off, or has no key and no address, and then says so', async () => {
    const cwd = await folderOf({
      ...ledger,
      'no-key.yaml': 'search: { embeddings: { model: text-embedding-3-small } }',
    })
    expect(await quaero(['add', 'ledger.md'], { cwd })).toMatchObject({ code: 0, err: '1/1 ledger.md\n' })
    const off = await quaero(['library', 'embed', '--json'], { cwd })
    expect([off.code, JSON.parse(off.out).error.message]).toEqual([
      2,
      expect.stringContaining('search.embeddings.model'),
    ])

    const words = ['--config', 'no-key.yaml']
    const added = await quaero(['add', 'ponds.md', ...words], { cwd })
    expect(added).toMatchObject({ code: 0, err: expect.stringContaining('needs a key: set OPENAI_API_KEY') })
    const found = await quaero(['search', 'ponds', '--json', ...words], { cwd })
    expect([found.code, hits(found)[0]?.text]).toEqual([0, expect.stringContaining('Ponds freeze')])
    const embedded = await quaero(['library', 'embed', '--json', ...words], { cwd })
    expect([embedded.code, jsonOutputs['library-embed'].parse(JSON.parse(embedded.out)).error?.code]).toEqual([
      78,
      'config_invalid',
    ])
  })
})

const faults = [
  ['is down', { status: 503 }, /Searched by words alone: 503 from 127/],
  ['is silent', { stall: 'before' }, /Searched by words alone: the embeddings endpoint did not answer within 0.3 s/],
  ['rejects the key', { status: 401 }, /Searched by words alone: .*\(401\)/],
  ['trickles', { raw: ' '.repeat(70), drip: true }, /Searched by words alone: the embeddings .* within 0.3 s/],
  ['answers in another form', { html: '<p>Hello</p>' }, /Searched by words alone: .*something else than JSON/],
  ['gives a vector of zeros', { json: { data: [{ embedding: [0, 0] }] } }, /Searched by words alone: .*zeros/],
] as const

describe('an embedding endpoint that fails', () => {
  for (const { rows, tags } of quickAndSlow(faults)) {
    it.each(rows)('leaves a search by words, which says so, where it %s', { tags }, async (_, fault, said) => {
      const { run } = await place(
        { faults: (_, texts) => (texts.includes('freeze') ? fault : undefined) },
        'stall' in fault || 'drip' in fault ? { queryTimeoutSeconds: 0.3 } : {},
      )
      await run('add', 'ponds.md')
      const found = await run('search', 'freeze', '--json')
      expect([found.code, hits(found)[0]?.text]).toEqual([0, expect.stringContaining('Ponds freeze')])
      expect(found.err).toMatch(said)
      expect(found.err.trim().split('\n')).toHaveLength(1)
    })
  }

  it('never loses a document that is added, and its passages are embedded later', async () => {
    let isDown = true
    const { run } = await place({ faults: () => (isDown ? { status: 401 } : undefined) })
    const added = await run('add', 'ledger.md', '--json')
    expect(added).toMatchObject({ code: 0, err: expect.stringContaining('Not all was embedded:') })
    expect(jsonOutputs.add.parse(JSON.parse(added.out))).toMatchObject({
      totals: { added: 1, failed: 0 },
      embeddings: { embedded: 0, missing: 2, error: { code: 'key_rejected' } },
    })
    const unembedded = await run('search', 'wages', '--json')
    expect(hits(unembedded)).toHaveLength(1)
    expect(unembedded.err).toContain('no passage has a vector of "concepts" yet. Run: quaero library embed')
    expect((await run('library', 'embed')).code).toBe(78)
    isDown = false
    const embedded = await run('library', 'embed', '--json')
    expect(jsonOutputs['library-embed'].parse(JSON.parse(embedded.out))).toMatchObject({ embedded: 2, missing: 0 })
    expect(hits(await run('search', query, '--json'))[0]?.text).toContain('Purchases of property')
  })

  it('is reported in the log of a run, which is still answered', async () => {
    const { run } = await place({ faults: (n) => (n > 0 ? { status: 503 } : undefined) })
    await run('add', 'ponds.md')
    const asked = await run('ask', 'Where do ponds freeze from?', '-m', 'extractive', '--json')
    const { runId, status, answer } = jsonOutputs.ask.parse(JSON.parse(asked.out))
    expect([status, answer]).toEqual(['completed', expect.stringContaining('Ponds freeze from the shore')])
    const { events } = jsonOutputs['runs-events'].parse(JSON.parse((await run('runs', 'events', runId, '--json')).out))
    const notices = events.filter(({ type }) => type === 'notice')
    expect(notices[0]?.payload).toMatchObject({
      code: 'endpoint_unavailable',
      message: expect.stringMatching(/^Searched by words alone/),
    })
    const tools = events.filter(({ type }) => type === 'tool.started').map(({ id }) => id)
    expect(tools).toContain(notices[0]?.causationId)
    expect(asked.err).toContain('Searched by words alone')
  })
})

describe('what was paid for', () => {
  const many = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`note-${n}.md`, `# Note ${n}\n\nThis is what note number ${n} says.\n`]),
  )

  it('is kept when embedding is killed, and no stored text is sent again', { tags: ['slow'] }, async () => {
    const { cwd, endpoint, config, run } = await place(
      // The third batch never comes back.
      { gate: (n) => (n === 2 ? new Promise(() => {}) : undefined) },
      { batch: 4 },
    )
    for (const [name, text] of Object.entries(many)) await writeFile(join(cwd, name), text)
    await quaero(['add', '.'], { cwd })
    const killed = startQuaero(['library', 'embed', '--config', config], { cwd })
    await endpoint.asked(3)
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(await rowsIn(cwd, 'vectors')).toBe(8)
    const stored = endpoint.texts().slice(0, 8)

    const resumed = jsonOutputs['library-embed'].parse(JSON.parse((await run('library', 'embed', '--json')).out))
    expect(resumed).toMatchObject({ embedded: 7, sent: 7, missing: 0 })
    const sentAfter = endpoint.texts().slice(12)
    expect(sentAfter.filter((text) => stored.includes(text))).toEqual([])
    expect([...stored, ...sentAfter].sort()).toEqual([...new Set(endpoint.texts())].sort())
    const again = jsonOutputs['library-embed'].parse(JSON.parse((await run('library', 'embed', '--json')).out))
    expect(again).toMatchObject({ embedded: 0, sent: 0, tokens: 0, costUsd: 0 })
  })

  it('is not paid for twice by two processes at once', async () => {
    const { cwd, endpoint, config } = await place({}, { batch: 1 })
    await quaero(['add', '.'], { cwd })
    const held = gate()
    const slow = await embeddingEndpoint({ gate: (n) => (n === 0 ? held.opened : undefined) })
    const slowConfig = await embeddingConfig(await folderOf({}), slow, { batch: 1 })
    const first = startQuaero(['library', 'embed', '--json', '--config', slowConfig], { cwd })
    await slow.asked(1)
    const second = startQuaero(['library', 'embed', '--json', '--config', config], { cwd })
    // The second has nothing to say while the first is at work; the first need not wait for it.
    held.open()
    expect(JSON.parse((await first.ended).out)).toMatchObject({ embedded: 3 })
    expect(JSON.parse((await second.ended).out)).toMatchObject({ embedded: 0, missing: 0 })
    expect([slow.texts().length, endpoint.texts().length]).toEqual([3, 0])
  })

  it('serves every document with the same text, and goes with the last of them', async () => {
    const { cwd, endpoint, run } = await place()
    await writeFile(join(cwd, 'copy.md'), `${ledger['ledger.md']}\nOne more line.\n`)
    await run('add', 'ledger.md', 'copy.md')
    const sent = endpoint.texts()
    expect(sent).toHaveLength(new Set(sent).size)
    expect(sent.filter((text) => text.includes('Purchases of property'))).toHaveLength(1)
    const [first] = hits(await run('search', query, '--json')).filter(({ text }) => text.includes('Purchases'))
    const found = first ? [first, ...first.also] : []
    expect(found.map(({ source }) => source).sort()).toEqual(['copy.md', 'ledger.md'])

    const before = await rowsIn(cwd, 'vectors')
    await run('library', 'remove', found[0]?.documentId ?? '')
    expect(hits(await run('search', query, '--json'))[0]?.source).toBe(found[1]?.source)
    await run('library', 'remove', found[1]?.documentId ?? '')
    expect([before, await rowsIn(cwd, 'vectors')]).toEqual([expect.any(Number), 0])
    expect(before).toBeGreaterThan(0)
  })

  it('leaves with the files that are gone', async () => {
    const { cwd, run } = await place()
    await run('add', '.')
    await rm(join(cwd, 'ledger.md'))
    await run('add', '.', '--sync')
    expect(await rowsIn(cwd, 'vectors')).toBe(1)
  })

  it('by a run is not paid for again when the run is resumed', { tags: ['slow'] }, async () => {
    const { cwd, endpoint, config, run } = await place()
    await run('add', '.')
    const chat = await speakingEndpoint({
      research: [{ toolCalls: [{ name: 'pdf_retrieval', args: { query } }] }, { content: 'Found.' }],
      synthesis: [
        { ...usualLines.synthesis, stall: 'middle' },
        { content: 'They came to 212 million.<cite id="P1">came to 212 million</cite>' },
      ],
    })
    const options = { cwd, env: chat.env }
    const killed = startQuaero(['ask', 'What was the capital expenditure?', '--config', config], options)
    await chat.asked('synthesis')
    killed.child.kill('SIGKILL')
    await killed.ended
    const [{ runId }] = JSON.parse((await quaero(['runs', 'list', '--json'], { cwd })).out).runs
    const resumed = await quaero(['runs', 'resume', runId, '--json', '--config', config], options)
    expect(jsonOutputs.ask.parse(JSON.parse(resumed.out))).toMatchObject({
      answer: expect.stringContaining('212 million'),
      citations: [{ quote: 'came to 212 million' }],
    })
    expect(endpoint.texts().filter((text) => text === query)).toHaveLength(1)
  })

  it('counts towards the run where the price is known', async () => {
    const { cwd, config, endpoint, run } = await place()
    await run('add', '.')
    const prices = { concepts: { input: 1_000_000, output: 0, contextWindow: null } }
    const settings = { search: { embeddings: { model: 'concepts', baseUrl: endpoint.url } }, prices }
    await writeFile(join(cwd, 'priced.yaml'), JSON.stringify(settings))
    const words = ['ask', 'Ponds freeze from where?', '-m', 'extractive', '--json', '--config']
    const priced = jsonOutputs.ask.parse(JSON.parse((await quaero([...words, 'priced.yaml'], { cwd })).out))
    // One dollar a token.
    expect(priced.usage.costUsd).toBeGreaterThan(0)
    expect(priced.usage.costUsd).toBe(priced.usage.inputTokens)
    const unpriced = jsonOutputs.ask.parse(JSON.parse((await quaero([...words, config], { cwd })).out))
    expect(unpriced.usage).toMatchObject({ inputTokens: priced.usage.inputTokens, costUsd: null })
    const limited = await quaero([...words, config, '--max-cost', '1'], { cwd })
    expect([limited.code, limited.err]).toEqual([2, expect.stringContaining('no price is known for concepts')])
  })
})

describe('another model', () => {
  it('behind the same name is reported, removes nothing, and is adopted by "library embed --anew"', async () => {
    const { cwd, run } = await place()
    await run('add', '.')
    const changed = await embeddingEndpoint({ dimensions: 128 })
    const config = await embeddingConfig(await folderOf({}), changed)
    const later = (...words: string[]) => quaero([...words, '--config', config, '--json'], { cwd })
    const said = 'gives vectors of 128 dimensions instead of the 256 of those stored'
    expect((await later('search', query)).err).toContain(`Searched by words alone: concepts ${said}`)
    expect(hits(await run('search', query, '--json'))[0]?.text).toContain('Purchases')
    const doctor = await later('doctor')
    const { checks } = jsonOutputs.doctor.parse(JSON.parse(doctor.out))
    expect([doctor.code, checks.find(({ name }) => name === 'embeddings')]).toEqual([
      1,
      { name: 'embeddings', ok: false, message: expect.stringMatching(new RegExp(`^3 of 3 .*${said}.*--anew`)) },
    ])
    expect(JSON.parse((await later('library', 'embed')).out)).toMatchObject({ sent: 0, dimensions: 256 })
    expect(JSON.parse((await later('library', 'embed', '--anew')).out)).toMatchObject({ embedded: 3, dimensions: 128 })
    expect(hits(await later('search', query))[0]?.text).toContain('Purchases')
    expect(await rowsIn(cwd, 'vectors')).toBe(3)
  })
})

describe('quaero doctor', () => {
  it('says how many passages have vectors and whether the endpoint answers', async () => {
    let isDown = false
    const { cwd, run } = await place({ faults: () => (isDown ? { status: 503 } : undefined) })
    await run('add', 'ledger.md')
    await quaero(['add', 'ponds.md'], { cwd })
    const finding = async () => {
      const { code, out } = await run('doctor', '--json')
      const { checks } = jsonOutputs.doctor.parse(JSON.parse(out))
      return [code, checks.find(({ name }) => name === 'embeddings')]
    }
    const message = '2 of 3 passages have vectors (concepts, 256 dimensions); run "quaero library embed" for the rest'
    expect(await finding()).toEqual([0, { name: 'embeddings', ok: true, message }])
    isDown = true
    expect(await finding()).toEqual([
      1,
      { name: 'embeddings', ok: false, message: expect.stringMatching(/^2 of 3 .*; 503 from 127\.0\.0\.1/) },
    ])
    expect((await quaero(['doctor'], { cwd })).out).toMatch(/ok +embeddings +off: set search\.embeddings\.model/)
  })
})
