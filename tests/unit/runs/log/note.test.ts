import { describe, expect, it } from 'vitest'
import { digested } from '../../../../src/claims/verify/answer.ts'
import type { Plugin } from '../../../../src/index.ts'
import { question, turns } from '../../../fixtures/turns.ts'
import { openQuaero, openWorkflow } from '../../../fixtures/workflow.ts'

const text = 'Checked against the Quetzalite edition.'

async function asked() {
  const quaero = await openQuaero({ model: 'extractive' })
  const result = await quaero.ask(question, { threadId: 'talk' })
  const { runId } = result
  return { quaero, result, runId, written: await quaero.runs.note(runId, text, { userId: 'ada' }) }
}

describe('a note on an answer', { tags: ['Q21'] }, () => {
  it('is shown with the result and with the answer, and is no score', async () => {
    const { quaero, runId, written } = await asked()
    expect(written).toEqual({ text, userId: 'ada', writtenAt: expect.any(String) })
    expect((await quaero.runs.show(runId)).note).toEqual(written)
    const messages = await quaero.threads.messages('talk')
    expect(messages.map(({ role, note }) => [role, note])).toEqual([
      ['user', undefined],
      ['assistant', written],
    ])
    expect(await quaero.runs.scores(runId)).toEqual([])
  })

  it('is in no log, no replay and no proof of the answer, which stay as they were', { tags: ['E5'] }, async () => {
    const { quaero, runId, result } = await asked()
    expect(await quaero.replay(runId)).toEqual(result)
    expect(JSON.stringify(await quaero.runs.replay(runId))).not.toContain('Quetzalite')
    for await (const event of quaero.runs.events(runId)) expect(JSON.stringify(event)).not.toContain('Quetzalite')
    for await (const piece of quaero.threads.log('talk')) expect(piece).not.toContain('Quetzalite')
    expect(digested(await quaero.runs.show(runId))).toEqual(digested(result))
    expect((await quaero.verify()).discrepancies).toEqual([])
  })

  it('stands on the answer, not on what a hook added, and no model is told of it when the conversation goes on', async () => {
    const hooks: Plugin = { onComplete: ({ add }) => add({ role: 'assistant', text: 'Ask me more.' }) }
    const { quaero, model } = await openWorkflow(turns(2), { hooks })
    const { runId } = await quaero.ask(question, { threadId: 'talk' })
    await quaero.runs.note(runId, text)
    await quaero.ask(question, { threadId: 'talk' })
    const noted = (await quaero.threads.messages('talk')).map(({ note, added = false }) => [note?.text, added])
    expect(noted.slice(0, 3)).toEqual([
      [undefined, false],
      [text, false],
      [undefined, true],
    ])
    expect(noted.slice(3).flat()).not.toContain(text)
    const heard = JSON.stringify(model.heard.slice(4))
    expect(heard).toContain('Ask me more.')
    expect(heard).not.toContain('Quetzalite')
  })

  it('goes with its run into an export and back, and into a fork, which has its own', async () => {
    const { quaero, runId, written } = await asked()
    const fork = await quaero.threads.fork('talk')
    const [copy] = await quaero.runs.list({ threadId: fork })
    expect((await quaero.runs.show(copy?.runId ?? '')).note).toEqual(written)
    await quaero.runs.note(copy?.runId ?? '', '')
    expect((await quaero.threads.messages(fork)).some(({ note }) => note)).toBe(false)

    const exported = await quaero.runs.export(runId)
    await quaero.threads.delete('talk')
    await quaero.runs.import(exported)
    expect((await quaero.runs.show(runId)).note).toEqual(written)
    expect(await quaero.runs.export(runId)).toBe(exported)
  })

  it('is none where an import was given a longer one', async () => {
    const { quaero, runId } = await asked()
    const exported = await quaero.runs.export(runId)
    await quaero.threads.delete('talk')
    await quaero.runs.import(exported.replace(text, 'x'.repeat(10_000_000)))
    expect((await quaero.runs.show(runId)).note).toBeUndefined()
  })

  it('is kept, shown and exported with credentials masked', { tags: ['T10'] }, async () => {
    const secret = 'Quince-Canary-4711'
    const quaero = await openQuaero({ model: 'extractive', env: { OPENAI_API_KEY: secret } })
    const { runId } = await quaero.ask(question)
    const masked = `see ${'*'.repeat(18)}`
    expect(await quaero.runs.note(runId, `see ${secret}`, { userId: secret })).toMatchObject({ text: masked })
    expect((await quaero.runs.show(runId)).note).toMatchObject({ text: masked, userId: '*'.repeat(18) })
    expect(await quaero.runs.export(runId)).not.toContain(secret)
  })
})
