/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** Its type; `message` if the stream names none. */
  readonly event: string
  readonly data: string
}

/**
 * Reads the events out of a stream's text, in whatever pieces it comes: comments and unknown fields are skipped,
 * several `data` lines joined, CRLF taken for LF. An event that the end of the stream cuts short is yielded as far as
 * it came. After https://html.spec.whatwg.org/multipage/server-sent-events.html, without lone CR as a line ending.
 */
export async function* serverSentEvents(texts: AsyncIterable<string>): AsyncGenerator<ServerSentEvent> {
  let event = 'message'
  let data: string[] = []
  for await (const line of lines(texts)) {
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n') }
      event = 'message'
      data = []
      continue
    }
    const [name, value] = field(line)
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
  }
  if (data.length > 0) yield { event, data: data.join('\n') }
}

async function* lines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const text of texts) {
    const complete = (rest + text).split('\n')
    rest = complete.pop() ?? ''
    for (const line of complete) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (rest !== '') yield rest
}

function field(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':')
  if (colon === -1) return [line, '']
  const value = line.slice(colon + 1)
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value]
}
