import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventData } from '../../../../src/models/openai/completion-reader.ts'

async function read(...texts: string[]): Promise<string[]> {
  async function* stream() {
    yield* texts
  }
  const data: string[] = []
  for await (const together of eventData(stream())) data.push(...together)
  return data
}

describe('an event stream', () => {
  it('is read event by event, with comments and unknown fields skipped', async () => {
    expect(await read(': hello\n\nid: 1\nevent: error\ndata: a\ndata:b\n\ndata: c\n\n')).toEqual(['a\nb', 'c'])
  })

  it('yields its last event even if the stream ends before the blank line', async () => {
    expect(await read('data: a\r\n\r\ndata: {"b')).toEqual(['a', '{"b'])
  })

  it('reads the same events however the network cuts the text', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', ' ', ':', '{', '"', '🙂', 'ß') })
    const datas = fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 5 })
    const property = fc.asyncProperty(datas, fc.boolean(), fc.array(fc.nat(60)), async (events, crlf, cuts) => {
      const newline = crlf ? '\r\n' : '\n'
      const text = events.map((lines) => lines.map((each) => `data: ${each}${newline}`).join('') + newline).join('')
      const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
      const pieces = places.slice(1).map((end, position) => text.slice(places[position], end))
      expect(await read(...pieces)).toEqual(events.map((lines) => lines.join('\n')))
    })
    await fc.assert(property, { numRuns: 300 })
  })
})
