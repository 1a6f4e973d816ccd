import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { configFileIn, configuredHide } from '../../../../src/cli/output/hiding.ts'
import { hiding, print, printJson, printJsonLine, tell } from '../../../../src/cli/output/terminal.ts'
import { hiddenDeltas } from '../../../../src/cli/output/watch-run.ts'
import type { StreamEvent } from '../../../../src/index.ts'
import { redactor } from '../../../../src/redact.ts'
import { folderOf } from '../../../fixtures/workflow.ts'
import { capturedOutput } from '../captured-terminal.ts'

const own = 'sk-planted-9f8e7d6c5b'

describe('an output', () => {
  it('shows no credential, whichever way it is written', { tags: ['T10'] }, () => {
    const output = capturedOutput()
    print(output, `a ${own}`)
    tell(output, `b ${own}`)
    output.stdout.write(`c ${own}\n`)
    output.stderr.write(Buffer.from(`d ${own}\n`))
    expect(output.out()).toBe('a [redacted]\nc [redacted]\n')
    expect(output.err()).toBe('b [redacted]\nd [redacted]\n')
    output.stdoutAsIs.write(`e ${own}\n`)
    expect(output.out()).toContain(`e ${own}\n`)
  })

  it('writes JSON that stays JSON, whatever its values look like', { tags: ['T10'] }, () => {
    const value = {
      'sk-planted-as-a-key': 'kept',
      apiKey: 'op"en',
      nested: ['{"token":"a\\"b"}', '-----BEGIN RSA PRIVATE KEY-----\nMIIE', { n: 12345678, access_key: 12345678 }],
      last: 'seen',
    }
    const [pretty, line] = [capturedOutput(), capturedOutput()]
    printJson(pretty, value)
    printJsonLine(line, value)
    expect(JSON.parse(pretty.out())).toEqual(JSON.parse(line.out()))
    expect(JSON.parse(line.out())).toMatchObject({ '[redacted]': 'kept', apiKey: '[redacted]', last: 'seen' })
    expect(line.out()).not.toContain('MIIE')
  })

  it('lets a spinner write through it for a while, and still shows no credential', { tags: ['T10'] }, () => {
    const written: string[] = []
    const stream = new Writable({ write: (chunk, _, done) => done(void written.push(String(chunk))) })
    const guarded = hiding(stream, redactor([]))
    const original = guarded.write
    // As ora does it.
    Object.assign(guarded, { write: (chunk: unknown) => Reflect.apply(original, guarded, [`> ${chunk}`]) })
    guarded.write(`a ${own}`)
    guarded.write = original
    guarded.write(`b ${own}`)
    expect(written).toEqual(['> a [redacted]', 'b [redacted]'])
  })

  it('knows the credentials in the addresses of the settings that a command line names', {
    tags: ['T10'],
  }, async () => {
    const folder = await folderOf()
    const file = join(folder, 'my.yaml')
    await writeFile(file, 'endpoint:\n  baseUrl: http://127.0.0.1:9/v1?api-key=Plum-Settings-8822\n')
    for (const argv of [
      ['ask', '--config', file, 'Why?'],
      ['library', 'list', `--config=${file}`],
    ]) {
      expect(configuredHide(configFileIn(argv))('a Plum-Settings-8822 b')).toBe('a [redacted] b')
    }
    expect(configFileIn(['ask'])).toBeUndefined()
    expect(configuredHide(join(folder, 'none.yaml'))(own)).toBe('[redacted]')
  })

  it('is the stream itself in all else', () => {
    const stream = new Writable({ write: (_chunk, _encoding, done) => done() })
    const guarded = hiding(stream, redactor([]))
    let isDrained = false
    guarded.on('finish', () => {
      isDrained = true
    })
    expect(guarded.writable).toBe(true)
    guarded.end()
    expect(guarded.writableEnded).toBe(true)
    expect(isDrained).toBe(false)
    expect(guarded).toBeInstanceOf(Writable)
  })
})

describe('the pieces of a message on the command line', () => {
  const base = { timestamp: '2026-01-01T00:00:00.000Z', correlationId: 'r', runId: 'r', threadId: 't' } as const
  const delta = (text: string, more: object = {}, messageId = 'm') =>
    ({ ...base, id: 'd', type: 'message.delta', payload: { messageId, scope: 'thread', text, ...more } }) as StreamEvent
  const completed = (messageId = 'm') =>
    ({
      ...base,
      id: 'c',
      type: 'message.completed',
      payload: { messageId, role: 'assistant', scope: 'thread', text: '', superseded: false },
    }) as StreamEvent
  const shown = async (events: readonly StreamEvent[]) => {
    const out: string[] = []
    async function* stream() {
      yield* events
    }
    for await (const { type, payload } of hiddenDeltas(stream())) {
      out.push(type === 'message.delta' ? payload.text + (payload.toolCall?.args ?? '') : type)
    }
    return out
  }

  it('hide what comes in two of them, and what was held back comes before the message is complete', {
    tags: ['T10'],
  }, async () => {
    const events = [
      delta('My key is sk-plan'),
      delta('ted-9f8e7d6c5b and'),
      delta(' Bearer'),
      delta(' abc12345'),
      completed(),
    ]
    expect(await shown(events)).toEqual(['My key is ', '[redacted] ', 'and ', 'Bearer [redacted]', 'message.completed'])
  })

  it('are told apart by their message and their tool call', { tags: ['T10'] }, async () => {
    const call = (index: number, args: string) => delta('', { toolCall: { index, args } })
    const events = [
      delta('a sk-plan'),
      delta('b', {}, 'n'),
      call(1, '{"a":"sk-pl'),
      call(2, '{"b":1'),
      call(1, 'anted-9f8e"}'),
      call(2, '}'),
    ]
    expect((await shown([...events, completed('n'), completed()])).filter(Boolean)).toEqual([
      ...['a ', 'b', 'message.completed'],
      ...['sk-plan', '{"a":"[redacted]"}', '{"b":1}', 'message.completed'],
    ])
  })

  it('begin anew where a piece holds all of the text so far', async () => {
    expect(await shown([delta('It is a wo'), delta('It is a word ', { soFar: true }), completed()])).toEqual([
      'It is a ',
      'It is a word ',
      'message.completed',
    ])
  })
})
