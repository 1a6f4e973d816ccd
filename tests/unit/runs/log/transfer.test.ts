import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { renderAnswer } from '../../../../src/cli/output/answer/render-answer.ts'
import { exportThread } from '../../../../src/cli/shared/export-thread.ts'
import { AlreadyExists, ImportInvalid, RunUnfinished, UsageError } from '../../../../src/errors.ts'
import type { Quaero, RunResult } from '../../../../src/index.ts'
import { question, turns } from '../../../fixtures/turns.ts'
import { calls, libraryFolder, openWorkflow, route, search } from '../../../fixtures/workflow.ts'

const said = async (quaero: Quaero, threadId: string) =>
  (await quaero.threads.messages(threadId)).map(({ role, content }) => [role, content])
const withoutTimes = ({ durationMs: _, ...result }: RunResult) => result

/** Runs that end in every way there is, each on a thread of its own. */
async function variedRuns(): Promise<readonly (readonly [Quaero, string])[]> {
  const ask = async (script: Parameters<typeof openWorkflow>[0], options: Parameters<typeof openWorkflow>[1] = {}) => {
    const { quaero } = await openWorkflow(script, options)
    return [quaero, (await quaero.ask(question)).runId] as const
  }
  const cancelled = async () => {
    const { quaero } = await openWorkflow(turns(1), { settings: { tools: { trust: 'strict' } } })
    const { runId } = await quaero.ask(question)
    await quaero.cancel(runId)
    return [quaero, runId] as const
  }
  const denied = async () => {
    const { quaero } = await openWorkflow(turns(1), { settings: { tools: { trust: 'strict' } } })
    const { runId, approvals } = await quaero.ask(question)
    await quaero.resume(runId, { [approvals[0]?.id ?? '']: { approved: false, reason: 'no' } })
    return [quaero, runId] as const
  }
  const stopped = async () => {
    const stop = new AbortController()
    const stopping = () => {
      stop.abort()
      return 'Never heard.'
    }
    const { quaero } = await openWorkflow({ ...turns(1), research: [stopping, search('pages'), 'Done.'] })
    const { runId } = await quaero.ask(question, { signal: stop.signal })
    await quaero.resume(runId)
    return [quaero, runId] as const
  }
  return Promise.all([
    ask(turns(1)),
    ask({ ...turns(1), synthesis: ['<abstain/>'] }),
    ask({ orchestrator: [route({ route: 'clarification' })], clarification: ['Which one?'] }),
    ask({ ...turns(1), research: [calls(['fly', {}]), 'Done.'] }),
    ask({ ...turns(1), research: [search('a'), search('b')] }, { settings: { limits: { rounds: 1 } } }),
    ask(turns(1), { hooks: { name: 'broken', tool: () => Promise.reject(new Error('no')) } }),
    cancelled(),
    denied(),
    stopped(),
  ])
}

describe('a replayed run', () => {
  it('has the result it had, whatever its ending, from the log alone', { tags: ['E5'] }, async () => {
    const runs = await variedRuns()
    const states = await Promise.all(runs.map(async ([quaero, runId]) => (await quaero.status(runId)).state))
    expect(new Set(states)).toEqual(
      new Set(['completed', 'clarification_needed', 'limit_reached', 'failed', 'cancelled']),
    )
    for (const [quaero, runId] of runs) {
      const lines = await quaero.runs.export(runId)
      const { quaero: elsewhere, model } = await openWorkflow({})
      await elsewhere.runs.import(lines)
      const imported = { missingQuotes: 0 }
      expect(await elsewhere.replay(runId)).toEqual({ ...(await quaero.runs.show(runId)), imported })
      expect(model.heard).toEqual([])
    }
  })

  it('shows how it stood after any event', { tags: ['E5'] }, async () => {
    const { quaero } = await openWorkflow(turns(1))
    const { runId } = await quaero.ask(question)
    const { last } = await quaero.runs.replay(runId)
    const states = []
    for (let to = 1; to <= last; to += 1) {
      const { status, messages, position } = await quaero.runs.replay(runId, to)
      expect(position).toBe(to)
      states.push(`${status.state} ${messages.length} ${status.modelCalls}`)
    }
    expect([...new Set(states)]).toEqual([
      'queued 0 0',
      'queued 1 0',
      'running 1 0',
      'running 1 1',
      'running 1 2',
      'running 1 3',
      'running 1 4',
      'running 2 4',
      'completed 2 4',
    ])
    for (const to of [0, last + 1, 1.5]) await expect(quaero.replay(runId, to)).rejects.toThrow(UsageError)
  })
})

describe('a forked thread', () => {
  it('has the turns up to the one named, goes its own way, and leaves the original as it was', {
    tags: ['E11'],
  }, async () => {
    const { quaero, model } = await openWorkflow(turns(4))
    const questions = ['First?', 'Second?', 'Third?']
    for (const each of questions) await quaero.ask(each, { threadId: 'original' })
    const before = await said(quaero, 'original')
    const fork = await quaero.threads.fork('original', { at: 2 })
    expect(await said(quaero, fork)).toEqual(before.slice(0, 4))
    const { turn } = await quaero.ask('And then?', { threadId: fork })
    expect(turn).toBe(3)
    const heard = JSON.stringify(model.heard.at(-4))
    expect(heard).toContain('Second?')
    expect(heard).not.toContain('Third?')
    expect(await said(quaero, 'original')).toEqual(before)
    expect((await quaero.verify()).discrepancies).toEqual([])
  })

  it('goes on from a question that was asked back', { tags: ['E11'] }, async () => {
    const ask = route({ route: 'clarification', missingContext: ['which corpus'], candidates: ['Marble', 'Halden'] })
    const { quaero } = await openWorkflow({ ...turns(1), orchestrator: [ask], clarification: ['Which corpus?'] })
    await quaero.ask('How many pages does it hold?', { threadId: 'original' })
    const fork = await quaero.threads.fork('original', { as: 'copy' })
    expect(fork).toBe('copy')
    expect(await quaero.ask('the first one', { threadId: fork })).toMatchObject({
      status: 'completed',
      standaloneQuestion: expect.stringContaining('Marble'),
    })
  })

  it('is refused for a turn that is not there, one that goes on, and a thread that is', async () => {
    const { quaero } = await openWorkflow(turns(2), { settings: { tools: { trust: 'strict' } } })
    const { runId } = await quaero.ask(question, { threadId: 'waits' })
    await expect(quaero.threads.fork('waits')).rejects.toThrow(RunUnfinished)
    await quaero.cancel(runId)
    for (const at of [0, 2, 1.5]) await expect(quaero.threads.fork('waits', { at })).rejects.toThrow(UsageError)
    await expect(quaero.threads.fork('waits', { as: 'waits' })).rejects.toThrow(AlreadyExists)
    expect(await quaero.threads.list()).toHaveLength(1)
  })
})

describe('an exported run', () => {
  it('is the same after import, and its thread goes on there', { tags: ['E13'] }, async () => {
    const { quaero } = await openWorkflow(turns(2))
    const first = await quaero.ask('First?', { threadId: 'talk' })
    const second = await quaero.ask('Second?', { threadId: 'talk' })
    const { quaero: elsewhere, model } = await openWorkflow(turns(1))
    await expect(elsewhere.runs.import(await quaero.runs.export(second.runId))).rejects.toThrow(AlreadyExists)
    for (const { runId } of [first, second]) {
      expect(await elsewhere.runs.import(await quaero.runs.export(runId))).toEqual({ runId, threadId: 'talk' })
      expect(await elsewhere.runs.export(runId)).toBe(await quaero.runs.export(runId))
    }
    const imported = { missingQuotes: 0 }
    expect(withoutTimes(await elsewhere.runs.show(second.runId))).toEqual({ ...withoutTimes(second), imported })
    await elsewhere.ask('Third?', { threadId: 'talk' })
    expect(JSON.stringify(model.heard[0])).toContain('Second?')
    expect((await elsewhere.verify()).discrepancies).toEqual([])
    await expect(elsewhere.runs.import(await quaero.runs.export(first.runId))).rejects.toThrow(AlreadyExists)
  })

  it('is refused when it is damaged, by the line that is, and then nothing is stored', { tags: ['E13'] }, async () => {
    const { quaero } = await openWorkflow(turns(1))
    const { runId } = await quaero.ask(question)
    const lines = (await quaero.runs.export(runId)).trimEnd().split('\n')
    const { quaero: elsewhere } = await openWorkflow({}, { dataDir: ':memory:' })
    const damaged: readonly (readonly [string, RegExp])[] = [
      ['', /Line 1 is not the event "run.created"/],
      ['no json', /Line 1 .* not JSON/],
      [[...lines.slice(0, 3), '{"type":"run.exploded"}'].join('\n'), /Line 4/],
      [lines.toSpliced(2, 1).join('\n'), /Line 3 has position 4; the log has a gap/],
      [lines.slice(1).join('\n'), /Line 1/],
      [lines.slice(0, -1).join('\n'), new RegExp(`ends early, at line ${lines.length - 1}: .* export it again`)],
      [lines.join('\n').slice(0, -9), new RegExp(`ends early, at line ${lines.length}: .* export it again`)],
      [lines.map((line) => line.replaceAll(runId, '../../x')).join('\n'), /cannot be a run id/],
      [lines.map((line, i) => (i === 4 ? line.replace(runId, 'other') : line)).join('\n'), /Line 5 belongs to another/],
    ]
    for (const [text, message] of damaged) {
      const refused = elsewhere.runs.import(text)
      await expect(refused, String(message)).rejects.toThrow(UsageError)
      await expect(refused).rejects.toThrow(message)
    }
    await expect(elsewhere.runs.import(lines.slice(1).join('\n'))).rejects.toThrow(ImportInvalid)
    expect(await elsewhere.runs.list()).toEqual([])
  })
})

describe('an imported answer', () => {
  it('has no verified quote but those of this library, and says so', { tags: ['S3'] }, async () => {
    const { quaero } = await openWorkflow(turns(1))
    const { runId, citations } = await quaero.ask(question)
    expect(citations.map(({ verified }) => verified)).toEqual([true])
    const forged = (await quaero.runs.export(runId)).replaceAll('81.1', '99.9')
    const { quaero: elsewhere } = await openWorkflow(turns(1))
    await elsewhere.runs.import(forged.replace('"turn":1', '"turn":1,"imported":{"missingQuotes":0}'))
    const shown = await elsewhere.runs.show(runId)
    expect(shown).toMatchObject({ imported: { missingQuotes: 1 }, citations: [{ verified: false }] })
    expect(shown.answer).toContain('99.9')
    expect(renderAnswer(shown, { color: false, width: Number.POSITIVE_INFINITY })).toMatch(
      /not found in this library[\s\S]*Imported, not verified here: 1 of its 1 quotes are not in this library/,
    )
    const [, reply] = await elsewhere.threads.messages(shown.threadId)
    expect(reply?.citations).toMatchObject([{ verified: false }])
    const { quaero: empty } = await openWorkflow({}, { dataDir: ':memory:' })
    await empty.runs.import(await quaero.runs.export(runId))
    expect(await empty.runs.show(runId)).toMatchObject({ imported: { missingQuotes: 1 } })
    expect((await elsewhere.verify()).discrepancies).toEqual([])
  })

  it('has no table but those of this library', async () => {
    const { quaero } = await openWorkflow(turns(1))
    const { runId } = await quaero.ask(question)
    const cell = {
      caption: 'Forged',
      unit: 'EUR',
      section: [],
      row: 'All',
      column: null,
      period: null,
      columns: [],
      rows: [],
    }
    const log = await quaero.runs.export(runId)
    const { quaero: elsewhere } = await openWorkflow(turns(1))
    await elsewhere.runs.import(log.replaceAll('"verified":true', `"verified":true,"table":${JSON.stringify(cell)}`))
    const { citations } = await elsewhere.runs.show(runId)
    expect(citations.map(({ verified, table }) => [verified, table])).toEqual([[true, undefined]])
  })

  it('has no verified quote that is cut from a word, or that is said to be of another document', {
    tags: ['S3'],
  }, async () => {
    const { quaero } = await openWorkflow(turns(1))
    const { runId, citations } = await quaero.ask(question)
    const [cited] = citations
    const log = await quaero.runs.export(runId)
    const { quaero: elsewhere } = await openWorkflow(turns(1))
    const quote = cited?.quote ?? ''
    const cut = { quote: quote.slice(0, -1), end: (cited?.end ?? 0) - 1 }
    for (const change of [cut, { title: 'Report of a ministry' }, { source: '/etc/ministry.pdf' }]) {
      const id = JSON.stringify(change).length.toString()
      const lines = log.split('\n').map((line) => {
        if (!line.includes('"citations":[{')) return line
        const event = JSON.parse(line)
        event.payload.citations = event.payload.citations.map((each: object) => ({ ...each, ...change }))
        return JSON.stringify(event)
      })
      await elsewhere.runs.import(
        lines.join('\n').replaceAll(runId, `forged-${id}`).replaceAll('"talk"', `"talk-${id}"`),
      )
      expect((await elsewhere.runs.show(`forged-${id}`)).citations).toMatchObject([{ verified: false }])
      await elsewhere.threads.delete((await elsewhere.runs.show(`forged-${id}`)).threadId)
    }
    await elsewhere.runs.import(log)
    expect(await elsewhere.runs.show(runId)).toMatchObject({ imported: { missingQuotes: 0 } })
    await expect(elsewhere.runs.import(log)).rejects.toThrow(`Run ${runId} is here already`)
  })

  it('names documents and places as this library does, whatever its log calls them', {
    tags: ['S3', 'S27'],
  }, async () => {
    const { quaero } = await openWorkflow(turns(1))
    const { runId, citations } = await quaero.ask(question)
    const { quaero: elsewhere } = await openWorkflow({})
    const [own] = citations
    const forged = (await quaero.runs.export(runId))
      .replaceAll(JSON.stringify(own?.label), '"Report of the ministry, 2024, p. 7"')
      .replaceAll(JSON.stringify(own?.section), '"Findings of the ministry"')
      .replaceAll(JSON.stringify(own?.source), '"https://ministry.example/marble.md"')
    expect(forged).toContain('Report of the ministry')
    await elsewhere.runs.import(forged)
    expect((await elsewhere.runs.show(runId)).citations).toEqual(citations)
  })

  it('says in transcripts and exports that it was not verified here', { tags: ['S3', 'S27'] }, async () => {
    const { quaero } = await openWorkflow({
      ...turns(1),
      synthesis: ['Marble is large.', 'Marble is large.'],
    })
    const { runId, threadId, citations } = await quaero.ask(question)
    expect(citations).toEqual([])
    const { quaero: elsewhere } = await openWorkflow({})
    await elsewhere.runs.import(await quaero.runs.export(runId))
    const messages = await elsewhere.threads.messages(threadId)
    expect(messages.map(({ imported }) => imported)).toEqual([undefined, { missingQuotes: 0 }])
    const text = exportThread({ threadId, messages, runs: [], documents: [] }, 'md')
    const note = 'Imported, not verified here: it has no quotes; its sentences were not checked.'
    expect(text).toContain(note)
    expect(renderAnswer(await elsewhere.runs.show(runId), { color: false, width: 80 })).toContain(note)
  })

  it('is refused if a line of it is too long to be an event', { tags: ['S3', 'S7'] }, async () => {
    const { quaero } = await openWorkflow({}, { dataDir: ':memory:' })
    await expect(quaero.runs.import(`{"type":"${'x'.repeat(16_000_000)}"}`)).rejects.toThrow(
      /Line 1 has 16000011 characters.* may have 16000000/,
    )
  })
})

describe('an import that is refused', () => {
  it('leaves the thread as it was', async () => {
    const { quaero } = await openWorkflow(turns(1))
    const { runId } = await quaero.ask(question, { threadId: 'talk' })
    const forged = (await quaero.runs.export(runId))
      .replaceAll(runId, 'forged')
      .replace('"turn":1', '"turn":2')
      .replaceAll('81.1', '99.9')
    await expect(quaero.runs.import(forged)).rejects.toThrow()
    expect(await quaero.verify()).toMatchObject({ runs: 1, discrepancies: [] })
    expect(JSON.stringify(await quaero.threads.state('talk'))).not.toContain('99.9')
  })
})

describe('what is stored', () => {
  it('agrees with its log, after turns, questions asked back, stops and a reset', { tags: ['E6'] }, async () => {
    for (const [quaero] of await variedRuns()) expect((await quaero.verify()).discrepancies).toEqual([])
    const { quaero } = await openWorkflow(turns(3))
    await quaero.ask('First?', { threadId: 'talk' })
    await quaero.ask('Second?', { threadId: 'talk' })
    await quaero.threads.reset('talk')
    expect((await quaero.verify()).discrepancies).toEqual([])
    await quaero.ask('Third?', { threadId: 'talk' })
    expect(await quaero.verify()).toMatchObject({ threads: 1, runs: 3, discrepancies: [] })
  })

  it('is told to differ where somebody changed it', { tags: ['E6'] }, async () => {
    const dataDir = await libraryFolder()
    const { quaero } = await openWorkflow(turns(1), { dataDir })
    const { threadId, runId } = await quaero.ask(question)
    const database = new Database(join(dataDir, 'quaero.db'))
    const changed = async (sql: string, ...values: string[]) => {
      database.prepare(sql).run(...values)
      return (await quaero.verify()).discrepancies
    }
    const checkpoint = `UPDATE checkpoints SET checkpoint = replace(checkpoint, '81.1', '18.1') WHERE thread_id = ?`
    expect(await changed(checkpoint, threadId)).toContainEqual({
      about: `thread ${threadId}`,
      problem: 'its finalAnswer differs from its log',
    })
    expect(await changed(`DELETE FROM events WHERE run_id = ? AND type = 'round.started'`, runId)).toContainEqual({
      about: `run ${runId}`,
      problem: expect.stringContaining('gap'),
    })
    database.close()
  })
})
