import { expect, it } from 'vitest'
import { boundedLines } from '../../../src/server/mcp/serve-mcp.ts'

/** What passes, and the ids of what does not, of a text that comes in pieces. */
async function through(text: string, size: number) {
  const refused: (string | number | null)[] = []
  const lines = boundedLines({ longest: 60, refuse: (id) => refused.push(id) })
  for (let at = 0; at < text.length; at += size) lines.write(text.slice(at, at + size))
  lines.end()
  let passed = ''
  for await (const piece of lines) passed += piece
  return { passed, refused }
}

const long = 'x'.repeat(100)

it.each([1, 7, 64, 1000])(
  'lines pass up to a length, and longer ones are told by their ids, in pieces of %i',
  async (size) => {
    const text = [
      '{"id":1}',
      `{"jsonrpc":"2.0","id":2,"method":"m","params":{"id":9,"q":"${long}"}}`,
      `{"method":"m","params":{"id":9,"q":"${long}"},"jsonrpc":"2.0","id":"three"}`,
      `{"method":"m","params":{"q":"${long}","id":9}}`,
      '',
      'last',
    ].join('\n')
    expect(await through(text, size)).toEqual({ passed: '{"id":1}\n\nlast\n', refused: [2, 'three', null] })
  },
)
