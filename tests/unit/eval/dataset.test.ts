import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../src/errors.ts'
import { parseDataset, patternOf, readDataset, requireNames } from '../../../src/eval/dataset.ts'

const lines = (...rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n')

describe('a dataset', () => {
  it('is read line by line, empty lines and a byte order mark aside', () => {
    const text = `\uFEFF${lines({ id: 'a', question: 'Why?' })}\r\n\r\n${lines({ id: 'b', question: 'How?', thread: 't' })}\n`
    expect(parseDataset(text, 'q.jsonl')).toEqual([
      { id: 'a', question: 'Why?' },
      { id: 'b', question: 'How?', thread: 't' },
    ])
  })

  it.each([
    ['what is no JSON', '{"id": "a"', 'q.jsonl:1: this is not JSON: {"id": "a"'],
    ['a row without a question', lines({ id: 'a' }), 'question'],
    ['an empty question', lines({ id: 'a', question: '  ' }), 'must not be empty'],
    ['an unknown key', lines({ id: 'a', question: 'Why?', expects: {} }), 'expects'],
    ['an unknown expectation', lines({ id: 'a', question: 'Why?', expect: { answer: 'x' } }), 'answer'],
    [
      'an id that is used twice',
      lines({ id: 'a', question: 'Why?' }, { id: 'a', question: 'How?' }),
      'q.jsonl:2: the id "a"',
    ],
    [
      'a regular expression that is none',
      lines({ id: 'a', question: 'Why?', expect: { answers: ['/(/'] } }),
      'q.jsonl:1',
    ],
    ['nothing', '\n', 'holds no questions'],
  ])('refuses %s, and says where', (_, text, said) => {
    expect(() => parseDataset(text, 'q.jsonl')).toThrow(UsageError)
    expect(() => parseDataset(text, 'q.jsonl')).toThrow(said)
  })

  it('names every wrong line, but no more than ten', () => {
    const text = Array.from({ length: 14 }, () => '{}').join('\n')
    expect(() => parseDataset(text, 'q.jsonl')).toThrow(/q\.jsonl:10[\s\S]*and 4 more/)
  })

  it('refuses agents and tools that do not exist, with those there are', () => {
    const rows = parseDataset(lines({ id: 'a', question: 'Why?', expect: { tools: { exclude: ['serch'] } } }), 'q')
    const known = { agents: ['research'], tools: ['search', 'read'] }
    expect(() => requireNames(rows, known)).toThrow('a: there is no "serch" among the tools: search, read')
    expect(() => requireNames(rows, { ...known, tools: ['serch'] })).not.toThrow()
    const agent = parseDataset(lines({ id: 'b', question: 'Why?', expect: { agents: { include: ['serch'] } } }), 'q')
    expect(() => requireNames(agent, { agents: ['research'], tools: ['serch'] })).toThrow(UsageError)
  })

  it('takes any text without falling over', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseDataset(text, 'q.jsonl')
        } catch (error) {
          return error instanceof UsageError
        }
        return true
      }),
    )
  })

  it('says so when the file is not there', async () => {
    await expect(readDataset('/nowhere/q.jsonl')).rejects.toThrow('/nowhere/q.jsonl cannot be read')
  })

  it('takes an answer between slashes as a regular expression', () => {
    expect(patternOf('/87\\.2 ?%/i')?.test('It reaches 87.2 %.')).toBe(true)
    expect(patternOf('87.2/100')).toBeNull()
  })
})
