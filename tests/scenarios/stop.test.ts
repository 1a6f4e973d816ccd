import { once } from 'node:events'
import { watch } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { quaero, startQuaero } from '../fixtures/command-line.ts'
import { speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { isOnPostgres } from '../fixtures/storage/chosen-storage.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const stalls = { synthesis: [{ ...usualLines.synthesis, stall: 'middle' }, usualLines.synthesis] } as const

describe('a run that is stopped while the model writes', () => {
  it('on SIGINT ends with 130, says how to go on, and goes on without a finished call made again', {
    tags: ['F55', 'F22'],
  }, async () => {
    const cwd = await libraryFolder()
    const endpoint = await speakingEndpoint(stalls)
    const options = { cwd, env: endpoint.env }
    const running = startQuaero(['ask', question, '-t', 'stopped'], options)
    await endpoint.asked('synthesis')
    running.child.kill('SIGINT')
    const { code, out, err } = await running.ended
    expect([code, out]).toEqual([130, ''])
    expect(err).not.toMatch(/^\s+at /m)
    const command = /Resume with: quaero (runs resume \S+)$/m.exec(err)?.[1] ?? ''
    const runId = expect.stringMatching(`^${command.split(' ').at(-1)}-`)

    const { runs } = JSON.parse((await quaero(['runs', 'list', '--json'], { cwd })).out)
    expect(runs).toMatchObject([{ runId, threadId: 'stopped', status: 'interrupted', question }])
    const resumed = await quaero([...command.split(' '), '--json'], options)
    expect(resumed.code).toBe(0)
    expect(jsonOutputs.ask.parse(JSON.parse(resumed.out))).toMatchObject({
      runId,
      status: 'completed',
      answer: expect.stringContaining('81.1 million pages'),
      citations: [{ quote: 'holds 81.1 million pages' }],
    })
    expect(endpoint.calls()).toEqual(['orchestrator', 'research', 'research', 'synthesis', 'synthesis'])
  })

  it('on SIGTERM leaves a stream that never ends, and its session log says how it stopped', {
    tags: ['E9', 'H10'],
  }, async () => {
    const cwd = await libraryFolder()
    const endpoint = await speakingEndpoint({
      synthesis: [{ ...usualLines.synthesis, drip: true }, usualLines.synthesis],
    })
    const options = { cwd, env: endpoint.env }
    const running = startQuaero(['ask', question, '-t', 'stopped'], options)
    await endpoint.asked('synthesis')
    running.child.kill('SIGTERM')
    // The endpoint goes on until its client has left, which is not only when the process is gone.
    const order: string[] = []
    await Promise.all([
      endpoint.idle().then(() => order.push('stream closed')),
      running.ended.then(({ code }) => order.push(`ended with ${code}`)),
    ])
    expect(order).toEqual(['stream closed', 'ended with 130'])
    const turns = async () => parse(await readFile(join(cwd, 'sessions', 'stopped.yaml'), 'utf8')).turns
    expect(await turns()).toMatchObject([{ turn: 1, status: 'interrupted', attempts: 1, input: question, result: '' }])
    const [{ runId }] = await turns()
    expect((await quaero(['runs', 'resume', runId], options)).code).toBe(0)
    const after = await turns()
    expect(after).toMatchObject([{ turn: 1, status: 'completed', attempts: 2 }])
    await rm(join(cwd, 'sessions'), { recursive: true })
    expect((await quaero(['threads', 'log', '--rebuild'], { cwd })).code).toBe(0)
    expect(await turns()).toEqual(after)
    const printed = await quaero(['threads', 'log', 'stopped'], { cwd })
    expect(printed.out).toMatch(/stopped; it can be resumed\n.*resumed, attempt 2/)
  })

  it('killed with -9, is called interrupted everywhere, with the command that resumes it', {
    tags: ['slow', 'E10'],
  }, async () => {
    const cwd = await libraryFolder()
    const endpoint = await speakingEndpoint(stalls)
    const running = startQuaero(['ask', question, '-t', 'killed'], { cwd, env: endpoint.env })
    await endpoint.asked('synthesis')
    running.child.kill('SIGKILL')
    await running.ended
    const { runs } = JSON.parse((await quaero(['runs', 'list', '--json'], { cwd })).out)
    const resume = `quaero runs resume ${runs[0].runId.slice(0, 8)}\n`
    const log = await quaero(['threads', 'log', 'killed'], { cwd })
    expect(log).toMatchObject({ code: 0, err: `Turn 1 was interrupted. Resume it with: ${resume}` })
    const fork = await quaero(['threads', 'fork', 'killed'], { cwd })
    expect(fork.err).toContain('has not ended (interrupted). Resume or cancel it first.')
    for (const look of ['show', 'replay']) {
      expect((await quaero(['runs', look, runs[0].runId], { cwd })).err).toBe(`Resume with: ${resume}`)
    }
  })

  it('prints its result with --json, and the command that resumes it names the same folder', {
    tags: ['F55'],
  }, async () => {
    const cwd = await libraryFolder()
    const endpoint = await speakingEndpoint(stalls)
    const running = startQuaero(['ask', question, '--json', '--data-dir', cwd], { cwd: '/', env: endpoint.env })
    await endpoint.asked('synthesis')
    running.child.kill('SIGINT')
    const { code, out, err } = await running.ended
    const { runId, status } = jsonOutputs.ask.parse(JSON.parse(out))
    expect([code, status]).toEqual([130, 'interrupted'])
    expect(err).toContain(`Resume with: quaero runs resume ${runId.slice(0, 8)} --data-dir ${cwd}`)
  })

  // By a lock on the file of SQLite.
  it.skipIf(isOnPostgres())(
    'ends at once when it is told twice, even where it cannot write, and can still be resumed',
    {
      tags: ['F55'],
    },
    async () => {
      const cwd = await libraryFolder()
      const endpoint = await speakingEndpoint(stalls)
      const options = { cwd, env: endpoint.env }
      const running = startQuaero(['ask', question, '-t', 'stopped'], options)
      await endpoint.asked('synthesis')
      // Nobody can write while another holds the lock, so that stopping in good order is not possible.
      const lock = new Database(join(cwd, 'quaero.db'), { timeout: 10_000 })
      lock.exec('BEGIN IMMEDIATE')
      running.child.kill('SIGINT')
      await running.says('once more stops at once')
      running.child.kill('SIGINT')
      expect(await running.ended).toMatchObject({ code: 130, out: '' })
      lock.exec('ROLLBACK')
      lock.close()

      const { runs } = JSON.parse((await quaero(['runs', 'list', '--json'], { cwd })).out)
      expect(runs).toMatchObject([{ threadId: 'stopped', question, status: 'interrupted' }])
      const resumed = await quaero(['runs', 'resume', runs[0].runId, '--json'], options)
      expect(JSON.parse(resumed.out)).toMatchObject({ status: 'completed', threadId: 'stopped' })
      expect(endpoint.calls().filter((speaker) => speaker !== 'synthesis')).toEqual([
        'orchestrator',
        'research',
        'research',
      ])
    },
  )
})

describe('a chat', () => {
  it('is stopped in the middle of an answer by one Ctrl-C, and says how to go on', { tags: ['L8'] }, async () => {
    const cwd = await libraryFolder()
    const endpoint = await speakingEndpoint(stalls)
    const running = startQuaero(['chat', '-t', 'talk'], { cwd, env: endpoint.env, stdinOpen: true })
    running.child.stdin?.write(`${question}\n`)
    await endpoint.asked('synthesis')
    running.child.kill('SIGINT')
    const { code, err } = await running.ended
    expect(code).toBe(130)
    expect(err).toMatch(/Resume with: quaero runs resume \S+$/m)
  })

  it('and a resumed run likewise', { tags: ['L8'] }, async () => {
    const cwd = await libraryFolder()
    const endpoint = await speakingEndpoint({ synthesis: { ...usualLines.synthesis, stall: 'middle' } })
    const options = { cwd, env: endpoint.env }
    const stopped = startQuaero(['ask', question], options)
    await endpoint.asked('synthesis')
    stopped.child.kill('SIGINT')
    const resume = /Resume with: quaero (runs resume \S+)$/m.exec((await stopped.ended).err)?.[1]?.split(' ') ?? []
    const again = startQuaero(resume, options)
    await endpoint.asked('synthesis', 2)
    again.child.kill('SIGINT')
    const { code, err } = await again.ended
    expect([code, err]).toEqual([130, expect.stringContaining(`Resume with: quaero ${resume.join(' ')}`)])
  })
})

describe('a command that waits for a question', () => {
  // That it has opened the library is seen by the files of SQLite.
  it.skipIf(isOnPostgres())('ends with 130 on SIGTERM, and leaves nothing behind', { tags: ['F55'] }, async () => {
    const cwd = await libraryFolder()
    const running = startQuaero(['ask'], { cwd, stdinOpen: true })
    // It has opened the library, and listens.
    const watcher = watch(cwd)
    await once(watcher, 'change')
    watcher.close()
    running.child.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 130, out: '' })
    const { runs } = JSON.parse((await quaero(['runs', 'list', '--json'], { cwd })).out)
    expect(runs).toEqual([])
  })
})
