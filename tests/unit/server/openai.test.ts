import { describe, expect, it } from 'vitest'
import { openQuaero } from '../../fixtures/workflow.ts'
import { openaiOver } from './clients.ts'
import { eventsIn, type Send, served } from './served.ts'

const marble = 'How many pages does the Marble corpus hold?'
const asked = { role: 'user', content: marble } as const

async function sending(): Promise<Send> {
  return served(await openQuaero())
}

describe("OpenAI's client", () => {
  it('lists the model, and gets an answer with its footnotes and where they open', async () => {
    const client = openaiOver(await sending())
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['quaero'])
    expect(await client.models.retrieve('quaero')).toMatchObject({ id: 'quaero' })
    const { choices } = await client.chat.completions.create({
      model: 'quaero',
      messages: [{ role: 'user', content: marble }],
    })
    const { content, annotations = [] } = choices[0]?.message ?? {}
    expect(content).toMatch(/81\.1 million pages[\s\S]*\n\[1\] .*“[\s\S]*81\.1 million pages/)
    const {
      start_index: start,
      end_index: end,
      url,
    } = annotations[0]?.url_citation ?? { start_index: 0, end_index: 0, url: '' }
    expect(content?.slice(start, end)).toBe('[1]')
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:7710\/#\/source\/[0-9a-f-]{36}\/1$/)
  })

  it('is told the tokens of a stream if it asks for them', async () => {
    const { completions } = openaiOver(await sending()).chat
    const options = { stream: true, stream_options: { include_usage: true } } as const
    const chunks = await allOf(await completions.create({ model: 'quaero', messages: [asked], ...options }))
    expect(chunks.at(-1)?.usage?.total_tokens).toBe(0)
  })

  it('names a conversation by a header', async () => {
    const send = await sending()
    const client = openaiOver(send, { defaultHeaders: { 'x-quaero-thread': 'my-chat' } })
    await client.chat.completions.create({ model: 'quaero', messages: [{ role: 'user', content: marble }] })
    expect(await (await send('/api/threads/my-chat')).json()).toMatchObject({ threadId: 'my-chat' })
  })

  it('gets an error that it understands', async () => {
    const send = await sending()
    const title = openaiOver(send).chat.completions.create({
      model: 'quaero',
      messages: [{ role: 'user', content: '### Task:\nMake a title' }],
    })
    await expect(title).rejects.toMatchObject({ status: 400, code: 'usage' })
    const stranger = openaiOver(send, { apiKey: 'not-a-token-of-anybody' })
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 })
  })

  it('streams a response: its id first, then the words, the footnotes, and the whole', async () => {
    const client = openaiOver(await sending())
    const stream = client.responses.stream({ model: 'quaero', input: marble })
    const types: string[] = []
    const numbers: number[] = []
    let words = ''
    for await (const event of stream) {
      if (event.type !== types.at(-1)) types.push(event.type)
      numbers.push(event.sequence_number)
      if (event.type === 'response.output_text.delta') words += event.delta
    }
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.annotation.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(numbers).toEqual(numbers.map((_, index) => index))
    const { output_text: text, output } = await stream.finalResponse()
    expect(words).toContain('81.1 million pages')
    expect(text).toBe(words)
    expect(output[0]).toMatchObject({
      content: [{ annotations: [{ type: 'url_citation', url: expect.stringContaining('/#/source/') }] }],
    })
  })

  it('does not repeat a run that failed, whole or as a stream', async () => {
    let attempts = 0
    const plugin = {
      name: 'fragile',
      beforeModel: () => {
        attempts++
        throw new Error('no luck')
      },
    }
    const client = openaiOver(await served(await openQuaero({ hooks: plugin })), { maxRetries: 2 })
    const request = { model: 'quaero', messages: [asked] }
    const failure = { code: 'run_failed', message: expect.stringContaining('no luck') }
    await expect(client.chat.completions.create(request)).rejects.toMatchObject({ status: 500, ...failure })
    expect(attempts).toBe(1)
    const chunks = await client.chat.completions.create({ ...request, stream: true })
    await expect(allOf(chunks)).rejects.toMatchObject(failure)
    const events = await client.responses.create({ model: 'quaero', input: marble, stream: true })
    await expect(allOf(events)).rejects.toMatchObject(failure)
    expect(attempts).toBe(3)
  })

  it('may leave the name of its conversation empty', async () => {
    const client = openaiOver(await sending(), { defaultHeaders: { 'x-quaero-thread': '' } })
    const { choices } = await client.chat.completions.create({ model: 'quaero', messages: [asked] })
    expect(choices[0]?.message.content).toContain('81.1 million pages')
  })
})

describe('the form of a request', () => {
  it.each([
    [
      'of LibreChat',
      { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, user: '65f0', stop: ['#'] },
    ],
    ['with null for what is not set', { stream: null, stream_options: null, user: null }],
  ])('%s is understood', async (_, settings) => {
    const messages = [
      { role: 'system', content: 'Be brief.', name: 'instructions' },
      {
        role: 'user',
        content: [
          { type: 'text', text: marble },
          { type: 'image_url', image_url: { url: 'data:,' } },
        ],
      },
    ]
    const response = await (await sending())('/v1/chat/completions', {
      body: { model: 'quaero', messages, ...settings },
    })
    expect(await response.text()).toContain('81.1 million pages')
  })

  it('of LibreChat names a person as its user, whose conversations stay apart', async () => {
    const client = openaiOver(await sending())
    const first = await client.chat.completions.create({ model: 'quaero', messages: [asked], user: '65f0' })
    const second = await client.chat.completions.create({ model: 'quaero', messages: [asked], user: '65f0' })
    const threads = [first, second].map((each) => (each as unknown as { quaero: { threadId: string } }).quaero.threadId)
    expect(new Set(threads).size).toBe(2)
  })
})

describe('Open WebUI', () => {
  it('is shown the work and each source with the page at its quote, and continues its chat', async () => {
    const send = await sending()
    const ask = async (content: string) => {
      const body = { model: 'quaero', stream: true, messages: [{ role: 'user', content }] }
      const response = await send('/v1/chat/completions', { body, headers: { 'x-openwebui-chat-id': 'chat-7' } })
      return eventsIn((await response.text()).replace('data: [DONE]', '')).map(({ data }) => data as Frame)
    }
    const frames = await ask(marble)
    const events = frames.flatMap(({ event }) => (event ? [event] : []))
    const statuses = events.filter(({ type }) => type === 'status').map(({ data }) => data)
    expect(statuses).toContainEqual({ description: 'Searching the documents', done: false })
    expect(statuses.at(-1)).toEqual({ description: 'Done', done: true })
    expect(events.filter(({ type }) => type === 'source').map(({ data }) => data)).toEqual([
      {
        source: { id: '1', name: expect.any(String), embed_url: expect.stringMatching(/\/#\/source\/[\w-]+\/1$/) },
        document: [expect.stringContaining('81.1 million pages')],
        metadata: [{ name: expect.any(String), source: expect.stringMatching(/\/1$/), page: 0 }],
      },
    ])
    const words = (of: readonly Frame[]) => of.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('')
    expect(words(frames)).toMatch(/^The Marble corpus holds 81\.1 million pages\.[^“]* \[1\]/)
    expect(words(frames)).not.toContain('“')
    expect(words(await ask('When was it released?'))).toContain('2021')
  })
})

async function allOf<T>(stream: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const each of stream) all.push(each)
  return all
}

interface Frame {
  readonly event?: { readonly type: string; readonly data: unknown }
  readonly choices?: readonly { readonly delta: { readonly content?: string } }[]
}
