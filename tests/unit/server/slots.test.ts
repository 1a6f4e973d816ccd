import { describe, expect, it } from 'vitest'
import { Slots } from '../../../src/server/access/slots.ts'

const refused = () => new Error('refused')
const forEver = () => new AbortController().signal
const user = (name: string) => ({ name })

/** Who asks, in turns: a name that ends with "!" asks again as soon as it is refused or done. */
async function served(rounds: number): Promise<Readonly<Record<string, number>>> {
  const slots = new Slots({ perUser: 2, inAll: 2 }, refused)
  const answers: Record<string, number> = {}
  const atWork: (() => void)[] = []
  let isOver = false
  const ask = async (name: string): Promise<void> => {
    const leave = await slots.wait(user(name), forEver()).catch(() => null)
    if (isOver) return
    if (leave === null) {
      await new Promise((resolve) => setImmediate(resolve))
      return ask(name)
    }
    answers[name] = (answers[name] ?? 0) + 1
    atWork.push(() => {
      leave()
      void ask(name)
    })
  }
  // The greedy ones are there first, and ask with five connections each.
  for (const greedy of ['g1', 'g2']) for (let n = 0; n < 5; n += 1) void ask(greedy)
  for (const polite of ['p1', 'p2', 'p3', 'p4']) void ask(polite)
  for (let round = 0; round < rounds; round += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    atWork.shift()?.()
  }
  isOver = true
  return answers
}

describe('places at work', () => {
  it('go round among users, however much each of them asks', async () => {
    const answers = await served(120)
    const counts = Object.values(answers)
    expect(Object.keys(answers)).toHaveLength(6)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(4)
  })

  it('are refused to who has as many as a user may, at work or in line', async () => {
    const slots = new Slots({ perUser: 2, inAll: 1 }, refused)
    const leave = await slots.wait(user('a'), forEver())
    const next = slots.wait(user('a'), forEver())
    await expect(slots.wait(user('a'), forEver())).rejects.toThrow('refused')
    leave()
    await next
  })

  it('are refused to who has waited long enough, whose turn goes to the next', async () => {
    const slots = new Slots({ perUser: 1, inAll: 1 }, refused)
    const leave = await slots.wait(user('a'), forEver())
    const patience = new AbortController()
    const gone = slots.wait(user('b'), patience.signal)
    const next = slots.wait(user('c'), forEver())
    patience.abort()
    await expect(gone).rejects.toThrow('refused')
    leave()
    await next
  })
})
