/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** Its type; `message` if the stream names none. */
  readonly event: string
  readonly data: string
}

/**
 * Reads the events out of a stream's text, in whatever pieces it comes; those that one piece completes come together
 * in a list, so that whoever reads them is called once for each read from the network. Comments and unknown fields
 * are skipped, several `data` lines joined, CRLF taken for LF. An event that the end of the stream cuts short is yielded as far as
 * it came. After https://html.spec.whatwg.org/multipage/server-sent-events.html, without lone CR as a line ending.
 */
export async function* serverSentEvents(texts: AsyncIterable<string>): AsyncGenerator<readonly ServerSentEvent[]> {
  const read = eventReader()
  let rest = ''
  for await (const text of texts) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    const events = lines.flatMap(read)
    if (events.length > 0) yield events
  }
  const last = [rest, ''].flatMap(read)
  if (last.length > 0) yield last
}

/** Reads line by line; the blank line after an event returns it. */
function eventReader(): (line: string) => readonly ServerSentEvent[] {
  let event = 'message'
  let data: string[] = []
  return (line) => {
    const [name, value] = field(line.endsWith('\r') ? line.slice(0, -1) : line)
    if (name === 'event') event = value
    if (name === 'data') data.push(value)
    if (line !== '' && line !== '\r') return []
    const complete = data.length > 0 ? [{ event, data: data.join('\n') }] : []
    event = 'message'
    data = []
    return complete
  }
}

function field(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':')
  if (colon === -1) return [line, '']
  const value = line.slice(colon + 1)
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value]
}
