import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { AskOptions } from '../../../src/api.ts'
import { IdempotencyKeyReused, ThreadBusy } from '../../../src/errors.ts'
import type { StreamEvent } from '../../../src/events/index.ts'
import { speakingEndpoint, usualLines } from '../../fixtures/speaking-endpoint.ts'
import { calls, cited, gate, libraryFolder, openQuaero, openWorkflow, route, search } from '../../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const answer = cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')
const turn = { orchestrator: [route()], research: [search('Marble corpus pages'), 'Done.'], synthesis: [answer] }

async function read(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const lines: StreamEvent[] = []
  for await (const line of stream) lines.push(line)
  return lines
}

/** Lines of these types, their payloads with them. */
function linesOf<T extends StreamEvent['type']>(lines: readonly StreamEvent[], ...types: readonly T[]) {
  return lines.filter((line): line is Extract<StreamEvent, { readonly type: T }> =>
    (types as readonly string[]).includes(line.type),
  )
}

const typesOf = (lines: readonly StreamEvent[]) => lines.map(({ type }) => type)
const positionsOf = (lines: readonly StreamEvent[]) =>
  lines.flatMap((line) => ('position' in line ? [line.position] : []))

/** Quaero with a real HTTP endpoint that a test can hold back. */
function overHttp(url: string, dataDir?: string) {
  const settings = { endpoint: { baseUrl: url } }
  return openQuaero({ model: 'openai:test-model', settings, ...(dataDir && { dataDir }) })
}

describe('the stream of a run', () => {
  const never = () => gate().opened.then(() => 'Never said.')
  const hooks = {
    name: 'breaks',
    round: () => {
      throw new Error('no')
    },
  }
  const stop = new AbortController()
  const endings = [
    ['answered', { research: turn.research }, {}, 'run.completed'],
    ['cut short by a limit', { research: turn.research }, { limits: { modelCalls: 3 } }, 'run.completed'],
    ['failed', { research: turn.research, hooks: hooks as never }, {}, 'run.failed'],
    ['waiting for an approval', { research: turn.research, trust: 'strict' as const }, {}, 'run.interrupted'],
    ['stopped', { research: [never] }, { signal: stop.signal }, 'run.interrupted'],
    ['cancelled', { research: [never] }, {}, 'run.interrupted'],
  ] as const

  it.each(endings)(
    'begins with run.created and ends with its ending: %s',
    { tags: ['U1'] },
    async (name, how, options, last) => {
      const { research, trust, ...rest } = { trust: 'open' as const, ...how }
      const { quaero } = await openWorkflow({ ...turn, research }, { settings: { tools: { trust } }, ...rest })
      const onResearch = {
        stopped: () => stop.abort(),
        cancelled: (line: StreamEvent) => void quaero.cancel(line.runId),
      }[name as string]
      const lines: StreamEvent[] = []
      for await (const line of quaero.stream(question, { threadId: 't1', ...options })) {
        lines.push(line)
        if (line.type === 'model.started' && line.agent === 'research') onResearch?.(line)
      }
      expect([lines[0]?.type, lines.at(-1)?.type]).toEqual(['run.created', last])
      expect(positionsOf(lines)).toEqual(positionsOf(lines).map((_position, i) => i + 1))
      expect(new Set(lines.map(({ runId, threadId }) => `${runId} ${threadId}`)).size).toBe(1)
      for (const { timestamp } of lines) expect(Date.parse(timestamp)).not.toBeNaN()
    },
  )

  it('brings text before the model has finished, and in all what the message holds', { tags: ['U2'] }, async () => {
    const seen = gate()
    const endpoint = await speakingEndpoint({ research: [{ content: 'I know it by heart.', secondHalf: seen.opened }] })
    const quaero = await overHttp(endpoint.url)
    const lines: StreamEvent[] = []
    for await (const line of quaero.stream(question)) {
      lines.push(line)
      // The endpoint says nothing more before this has arrived.
      if (line.type === 'message.delta' && line.agent === 'research') seen.open()
    }
    const deltas = linesOf(lines, 'message.delta')
    const streamed = linesOf(lines, 'message.completed').filter(
      ({ payload }) => !payload.superseded && deltas.some((delta) => delta.payload.messageId === payload.messageId),
    )
    expect(streamed.length).toBeGreaterThanOrEqual(2)
    for (const { payload } of streamed) {
      const own = deltas.filter((delta) => delta.payload.messageId === payload.messageId)
      expect(own.map((delta) => delta.payload.text).join('')).toBe(payload.text)
    }
  })

  it('marks text that was streamed and does not count, when a call is made again', { tags: ['U2'] }, async () => {
    const endpoint = await speakingEndpoint({
      synthesis: [{ ...usualLines.synthesis, cutAfter: 12 }, usualLines.synthesis],
    })
    const lines = await read((await overHttp(endpoint.url)).stream(question))
    const drafts = linesOf(lines, 'message.completed').filter(({ agent }) => agent === 'synthesis')
    expect(drafts.map(({ payload }) => payload.superseded)).toEqual([true, expect.anything()])
    expect(typesOf(lines)).toContain('model.retried')
  })

  it('reports a tool before it runs, and after, with success or error', { tags: ['U3'] }, async () => {
    const { quaero } = await openWorkflow({
      ...turn,
      research: [calls(['pdf_retrieval', { query: 'Marble' }, 'good'], ['pdf_retrieval', {}, 'bad']), 'Done.'],
    })
    const lines = await read(quaero.stream(question))
    const order = linesOf(lines, 'tool.started', 'tool.completed', 'tool.failed')
    expect(typesOf(order).slice(0, 1)).toEqual(['tool.started'])
    for (const started of linesOf(lines, 'tool.started')) {
      const ended = order.filter(({ causationId }) => causationId === started.id)
      expect(typesOf(ended)).toEqual([started.payload.callId === 'bad' ? 'tool.failed' : 'tool.completed'])
      expect(lines.indexOf(ended[0] as StreamEvent)).toBeGreaterThan(lines.indexOf(started))
    }
  })

  it('is cancelled in the middle of an answer: the request, the ending, nothing after, and the connection closed', {
    tags: ['U5'],
  }, async () => {
    const endpoint = await speakingEndpoint({ synthesis: { ...usualLines.synthesis, drip: true } })
    const quaero = await overHttp(endpoint.url)
    const began = performance.now()
    let [asked, closed] = [0, 0]
    const lines: StreamEvent[] = []
    const work: Promise<unknown>[] = []
    for await (const line of quaero.stream(question)) {
      lines.push(line)
      if (asked > 0 || line.type !== 'message.delta' || line.payload.scope !== 'thread') continue
      asked = performance.now()
      const noteClosing = () => {
        closed = performance.now()
      }
      work.push(endpoint.idle().then(noteClosing), quaero.cancel(line.runId))
    }
    await Promise.all(work)
    const { runId } = lines[0] as StreamEvent
    const after = lines.slice(typesOf(lines).indexOf('cancel.requested'))
    expect(typesOf(after)).not.toContain('model.completed')
    expect(typesOf(after)).not.toContain('run.completed')
    expect(after.at(-1)).toMatchObject({ type: 'run.interrupted', payload: { reason: 'cancelled' } })
    expect((await quaero.runs.show(runId)).answer).toBe('')
    // Far less than all that came before: the run did not wait for the model.
    expect(closed - asked).toBeLessThan(asked - began)
    if (process.env.QUAERO_SHOW_TIMES) console.log(`closed ${Math.round(closed - asked)} ms after the cancel`)
  })

  it('ends at a limit where the model would go on for ever', { tags: ['U8'] }, async () => {
    let asked = 0
    const again = () => {
      asked += 1
      return search(`Marble corpus ${asked}`)
    }
    const { quaero } = await openWorkflow(
      { ...turn, research: Array.from({ length: 50 }, () => again) },
      { settings: { limits: { rounds: 4 } } },
    )
    const lines = await read(quaero.stream(question))
    expect(lines.at(-1)).toMatchObject({
      type: 'run.completed',
      payload: { stopReason: 'limit_reached', ending: { limit: 'rounds', value: 4 } },
    })
    expect(asked).toBe(5)
  })

  it('brings tool calls as the model writes them, and all of them with the completed message', {
    tags: ['U9'],
  }, async () => {
    const seen = gate()
    const [call, words] = usualLines.research
    const endpoint = await speakingEndpoint({ research: [{ ...call, secondHalf: seen.opened }, words] })
    const lines: StreamEvent[] = []
    for await (const line of (await overHttp(endpoint.url)).stream(question)) {
      lines.push(line)
      // The endpoint writes the rest of the call only when its beginning has arrived.
      if (line.type === 'message.delta' && line.payload.toolCall) seen.open()
    }
    const pieces = linesOf(lines, 'message.delta').filter(({ payload }) => payload.toolCall)
    expect(pieces[0]?.payload.toolCall).toMatchObject({ name: 'pdf_retrieval' })
    const args = pieces.map(({ payload }) => payload.toolCall?.args).join('')
    const whole = linesOf(lines, 'message.completed').find(
      ({ payload }) => payload.messageId === pieces[0]?.payload.messageId,
    )
    expect(whole?.payload.toolCalls).toMatchObject([{ name: 'pdf_retrieval', args: JSON.parse(args) }])
  })

  it('gives each message one id from its beginning to its end, results of tools too', { tags: ['U10'] }, async () => {
    const lines = await read((await openWorkflow(turn)).quaero.stream(question))
    const begun = linesOf(lines, 'message.created')
    expect(new Set(begun.map(({ payload }) => payload.messageId)).size).toBe(begun.length)
    for (const { payload } of begun) {
      const own = linesOf(lines, 'message.created', 'message.delta', 'message.completed').filter(
        (line) => line.payload.messageId === payload.messageId,
      )
      const types = typesOf(own)
      expect([types[0], types.at(-1)]).toEqual(['message.created', 'message.completed'])
      expect(types.filter((type) => type !== 'message.delta')).toHaveLength(2)
    }
    const results = linesOf(lines, 'message.completed').filter(({ payload }) => payload.role === 'tool')
    expect(results).toMatchObject([
      {
        agent: 'research',
        payload: { scope: 'scratch', toolCallId: 'pdf_retrieval-1', text: expect.stringContaining('81.1 million') },
      },
    ])
  })

  it('of a resumed run begins with run.started and its attempt, also after a crash or an approval', {
    tags: ['U12'],
  }, async () => {
    const { quaero } = await openWorkflow(turn, { settings: { tools: { trust: 'strict' } } })
    const { runId } = await quaero.ask(question)
    const lines = await read(quaero.resumeStream(runId, { 'pdf_retrieval-1': { approved: true } }))
    expect(lines[0]).toMatchObject({ type: 'run.started', payload: { attempt: 2 } })
    expect(lines.at(-1)?.type).toBe('run.completed')
    const before = (lines[0] as unknown as { readonly position: number }).position - 1
    const whole = await read(quaero.follow(runId))
    expect(typesOf(whole)[0]).toBe('run.created')
    expect(whole.filter((line) => 'position' in line)[before - 1]?.type).toBe('approval.resolved')
    expect(positionsOf(whole)).toEqual(positionsOf(whole).map((_, i) => i + 1))
    const results = linesOf(whole, 'message.completed').filter(({ payload }) => payload.role === 'tool')
    expect(results).toHaveLength(1)
  })

  it('is empty while approvals are missing', { tags: ['U12'] }, async () => {
    const { quaero } = await openWorkflow(turn, { settings: { tools: { trust: 'strict' } } })
    const { runId } = await quaero.ask(question)
    expect(await read(quaero.resumeStream(runId))).toEqual([])
  })
})

describe('a reader who leaves a stream', () => {
  async function leftInTheMiddle(onLeave?: 'stop' | 'continue') {
    const left = gate()
    const endpoint = await speakingEndpoint({ synthesis: { ...usualLines.synthesis, secondHalf: left.opened } })
    const quaero = await overHttp(endpoint.url)
    const seen: StreamEvent[] = []
    for await (const line of quaero.stream(question, onLeave && { onLeave })) {
      seen.push(line)
      if (line.type === 'message.delta' && line.payload.scope === 'thread') break
    }
    const after = positionsOf(seen).at(-1) ?? 0
    return { quaero, seen, after, runId: seen[0]?.runId ?? '', goOn: left.open, endpoint }
  }

  it('stops the run where it can be resumed', { tags: ['F59'] }, async () => {
    const { quaero, runId, goOn } = await leftInTheMiddle()
    goOn()
    expect((await quaero.status(runId)).state).toBe('interrupted')
    expect((await quaero.resume(runId)).status).toBe('completed')
  })

  it('lets the run go on if it said so, and comes back to where it was: no gap, no repeat, the whole text', {
    tags: ['F59'],
  }, async () => {
    const { quaero, runId, seen, after, goOn, endpoint } = await leftInTheMiddle('continue')
    expect((await quaero.status(runId)).state).toBe('running')
    const rest: StreamEvent[] = []
    for await (const line of quaero.follow(runId, { after })) {
      rest.push(line)
      goOn()
    }
    expect(positionsOf([...seen, ...rest])).toEqual(positionsOf([...seen, ...rest]).map((_, i) => i + 1))
    expect(rest.at(-1)?.type).toBe('run.completed')
    const [first] = linesOf(rest, 'message.delta')
    expect(first?.payload.soFar).toBe(true)
    const text = linesOf(rest, 'message.delta').map(({ payload }) => payload.text)
    expect(text.join('').trim()).toBe('It holds 81.1 million pages. [1]')
    expect(endpoint.calls()).toEqual(['orchestrator', 'research', 'research', 'synthesis'])
  })

  it('is refused a position that is none, and a run that is none', { tags: ['U6'] }, async () => {
    const { quaero } = await openWorkflow(turn)
    await expect(read(quaero.follow('nobody'))).rejects.toThrow('There is no run "nobody"')
    await expect(read(quaero.follow('nobody', { after: -1 }))).rejects.toThrow('"after"')
  })
})

describe('a question that is asked again with the same idempotency key', () => {
  it('is the same run, at the same time, later, and in another engine on the same file', {
    tags: ['F58'],
  }, async () => {
    const dataDir = await libraryFolder()
    const options = { idempotencyKey: 'order 66' }
    const { quaero, model } = await openWorkflow(turn, { dataDir })
    const other = await openWorkflow({}, { dataDir })
    const results = await Promise.all([
      quaero.ask(question, options),
      quaero.ask(question, options),
      other.quaero.ask(question, options),
    ])
    results.push(await quaero.ask(question, options))
    expect(new Set(results.map(({ runId }) => runId)).size).toBe(1)
    for (const result of results) expect(result).toEqual(results[0])
    expect(results[0]).toMatchObject({ status: 'completed', citations: [{ marker: 1 }] })
    expect(model.heard.length + other.model.heard.length).toBe(4)
    expect(await quaero.runs.list()).toHaveLength(1)
    const again = await read(other.quaero.stream(question, options))
    expect([again[0]?.type, again.at(-1)?.type]).toEqual(['run.created', 'run.completed'])
  })

  it('is refused where the key stands for another question, or another thread', { tags: ['F58'] }, async () => {
    const { quaero } = await openWorkflow(turn)
    await quaero.ask(question, { idempotencyKey: 'k', threadId: 't1' })
    await expect(quaero.ask('Another?', { idempotencyKey: 'k' })).rejects.toThrow(IdempotencyKeyReused)
    await expect(quaero.ask(question, { idempotencyKey: 'k', threadId: 't2' })).rejects.toThrow(IdempotencyKeyReused)
    await expect(quaero.ask(question, { idempotencyKey: '' })).rejects.toThrow('cannot be used')
    expect(await quaero.runs.list()).toHaveLength(1)
  })

  /** A run under the key `k` that was stopped while it wrote its answer. */
  async function stopped(options: AskOptions = {}) {
    const dataDir = await libraryFolder()
    const reached = gate()
    const held = () => {
      reached.open()
      return gate().opened.then(() => 'Never said.')
    }
    const first = await openWorkflow({ ...turn, synthesis: [held] }, { dataDir })
    const stop = new AbortController()
    const asking = first.quaero.ask(question, { idempotencyKey: 'k', signal: stop.signal, ...options })
    await reached.opened
    stop.abort()
    const result = await asking
    expect(result.status).toBe('interrupted')
    return { dataDir, ...first, runId: result.runId, threadId: result.threadId }
  }

  it('goes on with a run that was interrupted, once, and pays for nothing twice', {
    tags: ['F58', 'E10'],
  }, async () => {
    const { dataDir, quaero, runId } = await stopped()
    const [second, third] = [
      await openWorkflow({ synthesis: [answer] }, { dataDir }),
      await openWorkflow({ synthesis: [answer] }, { dataDir }),
    ]
    const options = { idempotencyKey: 'k' }
    const results = await Promise.all([
      second.quaero.ask(question, options),
      second.quaero.ask(question, options),
      third.quaero.ask(question, options),
    ])
    for (const result of results) expect(result).toEqual(results[0])
    expect(results[0]).toMatchObject({ runId, status: 'completed', citations: [{ marker: 1 }] })
    expect(second.model.heard.length + third.model.heard.length).toBe(1)
    expect((await quaero.status(runId)).attempt).toBe(2)
    expect(await quaero.runs.list()).toHaveLength(1)
  })

  it('streams the attempt that goes on, with the limits and the signal of the repeat', {
    tags: ['F58', 'U12'],
  }, async () => {
    const { dataDir, runId } = await stopped()
    const { quaero } = await openWorkflow({ synthesis: [answer] }, { dataDir })
    const left = AbortSignal.abort()
    const again = await quaero.ask(question, { idempotencyKey: 'k', signal: left })
    expect([again.runId, again.status]).toEqual([runId, 'interrupted'])
    const lines = await read(quaero.stream(question, { idempotencyKey: 'k' }))
    expect(lines[0]).toMatchObject({ type: 'run.started', payload: { attempt: 3 } })
    expect(lines.at(-1)?.type).toBe('run.completed')
  })

  it('leaves a run unchanged that has ended, or whose thread another run holds', {
    tags: ['F58'],
  }, async () => {
    const { quaero, runId, threadId, dataDir } = await stopped({ threadId: 't1' })
    const busy = gate()
    const reached = gate()
    const slow = () => {
      reached.open()
      return busy.opened.then(() => answer)
    }
    const other = await openWorkflow({ ...turn, synthesis: [slow] }, { dataDir })
    const asking = other.quaero.ask('Who released it?', { threadId })
    await reached.opened
    await expect(quaero.ask(question, { idempotencyKey: 'k' })).rejects.toThrow(ThreadBusy)
    busy.open()
    await asking
    await quaero.cancel(runId)
    expect(await quaero.ask(question, { idempotencyKey: 'k' })).toMatchObject({ runId, status: 'cancelled' })
  })

  it('gets a run that waits for an approval as it stands, and starts nothing', { tags: ['F58'] }, async () => {
    const { quaero, model } = await openWorkflow(turn, { settings: { tools: { trust: 'strict' } } })
    const first = await quaero.ask(question, { idempotencyKey: 'k' })
    expect(first.status).toBe('requires_action')
    const heard = model.heard.length
    expect(await quaero.ask(question, { idempotencyKey: 'k' })).toEqual(first)
    expect(model.heard).toHaveLength(heard)
  })
})

describe('an approval that nobody answers', () => {
  it('leaves the run waiting for days and over restarts, and it goes on when the answer comes', {
    tags: ['F48', 'E8'],
  }, async () => {
    const dataDir = await libraryFolder()
    const settings = { tools: { trust: 'strict' as const } }
    const first = await openWorkflow(turn, { dataDir, settings })
    const { runId } = await first.quaero.ask(question, { threadId: 't1' })
    await first.quaero.close()
    const days = 20
    const file = new Database(join(dataDir, 'quaero.db'))
    const moved = file
      .prepare(`UPDATE events SET timestamp = strftime('%Y-%m-%dT%H:%M:%fZ', timestamp, ?)`)
      .run(`-${days} days`)
    expect(moved.changes).toBeGreaterThan(5)
    file.exec('UPDATE runs SET snapshot = NULL, snapshot_position = 0')
    file.close()

    const script = { research: ['Done.'], synthesis: [answer] }
    const limits = { wallClockSeconds: 3600 }
    const second = await openWorkflow(script, { dataDir, settings: { ...settings, limits } })
    const [waiting] = await second.quaero.runs.list({ unfinished: true })
    expect(waiting).toMatchObject({ runId, status: 'requires_action' })
    expect(Date.now() - Date.parse(waiting?.startedAt ?? '')).toBeGreaterThan((days - 1) * 24 * 3600 * 1000)
    const resumed = await second.quaero.resume(runId, { 'pdf_retrieval-1': { approved: true } })
    expect(resumed).toMatchObject({ status: 'completed', citations: [{ marker: 1 }], usage: { toolCalls: 1 } })
    expect(second.model.heard).toHaveLength(2)
  })
})
