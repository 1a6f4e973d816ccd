import { describe, expect, it } from 'vitest'
import { eventsIn, read, type Send, sendingMail, served } from './served.ts'

const question = 'How many pages does the Marble corpus hold?'
const origin = 'https://chat.example'

interface Values {
  readonly messages: readonly { readonly id: string; readonly type: string }[]
}

interface State {
  readonly values: Values
  readonly next: readonly string[]
  readonly tasks: readonly { readonly interrupts: readonly unknown[] }[]
  readonly checkpoint: { readonly checkpoint_id?: string }
}

type Frames = ReturnType<typeof eventsIn>

/** One turn in the former protocol that needs an approval, and what a page asks for when it is loaded again. */
async function formerSession(send: Send) {
  const base = '/threads/former'
  await send('/threads', { body: { thread_id: 'former' } })
  const started = await send(`${base}/runs/stream`, {
    headers: { origin },
    body: {
      assistant_id: 'quaero',
      stream_mode: ['values', 'messages-tuple', 'updates'],
      input: { messages: [{ type: 'human', id: 'mine', content: question }] },
    },
  })
  const first = eventsIn(await started.text())
  const waiting = await read<State>(send(`${base}/state`))
  const command = { resume: { decisions: [{ type: 'approve' }] } }
  const body = { assistant_id: 'quaero', stream_mode: ['values', 'messages-tuple'], command }
  const text = await (await send(`${base}/runs/stream`, { body })).text()
  const stream = started.headers.get('location') ?? ''
  const rejoined = await send(`${stream}?stream_mode=messages-tuple`, {
    headers: { 'last-event-id': eventsIn(text).findLast(({ event }) => event === 'messages')?.id ?? '' },
  })
  return {
    headers: started.headers,
    first,
    waiting,
    frames: eventsIn(text),
    rejoined: eventsIn(await rejoined.text()),
    state: await read<State>(send(`${base}/state`)),
    history: await read<readonly State[]>(send(`${base}/history`, { body: { limit: 10 } })),
    threads: await read<readonly { values: Values }[]>(send('/threads/search', { body: { limit: 100 } })),
  }
}
type Session = Awaited<ReturnType<typeof formerSession>>

const valuesIn = (frames: Frames) => frames.filter(({ event }) => event === 'values').map(({ data }) => data as Values)
const idsOf = (values: Values | undefined) => values?.messages.map(({ id }) => id) ?? []

/** What clients lose without it, as was seen of each in a browser; and whether it is there. */
const needs: readonly (readonly [lost: string, isThere: (session: Session) => boolean])[] = [
  [
    'a reload joins no run, and stop() cancels none',
    ({ headers }) => /^\/threads\/former\/runs\/[\w-]+$/.test(headers.get('content-location') ?? ''),
  ],
  [
    'a stream that was cut is not taken up again',
    ({ headers }) => headers.get('location') === `${headers.get('content-location')}/stream`,
  ],
  [
    'a page of another origin reads neither',
    ({ headers }) =>
      ['Content-Location', 'Location'].every((name) =>
        headers.get('access-control-expose-headers')?.split(/, ?/).includes(name),
      ),
  ],
  [
    'the run has no id for onMetadataEvent',
    ({ first, frames }) => first[0]?.event === 'metadata' && frames[0]?.event === 'metadata',
  ],
  ["the person's own message vanishes", ({ first }) => idsOf(valuesIn(first)[0]).includes('mine')],
  [
    "the person's message is shown twice",
    ({ frames }) => idsOf(valuesIn(frames).at(-1)).filter((id) => id === 'mine').length === 1,
  ],
  [
    'nothing is shown before the end',
    ({ frames }) =>
      frames.findIndex(({ event }) => event === 'messages') < frames.findLastIndex(({ event }) => event === 'values') &&
      frames.some(({ event }) => event === 'messages'),
  ],
  [
    'the answer is shown twice',
    ({ frames }) => {
      const [streamed] = (frames.find(({ event }) => event === 'messages')?.data ?? []) as readonly { id: string }[]
      return idsOf(valuesIn(frames).at(-1)).includes(streamed?.id ?? '')
    },
  ],
  [
    'a stream that was cut cannot go on',
    ({ first, frames }) => [...first, ...frames].every(({ id }) => /^\d+\.\d+$/.test(id ?? '')),
  ],
  ['words are shown twice after a cut', ({ rejoined }) => rejoined.every(({ event }) => event !== 'messages')],
  ['a decision is not asked for', ({ first }) => first.some(({ data }) => '__interrupt__' in (data as object))],
  [
    'a decision is not asked for after a reload',
    ({ waiting }) => waiting.next.length > 0 && (waiting.tasks[0]?.interrupts.length ?? 0) > 0,
  ],
  ['a thread that has ended is joined for ever', ({ state }) => state.next.length === 0],
  ['a thread is empty after a reload', ({ state }) => state.values.messages.length === 2],
  ['an error is shown after each answer', ({ history }) => history[0]?.values.messages.length === 2],
  ['a history is taken for empty', ({ history }) => history.every(({ checkpoint }) => checkpoint.checkpoint_id)],
  ['threads have no titles in a list', ({ threads }) => threads[0]?.values.messages[0]?.id === 'mine'],
]

describe('what clients of LangGraph cannot do without', () => {
  it('is sent', async () => {
    const { quaero } = await sendingMail()
    const session = await formerSession(await served(quaero, { origins: [origin] }))
    expect(needs.filter(([, isThere]) => !isThere(session)).map(([lost]) => lost)).toEqual([])
  })
})
