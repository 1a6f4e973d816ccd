import { describe, expect, it } from 'vitest'
import type { Event } from '../../src/events/index.ts'
import { assertValidHistory, type ChatRequest, type EndpointReply } from '../fixtures/openai-endpoint.ts'
import { quickAndSlow } from '../fixtures/quick-rows.ts'
import { type Lines, type Speaker, speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder, openQuaero, papers } from '../fixtures/workflow.ts'

/**
 * An endpoint whose window does not hold what an agent sends: it is sent again once with less in it, and the run goes on
 * with the shorter conversation. All of it over real HTTP.
 */

const question = 'How many pages does the Marble corpus hold?'
/** A long paper, so that there is more evidence than a small window holds. */
const survey = Array.from(
  { length: 14 },
  (_, at) =>
    `## Part ${at + 1}\n\nThe Marble corpus and its pages in part ${at + 1}: ${`word${at} `.repeat(90)}and so on for the corpus.`,
).join('\n\n')

/** Characters of the messages that an agent's model takes; others take any. */
type Window = { readonly [S in Speaker]?: number }

/** The server's words, as vLLM has them, with a token for every four characters; or none that say how much. */
type Words = 'sizes' | 'nothing'

interface Options {
  readonly lines?: Lines
  readonly words?: Words
  readonly inTurn?: boolean
  /** Whether an answer that does not verify is asked for once more. */
  readonly repair?: boolean
}

async function workflow(window: Window, { lines = {}, words = 'sizes', inTurn = false, repair = false }: Options = {}) {
  let isNarrow = false
  const seen: { readonly speaker: Speaker; readonly characters: number; readonly fits: boolean; text: string }[] = []
  const endpoint = await speakingEndpoint(lines, {
    inTurn,
    instead(request, speaker) {
      if (!isNarrow) return undefined
      assertValidHistory(request.messages)
      const characters = sizeOf(request)
      const most = window[speaker] ?? Number.POSITIVE_INFINITY
      const text = JSON.stringify(request.messages)
      seen.push({ speaker, characters, fits: characters <= most, text })
      return characters <= most ? undefined : refusal(most, characters, words)
    },
  })
  const quaero = await openQuaero({
    model: 'openai:test-model',
    dataDir: await libraryFolder({ ...papers, 'survey.md': `# A survey\n\n${survey}` }),
    settings: { endpoint: { baseUrl: endpoint.url }, answer: { repair } },
  })
  return {
    quaero,
    endpoint,
    seen,
    /** From now on the window is as narrow as was said. */
    narrow: () => {
      isNarrow = true
    },
    async ask(threadId?: string) {
      const result = await quaero.ask(question, threadId ? { threadId } : {})
      const log: Event[] = []
      for await (const event of quaero.runs.events(result.runId)) log.push(event)
      const trimmed = log.flatMap((event) => (event.type === 'model.trimmed' ? [event] : []))
      return { result, log, trimmed }
    },
  }
}

function sizeOf({ messages }: ChatRequest): number {
  return messages.reduce((sum, { content }) => sum + String(content ?? '').length, 0)
}

function refusal(most: number, characters: number, words: Words): EndpointReply {
  const [window, sent] = [Math.floor(most / 4), Math.ceil(characters / 4)]
  const message = `This model's maximum context length is ${window} tokens. However, you requested ${sent} tokens in the messages.`
  const said = words === 'sizes' ? { message } : { code: 'context_length_exceeded', message: 'Too long.' }
  return { status: 400, body: { error: said } }
}

/** Earlier turns of a person who writes much. */
async function talk({ quaero }: Awaited<ReturnType<typeof workflow>>, threadId: string) {
  for (const nth of [1, 2, 3]) {
    await quaero.ask(`${question} This is the ${nth}th time I ask. ${'I have my reasons. '.repeat(80)}`, { threadId })
  }
}

const searching = (rounds: number): readonly EndpointReply[] => [
  ...Array.from({ length: rounds }, (_, at) => ({
    toolCalls: [{ name: 'pdf_retrieval', args: { query: `Marble corpus pages part ${at + 1}` } }],
  })),
  { content: 'P1 says it.' },
]

describe('a model whose window is too small', () => {
  it.each(['sizes', 'nothing'] as const)(
    'the orchestrator is asked once more without the older conversation (the endpoint names %s)',
    { tags: ['F10'] },
    async (words) => {
      const all = await workflow({ orchestrator: 6000 }, { words })
      await talk(all, 't1')
      all.narrow()
      const { result, trimmed } = await all.ask('t1')
      expect(result).toMatchObject({ status: 'completed', error: null, answer: 'It holds 81.1 million pages. [1]' })
      const own = all.seen.filter(({ speaker }) => speaker === 'orchestrator')
      expect(own.map(({ fits }) => fits)).toEqual([false, true])
      expect(own[1]?.text).toMatch(/earlier messages? left out/)
      expect(own[1]?.text).toContain(question)
      expect(trimmed).toMatchObject([{ agent: 'orchestrator', payload: { leftOut: { rounds: 0, passages: 0 } } }])
      expect(trimmed[0]?.payload.leftOut.messages).toBeGreaterThan(0)
      const [before, after] = own.map(({ characters }) => characters)
      expect(trimmed[0]?.payload).toMatchObject({ from: before, to: after })
      if (words === 'sizes') expect(trimmed[0]?.payload).toMatchObject({ window: 1500, sent: Math.ceil(before! / 4) })
    },
  )

  it('research is asked once more without its older rounds, and goes on with what is left', {
    tags: ['F10'],
  }, async () => {
    const all = await workflow({ research: 13_000 }, { lines: { research: searching(6) }, inTurn: true })
    all.narrow()
    const { result, trimmed } = await all.ask()
    expect(result).toMatchObject({ status: 'completed', error: null })
    expect(result.citations).toHaveLength(1)
    const own = all.seen.filter(({ speaker }) => speaker === 'research')
    const first = own.findIndex(({ fits }) => !fits)
    expect(own[first + 1]?.fits).toBe(true)
    expect(own[first + 1]?.text).toMatch(/earlier tool rounds? left out/)
    // What follows begins with the short conversation: no two refusals in a row, and it never grows back at once.
    expect(own[first + 2]?.text).toMatch(/earlier tool rounds? left out/)
    expect(own.filter(({ fits }, at) => !fits && own[at + 1]?.fits === false)).toEqual([])
    expect(trimmed.length).toBe(own.filter(({ fits }) => !fits).length)
    expect(trimmed[0]?.payload.leftOut.rounds).toBeGreaterThan(0)
  })

  it('research is asked once more with its one long result cut in the middle', { tags: ['F10'] }, async () => {
    const all = await workflow({ research: 7000 })
    all.narrow()
    const { result, trimmed } = await all.ask()
    expect(result).toMatchObject({ status: 'completed', error: null, answer: 'It holds 81.1 million pages. [1]' })
    expect(trimmed).toMatchObject([{ agent: 'research', payload: { leftOut: { rounds: 0, results: 1 } } }])
  })

  it('synthesis is asked once more with the best passages alone, and cites none that it has not read', {
    tags: ['F10', 'Q3'],
  }, async () => {
    const last = 'The Marble corpus and its pages in part'
    const all = await workflow(
      { synthesis: 8000 },
      {
        lines: {
          synthesis: {
            content: `${usualLines.synthesis.content} It has parts.<cite id="P10">${last}</cite>`,
          },
        },
      },
    )
    all.narrow()
    const { result, trimmed } = await all.ask()
    const own = all.seen.filter(({ speaker }) => speaker === 'synthesis')
    expect(own.map(({ fits }) => fits)).toEqual([false, true])
    expect(own[0]?.text).toContain('<passage id=\\"P10\\"')
    expect(own[1]?.text).not.toContain('<passage id=\\"P10\\"')
    expect(own[1]?.text).toContain('<passage id=\\"P1\\"')
    expect(result).toMatchObject({ status: 'completed', error: null, answer: 'It holds 81.1 million pages. [1]' })
    expect(result.unsupported).toMatchObject([{ text: 'It has parts.' }])
    expect(trimmed[0]?.payload.leftOut.passages).toBeGreaterThan(0)
  })

  it('an answer that has to be mended is asked for with the short conversation too', { tags: ['F10'] }, async () => {
    const wrong = { content: 'It holds 99 million pages.<cite id="P1">holds 99 million pages</cite>' }
    const all = await workflow(
      { synthesis: 8000 },
      { lines: { synthesis: [wrong, usualLines.synthesis] }, repair: true },
    )
    all.narrow()
    const { result, trimmed } = await all.ask()
    expect(result).toMatchObject({ answer: 'It holds 81.1 million pages. [1]', error: null })
    const own = all.seen.filter(({ speaker }) => speaker === 'synthesis')
    expect(own.map(({ fits }) => fits)).toEqual([false, true, true])
    expect(own[2]?.text).toContain('99 million')
    expect(trimmed).toHaveLength(1)
  })

  for (const { rows, tags } of quickAndSlow(['orchestrator', 'research', 'synthesis'] as const)) {
    it.each(rows)(
      'where even the shorter call of %s does not fit, the sizes are told, and the run goes on without it',
      { tags: [...tags, 'F10'] },
      async (speaker) => {
        const all = await workflow({ [speaker]: 10 })
        await talk(all, 't1')
        all.narrow()
        const { result, trimmed } = await all.ask('t1')
        expect(result).toMatchObject({ status: 'completed', error: { code: 'context_too_long' } })
        expect(result.answer).toContain('81.1 million pages')
        const own = all.seen.filter((each) => each.speaker === speaker)
        expect(own).toHaveLength(2)
        expect(trimmed).toHaveLength(1)
        const { from, to } = trimmed[0]?.payload ?? {}
        expect(result.error?.message).toContain(all.endpoint.host)
        expect(result.error?.message).toContain('test-model')
        expect(result.error?.message).toContain(`shortened from ${from} to ${to} characters`)
        expect(result.error?.message).toContain('Choose a model with a larger context window')
      },
    )
  }

  it('a shorter call that fails in other ways is tried, with the first, three times in all', {
    tags: ['F10'],
  }, async () => {
    let nth = 0
    const endpoint = await speakingEndpoint(
      {},
      {
        instead(request, speaker) {
          if (speaker !== 'research' || !JSON.stringify(request.messages).includes('"role":"tool"')) return undefined
          nth += 1
          return nth === 1 ? refusal(7000, 20_000, 'sizes') : { status: 500 }
        },
      },
    )
    const settings = { endpoint: { baseUrl: endpoint.url } }
    const quaero = await openQuaero({ model: 'openai:test-model', settings })
    const result = await quaero.ask(question)
    expect(result).toMatchObject({ status: 'completed', error: { code: 'endpoint_unavailable' } })
    expect(nth).toBe(3)
  })

  it('a run that is stopped behind the shorter call goes on with it, and does not send the long one again', {
    tags: ['F10'],
  }, async () => {
    const all = await workflow({ research: 7000 }, { lines: { research: searching(2) }, inTurn: true })
    all.narrow()
    let runId = ''
    let rounds = 0
    for await (const event of all.quaero.stream(question)) {
      runId = event.runId
      if (event.type === 'tool.started') rounds += 1
      if (rounds === 2) break
    }
    expect(all.seen.filter(({ fits }) => !fits)).toHaveLength(1)
    const before = all.seen.length
    const result = await all.quaero.resume(runId)
    expect(result).toMatchObject({ status: 'completed', error: null, answer: 'It holds 81.1 million pages. [1]' })
    const after = all.seen.slice(before).filter(({ speaker }) => speaker === 'research')
    expect(after[0]?.text).toContain('left out to fit')
    expect(await all.quaero.runs.show(runId)).toEqual(result)
  })
})
