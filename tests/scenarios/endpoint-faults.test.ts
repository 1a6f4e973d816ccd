import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig, type SettingsOverrides } from '../../src/config.ts'
import { createQuaero } from '../../src/quaero.ts'
import type { RunResult } from '../../src/runs/log/result.ts'
import type { EndpointReply } from '../fixtures/openai-endpoint.ts'
import { quickAndSlow } from '../fixtures/quick-rows.ts'
import { type Speaker, startSpeakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { papers } from '../fixtures/workflow.ts'

/**
 * One fault of each class, in an agent that asks an endpoint, through the whole workflow over real HTTP; each kind of
 * ending in each agent. Transient
 * failures are retried; others are worked around, or end the run; no cut text is ever taken for an answer. Which fault is
 * of which class: tests/unit/models/openai/wire-faults.test.ts.
 */

let folder: string
let folders = 0

// The tests run side by side, so they share what is set up, and each has a folder of its own in it.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quaero-'))
  for (const [name, text] of Object.entries(papers)) await writeFile(join(folder, name), text)
  const config = loadConfig({ env: {} })
  await (await createQuaero({ config, dataDir: folder, model: 'extractive', documents: [folder] })).close()
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function ownFolder(): Promise<string> {
  folders += 1
  const own = join(folder, String(folders))
  await mkdir(own)
  await copyFile(join(folder, 'quaero.db'), join(own, 'quaero.db'))
  return own
}

const question = 'How many pages does the Marble corpus hold?'
const agents = ['orchestrator', 'research', 'synthesis'] as const
const answer: EndpointReply = { content: 'It reaches 87.2 % (Zhang et al., 2021).' }
const cutCall: EndpointReply = {
  toolCalls: [{ name: 'pdf_retrieval', args: { query: 'Halden filter pages removed' } }],
  cutAfter: 12,
}

type Row = readonly [what: string, fault: EndpointReply, code: string]

/** Once, then the endpoint is as it should be: the run never shows that anything was wrong. */
const passing: readonly Row[] = [
  ['a 429 with Retry-After', { status: 429, headers: { 'retry-after': '1' } }, 'rate_limited'],
  ['one 500', { status: 500 }, 'endpoint_unavailable'],
  ['an empty body', { status: 200, body: '' }, 'endpoint_incompatible'],
  ['a stream without a finish reason', { ...answer, cutAfter: 20 }, 'stream_truncated'],
  ['a stall in the stream', { ...answer, stall: 'middle' }, 'endpoint_timeout'],
]

/** Always, in one agent: the run goes on by another way, and says so. */
const lasting: readonly Row[] = [
  ['a 429 that asks for ten minutes', { status: 429, headers: { 'retry-after': '600' } }, 'rate_limited'],
  ['500 for ever', { status: 500 }, 'endpoint_unavailable'],
  ['a web page with 200', { html: '<!doctype html><h1>Sign in</h1>' }, 'endpoint_incompatible'],
  ['tool calls that are cut', cutCall, 'stream_truncated'],
  ['no headers, ever', { stall: 'before' }, 'endpoint_timeout'],
  ['an answer without end', { raw: Buffer.alloc(20_000, 'data: x') }, 'answer_too_large'],
]

/** What no agent can work around ends the run. */
const ending: readonly Row[] = [
  ['an account out of quota', { status: 429, body: { error: { code: 'insufficient_quota' } } }, 'quota_exhausted'],
  ['a rejected key', { status: 401, body: { error: { message: 'Incorrect key: sk-canary-7f3a' } } }, 'key_rejected'],
  ['a model that is not there', { status: 404, body: { error: { code: 'model_not_found' } } }, 'model_not_found'],
  ['an answer withheld by a filter', { content: 'I', finishReason: 'content_filter' }, 'content_filtered'],
]

describe('an endpoint that fails for a moment', () => {
  for (const { rows, tags } of quickAndSlow(inAnAgent(passing))) {
    it.concurrent.each(rows)(
      '%s, asked by %s, is tried again',
      { tags: [...tags, 'F1', 'F5', 'F12', 'F19', 'F22'] },
      async (_, agent, fault, code) => {
        const { result, requests, retried } = await answered({ [agent]: [fault, ...usual(agent)] }, 'once')
        expect(result).toMatchObject({
          status: 'completed',
          error: null,
          answer: expect.stringContaining('81.1 million pages'),
        })
        expect(result.answer).not.toContain('87.2')
        expect(retried).toEqual([code])
        expect(requests).toBe(5)
      },
    )
  }
})

describe('an endpoint that keeps failing one agent', () => {
  for (const { rows, tags } of quickAndSlow(inAnAgent(lasting))) {
    it.concurrent.each(rows)(
      '%s, asked by %s, is worked around and reported',
      { tags: [...tags, 'F3', 'F6', 'F11', 'F20', 'F21', 'F29'] },
      async (_, agent, fault, code) => {
        const { result, requests, calls, searched, host } = await answered({ [agent]: fault }, 'always')
        expect(result).toMatchObject({ status: 'completed', error: { code } })
        expect(result.error?.message).toContain(host)
        expect(result.error?.message).not.toMatch(/<\w/)
        expect(result.answer).toContain('81.1 million pages')
        expect(result.answer).not.toMatch(/87\.2|Halden/)
        expect(calls.filter((each) => each === agent).length).toBeLessThanOrEqual(3)
        expect(requests).toBeLessThanOrEqual(6)
        // Once: by the model, or by research itself where no model asked. Never what a cut call asked for.
        expect(searched).toHaveLength(1)
        expect(searched[0]).not.toContain('Halden')
        if (agent === 'synthesis') expect(result.answer).toContain('The model gave no answer: ')
      },
    )
  }
})

describe('an endpoint that refuses', () => {
  for (const { rows, tags } of quickAndSlow(inAnAgent(ending))) {
    it.concurrent.each(rows)(
      '%s, asked by %s, ends the run after one request',
      { tags: [...tags, 'F4', 'F8', 'F9', 'F16'] },
      async (_, agent, fault, code) => {
        const { result, calls, host } = await answered({ [agent]: fault }, 'always')
        expect(result).toMatchObject({ status: 'failed', answer: '', error: { code } })
        expect(result.error?.message).toContain(host)
        expect(JSON.stringify(result)).not.toContain('sk-canary')
        expect(calls.filter((each) => each === agent)).toHaveLength(1)
      },
    )
  }
})

describe('an odd answer', () => {
  for (const { rows, tags } of quickAndSlow(agents)) {
    it.concurrent.each(rows)(
      'a refusal, asked by %s, is shown or worked around',
      { tags: [...tags, 'F14'] },
      async (agent) => {
        const { result } = await answered({ [agent]: { content: null, refusal: 'I cannot help with that.' } }, 'always')
        expect(result).toMatchObject({ status: 'completed', error: null, abstained: agent === 'synthesis' })
        if (agent === 'synthesis')
          expect(result.answer).toMatch(/^The model declined to answer: “I cannot help with that\.”/)
        else expect(result.answer).toContain('81.1 million pages')
      },
    )
  }

  it('an answer that is cut at its length limit is shown as far as it verifies, and says so', {
    tags: ['F15'],
  }, async () => {
    const { result, calls } = await answered(
      { synthesis: { content: `${usualLines.synthesis.content} It was rel`, finishReason: 'length' } },
      'always',
    )
    expect(result.answer).toMatch(/^It holds 81\.1 million pages\. \[1\][\s\S]*may be incomplete/)
    expect(calls.filter((each) => each === 'synthesis')).toHaveLength(1)
  })

  it('a decision that is cut is asked for once more', { tags: ['F15'] }, async () => {
    const { result, calls } = await answered(
      { orchestrator: [{ content: '{"route": "resea', finishReason: 'length' }, usualLines.orchestrator] },
      'once',
    )
    expect(result).toMatchObject({ error: null, answer: 'It holds 81.1 million pages. [1]' })
    expect(calls.filter((each) => each === 'orchestrator')).toHaveLength(2)
  })

  it('a tool call that is cut is not made, and the model is told', { tags: ['F15', 'F20'] }, async () => {
    const call = { name: 'pdf_retrieval', args: '{"query": "Halden filter pages rem' }
    const { result, searched } = await answered(
      { research: [{ toolCalls: [call], finishReason: 'length' }, ...usual('research')] },
      'once',
    )
    expect(result).toMatchObject({ error: null, answer: 'It holds 81.1 million pages. [1]' })
    expect(searched).toEqual(['Marble corpus pages'])
  })

  for (const { rows, tags } of quickAndSlow(agents)) {
    it.concurrent.each(rows)(
      'without usage, asked by %s, the cost is unknown, never 0',
      { tags: [...tags, 'F32'] },
      async (agent) => {
        const lines = usual(agent).map((line) => ({ ...line, usage: null }))
        const { result } = await answered({ [agent]: lines }, 'always')
        expect(result).toMatchObject({ status: 'completed', error: null, usage: { costUsd: null } })
      },
    )
  }

  for (const { rows, tags } of quickAndSlow(agents)) {
    it.concurrent.each(rows)(
      'no [DONE], CRLF, comments and split characters, asked by %s, are read like any answer',
      { tags: [...tags, 'F26'] },
      async (agent) => {
        const lines = usual(agent).map(rawLine)
        const { result, requests } = await answered({ [agent]: lines }, 'always')
        expect(result).toMatchObject({ status: 'completed', error: null, answer: 'It holds 81.1 million pages. [1]' })
        expect(requests).toBe(4)
      },
    )
  }

  for (const { rows, tags } of quickAndSlow(agents)) {
    it.concurrent.each(rows)(
      'JSON instead of a stream, asked by %s, is taken as the answer',
      { tags: [...tags, 'F27'] },
      async (agent) => {
        const lines = usual(agent).map((line) => ({ ...line, json: true }))
        const { result } = await answered({ [agent]: lines }, 'always')
        expect(result).toMatchObject({ status: 'completed', error: null, answer: 'It holds 81.1 million pages. [1]' })
      },
    )
  }
})

describe('an endpoint that drips for ever', () => {
  it.concurrent.each(agents)(
    'asked by %s, is left when the time of the run is up',
    { tags: ['slow', 'F23'] },
    async (agent) => {
      const { result, calls } = await answered({ [agent]: { ...answer, drip: true } }, 'always', {
        limits: { wallClockSeconds: 4 },
        endpoint: { maxAnswerMegabytes: 1000 },
      })
      expect(result).toMatchObject({
        status: 'limit_reached',
        ending: { limit: 'wallClockMs', value: 4000 },
        error: null,
      })
      // What was found is quoted; before a search there is nothing.
      if (agent === 'synthesis') expect(result.answer).toContain('81.1 million pages')
      else expect(result).toMatchObject({ abstained: true, citations: [] })
      expect(result.answer).not.toContain('87.2')
      expect(calls.filter((each) => each === agent)).toHaveLength(1)
    },
  )
})

describe('a retry that hangs', () => {
  for (const { rows, tags } of quickAndSlow(agents)) {
    it.concurrent.each(rows)(
      'asked by %s, ends with the retry budget, although a first attempt may wait longer',
      { tags: [...tags, 'F21'] },
      async (agent) => {
        const { result, calls } = await answered({ [agent]: [{ status: 500 }, { stall: 'before' }] }, 'once', {
          // The time that a first try has is longer than this test.
          endpoint: { headersTimeoutSeconds: 3600, idleTimeoutSeconds: 3600, retryBudgetSeconds: 2.5 },
        })
        expect(result).toMatchObject({ status: 'completed', error: { code: 'endpoint_timeout' } })
        expect(result.answer).toContain('81.1 million pages')
        expect(calls.filter((each) => each === agent)).toHaveLength(2)
      },
    )
  }
})

/** The reply as a server sends it that ends its lines with CRLF, sends comments, and stops without `[DONE]`. */
function rawLine({ content = '', toolCalls }: EndpointReply): EndpointReply {
  const calls = toolCalls?.map(({ name, args }, index) => ({
    index,
    id: `call-${index}`,
    function: { name, arguments: JSON.stringify(args) },
  }))
  const event = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}`
  const words = calls
    ? [event({ tool_calls: calls }, null)]
    : [...(content ?? '')].map((c) => event({ content: c }, null))
  const lines = [': keep-alive ‰ 🙂', '', ...words.flatMap((word) => [word, '']), event({}, 'stop'), '']
  // Sent in pieces of seven bytes, which cut characters in two.
  return { raw: lines.join('\r\n') }
}

/** The rows as arguments of a test, each with the next of the agents: what, agent, fault, code. */
function inAnAgent(rows: readonly Row[]) {
  return rows.map(([what, fault, code], at) => [what, agents[at % agents.length] ?? 'research', fault, code] as const)
}

function usual(agent: Speaker): readonly EndpointReply[] {
  return [usualLines[agent]].flat()
}

interface Answered {
  readonly result: RunResult
  /** Chat requests in all. */
  readonly requests: number
  readonly calls: readonly Speaker[]
  /** The code of each retry. */
  readonly retried: readonly string[]
  /** What the tool was called with. */
  readonly searched: readonly unknown[]
  readonly host: string
}

/** The workflow on an endpoint that says these lines; `once` takes an agent's lines in turn, whatever was said before. */
async function answered(
  lines: { readonly [S in Speaker]?: EndpointReply | readonly EndpointReply[] },
  times: 'once' | 'always',
  { endpoint: patience, ...settings }: SettingsOverrides = {},
): Promise<Answered> {
  const endpoint = await startSpeakingEndpoint(lines, { inTurn: times === 'once' })
  const config = loadConfig({
    env: { OPENAI_API_KEY: 'sk-canary-7f3a', OPENAI_BASE_URL: endpoint.url, QUAERO_MODEL: 'openai:test-model' },
    // Short enough to wait for, long enough for an honest answer on a busy machine.
    overrides: {
      research: 'thorough',
      answer: { secondReading: 'never' },
      ...settings,
      endpoint: { headersTimeoutSeconds: 2, idleTimeoutSeconds: 2, maxAnswerMegabytes: 0.01, ...patience },
    },
  })
  const quaero = await createQuaero({ config, dataDir: await ownFolder() })
  try {
    const { runId } = await quaero.ask(question)
    const retried: string[] = []
    const searched: unknown[] = []
    for await (const event of quaero.runs.events(runId)) {
      if (event.type === 'model.retried') retried.push(event.payload.code)
      if (event.type === 'tool.started') searched.push(event.payload.args.query)
    }
    const { requests, host, calls } = endpoint
    const result = await quaero.runs.show(runId)
    // Never resolves where one is still asked.
    await endpoint.idle()
    return { result, requests: requests.length, calls: calls(), retried, searched, host }
  } finally {
    await quaero.close()
    await endpoint.close()
  }
}
