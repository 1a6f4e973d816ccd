import { useEffect, useRef, useState } from 'preact/hooks'
import { body, type Frame, framesOf, send } from '../api/requests.ts'
import { saveAs } from '../controls.tsx'

/** Said where a stream ends before its last event. */
export const cut = 'The server has stopped. What it has answered is kept: continue once it is there again.'

/** Work that the server does piece by piece: how far it is, how it is stopped and gone on with, and what went wrong. */
export function useWork<Shown>(stopped: (last: Shown) => Shown) {
  const [shown, show] = useState<Shown | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const work = useRef(new AbortController())
  useEffect(() => () => work.current.abort(), [])
  const attempt = async (doing: () => Promise<void>) => {
    setProblem(null)
    // What a browser says of a connection that is cut helps nobody.
    await doing().catch((error: Error) => setProblem(error instanceof TypeError ? cut : error.message))
  }
  return {
    ...{ shown, show, problem, attempt },
    run: (states: (signal: AbortSignal) => AsyncIterable<Shown>) =>
      attempt(async () => {
        work.current = new AbortController()
        const { signal } = work.current
        try {
          for await (const each of states(signal)) show(each)
        } catch (error) {
          show((last) => last && stopped(last))
          if (!signal.aborted) throw error
        }
      }),
    stop: () => work.current.abort(),
    /** Has the browser save what a route answers with, under the name that the server gives it. */
    save: (path: string, request: object) =>
      attempt(async () => {
        const response = await send(path, body(request))
        const [, name = 'file'] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
        saveAs(name, await response.blob())
      }),
  }
}

/** The events that a route answers with. */
export async function* eventsOf<Data>(path: string, request: object, signal: AbortSignal): AsyncGenerator<Frame<Data>> {
  const asking = body(request)
  const headers = { ...asking.headers, accept: 'text/event-stream' }
  yield* framesOf<Data>(await send(path, { ...asking, signal, headers }))
}
