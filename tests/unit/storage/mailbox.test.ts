import { describe, expect, it } from 'vitest'
import { event, type StoredEvent, type StreamEvent } from '../../../src/events/index.ts'
import { Mailbox } from '../../../src/storage/mailbox.ts'
import type { RunSignal } from '../../../src/storage/run-signals.ts'

const origin = { correlationId: 'r1' }

function delta(text: string, after: number): RunSignal {
  const line = event('message.delta', { messageId: 'm', scope: 'scratch', text }, origin)
  return { kind: 'delta', after, from: 0, line: { ...line, runId: 'r1', threadId: 't1' } }
}

function wake(seq: number): RunSignal {
  return { kind: 'wake', seq }
}

function wakeWithEvent(position: number): RunSignal {
  const stored: StoredEvent = { ...event('notice', { code: 'n', message: '' }, origin), position }
  const line: StoredEvent & StreamEvent = { ...stored, runId: 'r1', threadId: 't1' }
  return { kind: 'wake', seq: position, event: line }
}

function mailboxWith(signals: readonly RunSignal[], most?: number): Mailbox {
  const mailbox = new Mailbox(most)
  for (const each of signals) mailbox.push(each)
  return mailbox
}

describe('a mailbox', { tags: ['U7'] }, () => {
  it('keeps one of several wakes without an event between them, and each that brings one', async () => {
    const [a, b] = [wakeWithEvent(5), wakeWithEvent(6)]
    const { signals } = await mailboxWith([wake(1), wake(3), wake(2), delta('x', 3), wake(4), a, b]).take()
    expect(signals).toMatchObject([wake(3), { kind: 'delta' }, { seq: 5 }, { seq: 6, event: { position: 6 } }])
  })

  it('keeps one wake of more signals than it holds, and says that some are missing', async () => {
    const mailbox = mailboxWith([delta('x', 7), wake(8), delta('y', 8), delta('z', 9)], 3)
    mailbox.push(wake(4))
    expect(await mailbox.take()).toEqual({ signals: [wake(9)], hasNews: false, isBehind: true, isOver: false })
    mailbox.push(delta('x', 9))
    expect(await mailbox.take()).toMatchObject({ signals: [{ kind: 'delta' }], isBehind: false })
  })

  it('tells of news once, and of its end for ever', async () => {
    const mailbox = mailboxWith([])
    const next = mailbox.take()
    mailbox.tell()
    expect(await next).toMatchObject({ hasNews: true, isOver: false })
    mailbox.end()
    expect(await mailbox.take()).toMatchObject({ hasNews: false, isOver: true })
    expect(await mailbox.take()).toMatchObject({ signals: [], isOver: true })
  })

  it('throws a failure where its reader waits, and nowhere else', async () => {
    const mailbox = mailboxWith([])
    mailbox.fail(new Error('before'))
    const next = mailbox.take()
    mailbox.fail(new Error('away'))
    await expect(next).rejects.toThrow('away')
    mailbox.fail(new Error('after'))
    mailbox.tell()
    expect((await mailbox.take()).hasNews).toBe(true)
  })

  it('lets deltas gather until a wake comes', async () => {
    const mailbox = mailboxWith([delta('x', 1)])
    const gathered = mailbox.gather(60_000)
    mailbox.push(delta('y', 1))
    mailbox.push(wake(2))
    await gathered
    expect((await mailbox.take()).signals).toHaveLength(3)
    await mailbox.gather(5)
    expect(mailbox.isEmpty).toBe(true)
  })
})
