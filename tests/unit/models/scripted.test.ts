import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { EndpointUnavailable, ScriptEnded } from '../../../src/models/port/errors.ts'
import { scriptedModel } from '../../../src/models/scripted.ts'

describe('a scripted model', () => {
  it('says its lines in order and keeps what it heard', async () => {
    const model = scriptedModel(['One.', new AIMessage('Two.'), (messages) => `You said ${messages[0]?.text}`])
    expect((await model.invoke('a')).text).toBe('One.')
    expect((await model.invoke('b')).text).toBe('Two.')
    expect((await model.invoke('c')).text).toBe('You said c')
    expect(model.heard.map((messages) => messages.map(({ text }) => text))).toEqual([['a'], ['b'], ['c']])
  })

  it('streams word by word, losing nothing', async () => {
    const line = '  One two,\n\nthree.\n '
    const texts: string[] = []
    for await (const chunk of await scriptedModel([line]).stream('Hi')) texts.push(chunk.text)
    expect(texts).toEqual(['  One', ' two,', '\n\nthree.\n ', ''])
  })

  it('calls tools, valid and invalid ones', async () => {
    const line = new AIMessage({
      content: 'Looking.',
      tool_calls: [{ id: 'c1', name: 'pdf_retrieval', args: { query: 'x' } }],
      invalid_tool_calls: [{ name: 'read_page', args: '{"url', error: 'cut' }],
    })
    const model = scriptedModel([line, line])
    const streamed = await model.bindTools([]).invoke('Hi')
    expect(streamed.tool_calls).toMatchObject([{ id: 'c1', name: 'pdf_retrieval', args: { query: 'x' } }])
    expect(streamed.invalid_tool_calls).toMatchObject([{ name: 'read_page', args: '{"url' }])
    expect(streamed.response_metadata.finish_reason).toBe('tool_calls')
  })

  it('throws a line that is an error, and ScriptEnded after the last', async () => {
    const model = scriptedModel([new EndpointUnavailable('Down')])
    await expect(model.invoke('Hi')).rejects.toThrow('Down')
    await expect(model.invoke('Hi')).rejects.toThrow(ScriptEnded)
    await expect(model.invoke('Hi')).rejects.toThrow('The script is over after 1 lines')
  })

  it('has lines for each agent that shares it', async () => {
    const model = scriptedModel({ research: ['Found.'], synthesis: ['First.', 'Second.'] })
    const ask = (agent: string) => model.invoke('Hi', { agentTask: { agent } } as object)
    const texts = await Promise.all([ask('synthesis'), ask('research'), ask('synthesis')])
    expect(texts.map(({ text }) => text)).toEqual(['First.', 'Found.', 'Second.'])
    await expect(ask('orchestrator')).rejects.toThrow('The script of orchestrator is over after 0 lines')
  })

  it('waits for a gate, and stops waiting when the call is aborted', async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const model = scriptedModel([
      { say: 'Late.', gate },
      { say: 'Never.', gate: new Promise(() => {}) },
    ])
    const late = model.invoke('Hi')
    const controller = new AbortController()
    const never = model.invoke('Hi', { signal: controller.signal })
    controller.abort(new Error('Stopped'))
    await expect(never).rejects.toThrow('Stopped')
    open()
    expect((await late).text).toBe('Late.')
  })

  it('reports the usage it is given, and none otherwise', { tags: ['L7'] }, async () => {
    const [counted, silent] = [
      scriptedModel(['A'], { usage: { inputTokens: 5, outputTokens: 2 } }),
      scriptedModel(['A']),
    ]
    const hi = [new HumanMessage('Hi')]
    expect(await counted.invoke(hi)).toMatchObject({ usage_metadata: { input_tokens: 5, output_tokens: 2 } })
    expect((await silent.invoke(hi)).usage_metadata).toBeUndefined()
  })
})
