import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EventType, event, type Payloads, type StreamEvent } from '../../../src/events/index.ts'
import { StepFold } from '../../../src/events/run-steps.ts'
import { type ProtocolEvent, RunEvents } from '../../../src/server/langgraph-v2/run-events.ts'

const message = { messageId: 'draft', role: 'assistant', scope: 'thread' } as const

/** A line of a run's stream; without a position, as deltas have none. */
function line<T extends EventType>(type: T, payload: Payloads[T], position?: number): StreamEvent {
  const made = event(type, payload, { correlationId: 'run' })
  // Tests make events of every type alike.
  return { ...made, runId: 'run', threadId: 't', ...(position && { position }) } as unknown as StreamEvent
}

const begin = [
  line('run.created', { threadId: 't', turn: 1, question: 'Why?', messageId: 'm1', documents: null }, 1),
  line('run.started', { attempt: 1, question: 'Why?', model: 'scripted' }, 2),
  line('message.created', message, 3),
]
const delta = (text: string, soFar = false) => line('message.delta', { ...message, text, ...(soFar && { soFar }) })
const end = (text: string) => [
  line('message.completed', { ...message, text, superseded: false }, 4),
  line('run.interrupted', { reason: 'cancelled' }, 5),
]

function protocolOf(lines: readonly StreamEvent[]): readonly ProtocolEvent[] {
  const [fold, events] = [new StepFold(), new RunEvents([])]
  return lines.flatMap((each) => {
    const step = fold.take(each)
    return step ? [...events.of(step)] : []
  })
}

/** What a client shows that drops the ids it has seen; and that of each delta before the end. */
function shownBy(...connections: readonly (readonly ProtocolEvent[])[]) {
  const seen = new Set<string>()
  let text = ''
  let streamed = ''
  for (const { event_id: id, params } of connections.flat()) {
    if (seen.has(id)) continue
    seen.add(id)
    const {
      event: name,
      delta,
      content,
    } = params.data as { event?: string; delta?: { text: string }; content?: { text: string } }
    if (name === 'content-block-delta') text += delta?.text ?? ''
    if (name === 'content-block-delta') streamed = text
    if (name === 'content-block-finish') text = content?.text ?? ''
  }
  return { text, streamed }
}

const words = fc
  .array(
    fc.constantFrom(
      'The',
      'corpus',
      'holds',
      '81.1 million',
      ' ',
      '\n\n',
      'pages.',
      '文書の総数は八千百十万',
      '🙂',
      'x'.repeat(40),
    ),
  )
  .map((all) => all.join(' '))

describe('the text of a run in protocol v2', () => {
  it('is the same however it was cut, and for a reader that comes back at any moment', () => {
    fc.assert(
      fc.property(words, fc.array(fc.nat(200)), fc.nat(200), (text, cuts, left) => {
        const places = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort((one, other) => one - other)
        const pieces = [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length))
        const whole = protocolOf([...begin, ...pieces.map((piece) => delta(piece)), ...end(text)])
        const cut = Math.min(left, pieces.length)
        const first = protocolOf([...begin, ...pieces.slice(0, cut).map((piece) => delta(piece))])
        const later = protocolOf([
          ...begin,
          delta(pieces.slice(0, cut).join(''), true),
          ...pieces.slice(cut).map((piece) => delta(piece)),
          ...end(text),
        ])
        const afterRestart = protocolOf([...begin, ...end(text)])
        expect(shownBy(first, later)).toEqual(shownBy(whole))
        expect(shownBy(first, afterRestart)).toEqual(shownBy(whole))
        expect(shownBy(whole).streamed).toBe(text)
        const contents = new Map(whole.map((each) => [each.event_id, each.params.data]))
        for (const { event_id: id, params } of [...later, ...afterRestart])
          expect(contents.get(id)).toEqual(params.data)
      }),
    )
  })

  it('comes word by word before it is complete, also where words have no space between them', () => {
    const texts = (text: string) =>
      protocolOf([...begin, delta(text)]).flatMap(({ params }) => {
        const { delta } = params.data as { delta?: { text: string } }
        return delta ? [delta.text] : []
      })
    expect(texts('It holds 81.1 mil')).toEqual(['It ', 'holds ', '81.1 '])
    expect(texts('文書の総数は八千百十万頁であるとされている').join('')).toBe('文書の総数は八千百十万頁であると')
  })

  it('ends when its run is cancelled in the middle, with what was written', () => {
    const events = protocolOf([...begin, delta('It holds '), ...end('').slice(1)])
    expect(shownBy(events).text).toBe('It holds ')
    const names = events.map(({ params }) => (params.data as { event?: string }).event)
    expect(names.slice(-5)).toEqual(['content-block-finish', 'message-finish', undefined, undefined, 'interrupted'])
  })

  it('begins again with the second draft, and ends with the one that was kept', () => {
    const second = { ...message, messageId: 'second' }
    const events = protocolOf([
      ...begin,
      delta('A first draft that fails. '),
      line('message.created', second, 4),
      line('message.delta', { ...second, text: 'A second one ' }),
      line('message.completed', { ...message, scope: 'scratch', text: '', superseded: true }, 5),
      line('message.completed', { ...second, text: 'A second one is kept.', superseded: false }, 6),
    ])
    const starts = events.filter(({ params }) => (params.data as { event?: string }).event === 'message-start')
    expect(starts.map(({ params }) => (params.data as { id: string }).id)).toEqual(['run-answer', 'run-answer'])
    expect(shownBy(events).text).toBe('A second one is kept.')
  })

  it('is said to be interrupted where the process of the run is gone', () => {
    const crashed = { from: 'running', to: 'interrupted', trigger: 'crashed' } as const
    const gone = {
      ...line('run.started', { attempt: 1, question: '', model: '' }),
      type: 'status.changed',
      payload: crashed,
    }
    const events = protocolOf([...begin, gone as unknown as StreamEvent])
    expect(events.at(-1)).toMatchObject({ method: 'lifecycle', params: { data: { event: 'failed' } } })
  })
})
