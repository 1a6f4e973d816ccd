import { AIMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { LimitReached, UsageError } from '../../../../src/errors.ts'
import { initialStatus, type RunStatus, silentContext } from '../../../../src/events/index.ts'
import { limits, type RunLimits, requirePrice } from '../../../../src/runs/hooks/limits.ts'

const none: RunLimits = {
  modelCalls: null,
  rounds: null,
  toolCalls: null,
  tokens: null,
  costUsd: null,
  wallClockMs: null,
}
const call = { model: 'm', messages: 0, input: [] }
const reply = {
  usage: { inputTokens: 1, outputTokens: 1, costUsd: 0 },
  finishReason: 'stop',
  toolCalls: [],
  messageId: 'm',
  contextPercent: null,
  reply: new AIMessage('Yes.'),
}

/** What a model call, or a round of `calls` tool calls, comes to under these limits. */
function under(bounds: Partial<RunLimits>, status: Partial<RunStatus>, times: readonly number[] = [0, 0]) {
  const clock = [...times]
  const hooks = limits({
    limits: { ...none, ...bounds },
    status: () => ({ ...initialStatus, ...status }),
    now: () => clock.shift() ?? 0,
  })
  return {
    model: (agent = 'research', spare = false) =>
      hooks.model?.({ ...call, optional: spare }, async () => reply, { ...silentContext(), agent }),
    round: (calls: number, again = false) =>
      hooks.round?.(
        { again, calls: Array.from({ length: calls }, (_, n) => ({ id: `${n}`, name: 't', args: {} })) },
        async () => ({ failed: 0, messages: [] }),
        silentContext(),
      ),
  }
}

describe('limits', { tags: ['S18'] }, () => {
  it('are checked before the next model call, one of which is kept back for the answer', { tags: ['L1'] }, async () => {
    await expect(under({ modelCalls: 3 }, { modelCalls: 1 }).model()).resolves.toBe(reply)
    await expect(under({ modelCalls: 3 }, { modelCalls: 2 }).model()).rejects.toThrow(LimitReached)
    await expect(under({ modelCalls: 3 }, { modelCalls: 2 }).model('synthesis')).resolves.toBe(reply)
    await expect(under({ modelCalls: 3 }, { modelCalls: 3 }).model('synthesis')).rejects.toThrow(LimitReached)
  })

  it('count tokens of both directions, money and time', { tags: ['L1'] }, async () => {
    const spent = { inputTokens: 60, outputTokens: 40, costUsd: 0.5 }
    for (const within of [{ tokens: 101 }, { costUsd: 0.51 }]) {
      await expect(under(within, spent).model()).resolves.toBe(reply)
    }
    for (const over of [{ tokens: 100 }, { costUsd: 0.5 }]) {
      await expect(under(over, spent).model()).rejects.toThrow(LimitReached)
      await expect(under(over, spent).round(1)).rejects.toThrow(LimitReached)
      await expect(under(over, spent).model('synthesis')).resolves.toBe(reply)
    }
    await expect(under({ wallClockMs: 1000 }, {}, [5000, 5999]).model()).resolves.toBe(reply)
    await expect(under({ wallClockMs: 1000 }, {}, [5000, 6000]).model()).rejects.toThrow(LimitReached)
  })

  it('make no exception for a call that the answer could do without', { tags: ['L1'] }, async () => {
    const spent = { inputTokens: 60, outputTokens: 40, costUsd: 0.5 }
    for (const over of [{ tokens: 100 }, { costUsd: 0.5 }]) {
      await expect(under(over, spent).model('synthesis', false)).resolves.toBe(reply)
      await expect(under(over, spent).model('synthesis', true)).rejects.toThrow(LimitReached)
    }
    await expect(under({ wallClockMs: 1000 }, {}, [5000, 6000]).model('synthesis', true)).rejects.toThrow(LimitReached)
    await expect(under({ tokens: 101 }, spent).model('synthesis', true)).resolves.toBe(reply)
    await expect(under({ modelCalls: 3 }, { modelCalls: 3 }).model('synthesis', true)).rejects.toThrow(LimitReached)
  })

  it('count rounds and tool calls before a round runs', { tags: ['L1'] }, async () => {
    // The round that is about to run has started already.
    await expect(under({ rounds: 2 }, { rounds: 2 }).round(1)).resolves.toMatchObject({ failed: 0 })
    await expect(under({ rounds: 2 }, { rounds: 3 }).round(1)).rejects.toThrow(LimitReached)
    await expect(under({ rounds: 2, toolCalls: 0 }, { rounds: 3 }).round(1, true)).resolves.toMatchObject({ failed: 0 })
    await expect(under({ toolCalls: 4 }, { toolCalls: 2 }).round(2)).resolves.toMatchObject({ failed: 0 })
    await expect(under({ toolCalls: 4 }, { toolCalls: 2 }).round(3)).rejects.toThrow(LimitReached)
  })

  it('say which limit was met, and its value', { tags: ['L9'] }, async () => {
    const error: unknown = await under({ toolCalls: 2 }, { toolCalls: 1 })
      .round(4)
      ?.catch((each: unknown) => each)
    expect(error).toMatchObject({
      limit: 'toolCalls',
      value: 2,
      message: 'The limit of 2 tool calls is reached.',
    })
  })

  it('are none where they are null', async () => {
    const huge = { modelCalls: 1e6, rounds: 1e6, toolCalls: 1e6, inputTokens: 1e9, costUsd: null }
    await expect(under({}, huge).model()).resolves.toBe(reply)
    await expect(under({}, huge).round(9)).resolves.toMatchObject({ failed: 0 })
  })

  it('refuse to count money where a price is not known, and name the model', { tags: ['L7'] }, () => {
    const models = [
      { name: 'known', price: { input: 1, output: 1 } },
      { name: 'openai:mystery', price: null },
    ]
    expect(() => requirePrice({ ...none, costUsd: 1 }, models)).toThrow(UsageError)
    expect(() => requirePrice({ ...none, costUsd: 1 }, models)).toThrow(/no price is known for openai:mystery/)
    expect(() => requirePrice(none, models)).not.toThrow()
    expect(() => requirePrice({ ...none, costUsd: 1 }, models.slice(0, 1))).not.toThrow()
  })
})
