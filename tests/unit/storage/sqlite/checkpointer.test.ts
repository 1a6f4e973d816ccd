import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import {
  Annotation,
  Command,
  END,
  interrupt,
  MessagesAnnotation,
  Overwrite,
  Send,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph'
import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InvalidId, UnsupportedValue } from '../../../../src/errors.ts'
import { openDatabase } from '../../../../src/storage/sqlite/database/database.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../../src/storage/storage.ts'

describe('a graph that is checkpointed in SQLite', () => {
  let folder: string
  let path: string
  let storage: Storage

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quaero-'))
    path = join(folder, 'quaero.db')
    storage = await openSqliteStorage({ path })
  })
  afterEach(async () => {
    await storage.close()
    await rm(folder, { recursive: true })
  })

  const reopen = async () => {
    await storage.close()
    storage = await openSqliteStorage({ path })
  }
  const on = (threadId: string) => ({ configurable: { thread_id: threadId }, durability: 'sync' as const })

  it('continues a conversation after the file was closed and opened again', async () => {
    const graph = () =>
      new StateGraph(MessagesAnnotation)
        .addNode('answer', ({ messages }) => ({ messages: [new AIMessage(`heard ${messages.length}`)] }))
        .addEdge(START, 'answer')
        .addEdge('answer', END)
        .compile({ checkpointer: storage.checkpointer })
    await graph().invoke({ messages: [new HumanMessage('one')] }, on('t1'))
    await reopen()
    const { messages } = await graph().invoke({ messages: [new HumanMessage('two')] }, on('t1'))
    expect(messages.map(({ text }) => text)).toEqual(['one', 'heard 1', 'two', 'heard 3'])
    expect(messages[1]).toBeInstanceOf(AIMessage)
  })

  it('a result that cannot be stored fails the run, and leaves no unhandled rejection', {
    tags: ['F60', 'TRAP9'],
  }, async () => {
    const unheeded: unknown[] = []
    const note = (reason: unknown) => void unheeded.push(reason)
    process.on('unhandledRejection', note)
    const disk = new Database(path)
    const pay = task('pay', async () => 'paid')
    const graph = new StateGraph(Annotation.Root({ log: Annotation<string> }))
      .addNode('work', async () => {
        disk.exec(`CREATE TRIGGER broken BEFORE INSERT ON writes BEGIN SELECT raise(ABORT, 'full'); END`)
        const log = await pay()
        // Time enough for Node.js to notice what nobody heeds.
        await new Promise((resolve) => setImmediate(resolve))
        return { log }
      })
      .addEdge(START, 'work')
      .compile({ checkpointer: storage.checkpointer })
    await expect(graph.invoke({ log: '' }, on('t1'))).rejects.toThrow('full')
    process.off('unhandledRejection', note)
    disk.close()
    expect(unheeded).toEqual([])
  })

  it('waits for an answer across a restart, and does not repeat what a task has done', async () => {
    let calls = 0
    const graph = () => {
      const pay = task('pay', async (amount: number) => {
        calls += 1
        return { receipt: amount, at: undefined }
      })
      const forget = task('forget', async () => {
        calls += 1
      })
      return new StateGraph(Annotation.Root({ log: Annotation<unknown[]> }))
        .addNode('work', async () => {
          const receipt = await pay(5)
          const nothing = await forget()
          const approved = interrupt({ approvals: ['c1'] })
          return { log: [receipt, nothing, approved] }
        })
        .addEdge(START, 'work')
        .addEdge('work', END)
        .compile({ checkpointer: storage.checkpointer })
    }
    await graph().invoke({ log: [] }, on('t1'))
    await reopen()
    const [waiting] = (await graph().getState(on('t1'))).tasks
    expect(waiting?.interrupts[0]?.value).toEqual({ approvals: ['c1'] })
    const resume = { [waiting!.interrupts[0]!.id!]: { approved: true } }
    const { log } = await graph().invoke(new Command({ resume }), on('t1'))
    expect(log).toEqual([{ receipt: 5, at: undefined }, undefined, { approved: true }])
    expect(calls).toBe(2)
  })

  it('takes up sends and overwrites where it was interrupted', async () => {
    const state = Annotation.Root({
      found: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
    })
    const graph = () =>
      new StateGraph(state)
        .addNode('plan', () => ({}))
        .addNode('search', ({ query }: { query: string }) => ({ found: [`${query}!`] }))
        .addNode('fail', () => {
          if (failing) throw new Error('no answer')
          return { found: new Overwrite(['only']) }
        })
        .addEdge(START, 'plan')
        .addConditionalEdges('plan', () => ['a', 'b'].map((query) => new Send('search', { query })), ['search'])
        .addEdge('search', 'fail')
        .addEdge('fail', END)
        .compile({ checkpointer: storage.checkpointer, interruptBefore: ['search'] })
    let failing = true
    await graph().invoke({ found: [] }, on('t1'))
    await reopen()
    await expect(graph().invoke(null, on('t1'))).rejects.toThrow('no answer')
    expect((await graph().getState(on('t1'))).values.found.toSorted()).toEqual(['a!', 'b!'])
    expect((await graph().getState(on('t1'))).tasks[0]?.error).toMatchObject({ message: 'no answer' })
    failing = false
    await reopen()
    expect(await graph().invoke(null, on('t1'))).toEqual({ found: ['only'] })
  })

  it('runs unsaved without a thread id', { tags: ['R36'] }, async () => {
    const graph = new StateGraph(Annotation.Root({ count: Annotation<number> }))
      .addNode('add', ({ count }) => ({ count: count + 1 }))
      .addEdge(START, 'add')
      .addEdge('add', END)
      .compile({ checkpointer: storage.checkpointer })
    expect(await graph.invoke({ count: 1 })).toEqual({ count: 2 })
    expect(await graph.invoke({ count: 1 }, { configurable: { user_id: 'ann' } })).toEqual({ count: 2 })
    expect((await storage.report()).rows).toMatchObject({ checkpoints: 0, writes: 0 })
    await expect(graph.updateState({ configurable: {} }, { count: 3 })).rejects.toThrow(InvalidId)
  })

  it('fails at the step that put something into the state that cannot be kept, and says where', async () => {
    const graph = new StateGraph(Annotation.Root({ context: Annotation<unknown> }))
      .addNode('work', () => ({ context: { sources: [{ bytes: new Uint8Array(3) }] } }))
      .addEdge(START, 'work')
      .addEdge('work', END)
      .compile({ checkpointer: storage.checkpointer })
    const run = graph.invoke({ context: null }, on('t1'))
    await expect(run).rejects.toThrow(UnsupportedValue)
    await expect(run).rejects.toThrow('$.context.sources[0].bytes')
  })

  it('a conversation in which a model was made to write a serialized class stays readable', {
    tags: ['TRAP10', 'F64'],
  }, async () => {
    const hostile = {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'AIMessage'],
      kwargs: { content: 'x' },
    }
    const graph = () =>
      new StateGraph(MessagesAnnotation)
        .addNode('answer', () => ({
          messages: [new AIMessage({ content: '', tool_calls: [{ id: 'c', name: 'search', args: hostile }] })],
        }))
        .addEdge(START, 'answer')
        .addEdge('answer', END)
        .compile({ checkpointer: storage.checkpointer })
    await graph().invoke({ messages: [new HumanMessage('one')] }, on('t1'))
    await reopen()
    const { messages } = await graph().invoke({ messages: [new HumanMessage('two')] }, on('t1'))
    expect((messages[1] as AIMessage).tool_calls?.[0]?.args).toEqual(hostile)
  })

  it('a row that was tampered with is shown as data', { tags: ['F64'] }, async () => {
    const config = await storage.checkpointer.put(
      on('t1'),
      emptyCheckpoint(),
      { source: 'input', step: -1, parents: {} },
      {},
    )
    const other = await openDatabase({ path })
    const poison = '{"v":4,"id":"x","channel_values":{"messages":[{"lc":1,"type":"constructor","id":["x"]}]}}'
    await other.write(() => other.connection.prepare('UPDATE checkpoints SET checkpoint = ?').run(Buffer.from(poison)))
    await other.close()
    const tuple = await storage.checkpointer.getTuple(config)
    expect(tuple?.checkpoint.channel_values).toEqual({ messages: [{ lc: 1, type: 'constructor', id: ['x'] }] })
  })

  it.each([
    ['an array', ['a']],
    ['a number', 7],
    ['an empty string', ''],
    ['a path', '../../etc/passwd'],
    ['text with a null character', 'a\0b'],
    ['100 KB', 'x'.repeat(100_000)],
    ['null', null],
  ])('refuses %s for a thread id at every door', { tags: ['TRAP17'] }, async (_, threadId) => {
    const { checkpointer } = storage
    const config = { configurable: { thread_id: threadId, checkpoint_id: uuid6(1) } }
    const metadata = { source: 'input', step: -1, parents: {} } as const
    await expect(checkpointer.getTuple(config)).rejects.toThrow(InvalidId)
    await expect(checkpointer.put(config, emptyCheckpoint(), metadata, {})).rejects.toThrow(InvalidId)
    await expect(checkpointer.putWrites(config, [['a', 1]], 'task')).rejects.toThrow(InvalidId)
    await expect(checkpointer.list(config).next()).rejects.toThrow(InvalidId)
    await expect(checkpointer.deleteThread(threadId as string)).rejects.toThrow(InvalidId)
  })

  it('lists no more than a hundred checkpoints unless more are asked for', { tags: ['TRAP14'] }, async () => {
    for (let step = 0; step < 120; step += 1) {
      const checkpoint = { ...emptyCheckpoint(), id: uuid6(step) }
      await storage.checkpointer.put(on('t1'), checkpoint, { source: 'loop', step, parents: {} }, {})
    }
    const count = async (limit?: number) => {
      const options = limit === undefined ? {} : { limit }
      return (await collect(storage.checkpointer.list(on('t1'), options))).length
    }
    expect(await count()).toBe(100)
    expect(await count(0)).toBe(100)
    expect(await count(110)).toBe(110)
  })

  it('a finished thread is pruned to its last checkpoint, and goes on from there', { tags: ['F67'] }, async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('answer', ({ messages }) => ({ messages: [new AIMessage(`heard ${messages.length}`)] }))
      .addEdge(START, 'answer')
      .addEdge('answer', END)
      .compile({ checkpointer: storage.checkpointer })
    for (const threadId of ['t1', 't2']) await graph.invoke({ messages: [new HumanMessage('one')] }, on(threadId))
    const before = (await storage.report()).rows
    const last = await storage.checkpointer.getTuple(on('t1'))
    await storage.pruneThread('t1')

    const { rows } = await storage.report()
    expect(before.checkpoints).toBeGreaterThan(2)
    expect(rows.checkpoints).toBe(before.checkpoints! / 2 + 1)
    expect(await storage.checkpointer.getTuple(on('t1'))).toEqual(last)
    const { messages } = await graph.invoke({ messages: [new HumanMessage('two')] }, on('t1'))
    expect(messages).toHaveLength(4)
    await storage.pruneThread('no-such-thread')
  })

  it('grows by nothing over 100 turns that are pruned', { tags: ['slow', 'F67', 'TRAP6'] }, async () => {
    const window = Annotation.Root({
      messages: Annotation<BaseMessage[]>({ reducer: (a, b) => a.concat(b).slice(-20), default: () => [] }),
    })
    const graph = new StateGraph(window)
      .addNode('answer', () => ({ messages: [new AIMessage({ id: randomUUID(), content: 'x'.repeat(4_000) })] }))
      .addEdge(START, 'answer')
      .addEdge('answer', END)
      .compile({ checkpointer: storage.checkpointer })
    const turn = async () => {
      await graph.invoke({ messages: [new HumanMessage('again')] }, on('t1'))
      await storage.pruneThread('t1')
    }
    for (let count = 0; count < 100; count += 1) await turn()
    await reopen()
    expect((await storage.report()).bytes).toBeLessThan(2_000_000)
  })
})

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const item of items) collected.push(item)
  return collected
}
