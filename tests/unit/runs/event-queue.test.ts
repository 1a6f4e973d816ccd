import { describe, expect, it } from 'vitest'
import { EventQueue } from '../../../src/runs/event-queue.ts'

async function read<T>(queue: EventQueue<T>, into: T[] = []): Promise<T[]> {
  for await (const value of queue) into.push(value)
  return into
}

describe('an event queue', () => {
  it('hands on values in order, those pushed before and those pushed while somebody reads', async () => {
    const queue = new EventQueue<number>()
    queue.push(1)
    queue.push(2)
    const reading = read(queue)
    await Promise.resolve()
    queue.push(3)
    queue.close()
    expect(await reading).toEqual([1, 2, 3])
  })

  it('U7: never makes a writer wait for a reader', async () => {
    const queue = new EventQueue<number>()
    for (let n = 0; n < 10_000; n += 1) queue.push(n)
    queue.close()
    expect(await read(queue)).toHaveLength(10_000)
  })

  it('throws the error that it was closed with, after what was pushed', async () => {
    const queue = new EventQueue<number>()
    queue.push(1)
    queue.close(new Error('gone'))
    const got: number[] = []
    await expect(read(queue, got)).rejects.toThrow('gone')
    expect(got).toEqual([1])
  })
})
