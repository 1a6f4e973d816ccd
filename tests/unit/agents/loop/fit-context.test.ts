import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { charactersOf, shortenCall, stillTooLong } from '../../../../src/agents/loop/fit-context.ts'
import { repairHistory } from '../../../../src/agents/loop/history.ts'
import { formatEvidence, packEvidence } from '../../../../src/answers/evidence.ts'
import { ContextTooLong } from '../../../../src/models/port/errors.ts'
import { observation } from '../observation.ts'

const tooLong = (window: number | null = null, sent: number | null = null) =>
  new ContextTooLong('It does not fit', { size: { window, sent } })
const question = 'How many pages does the corpus hold?'
const system = new SystemMessage('You answer.')
const lines = (count: number, length = 300) =>
  Array.from({ length: count }, (_, at) => `User: question ${at} ${'word '.repeat(length / 5)}`)
const prompt = (...parts: readonly string[]) => new HumanMessage([...parts, question].join('\n\n'))
const round = (at: number, length = 2000): BaseMessage[] => [
  new AIMessage({ content: '', tool_calls: [{ id: `c${at}`, name: 'pdf_retrieval', args: { query: `query ${at}` } }] }),
  new ToolMessage({ content: `${at}`.repeat(length), tool_call_id: `c${at}`, name: 'pdf_retrieval' }),
]
const passages = (count: number) =>
  packEvidence(
    Array.from({ length: count }, (_, at) =>
      observation({ passageId: `p${at}`, score: 1 - at / 100, text: `Passage ${at} ${'text '.repeat(60)}` }),
    ),
    { tokens: 100_000 },
  )
const shorten = (input: readonly BaseMessage[], error = tooLong(), more: object = {}) =>
  shortenCall({ model: 'm', messages: input.length, input, ...more }, error)
const textOf = (input: unknown) => (input as readonly BaseMessage[]).map(({ text }) => text).join('\n')

describe('a call that is too long', () => {
  it('loses the oldest of the conversation first, and says how much', { tags: ['F10'] }, () => {
    const history = lines(10)
    const input = [system, prompt(history.join('\n')), ...round(1, 300)]
    const shorter = shorten(input, tooLong(), { history })
    const text = textOf(shorter?.request.input)
    expect(text).toContain(question)
    expect(text).toMatch(/\[\d earlier messages left out to fit the model's context window\.\]\nUser: question/)
    expect(text).toContain('question 9')
    expect(text).not.toContain('question 0')
    expect(shorter?.trimmed.leftOut).toMatchObject({ rounds: 0, passages: 0, results: 0 })
    expect(shorter?.trimmed.to).toBe(charactersOf(shorter?.request.input as BaseMessage[]))
  })

  it('then the oldest rounds of tool calls, never the newest, and calls stay with their results', {
    tags: ['F10'],
  }, () => {
    const input = [system, prompt(), ...round(1), ...round(2), ...round(3), ...round(4)]
    const shorter = shorten(input, tooLong(9000, 12_000))
    const left = shorter?.request.input as BaseMessage[]
    expect(shorter?.trimmed.leftOut).toEqual({ messages: 0, rounds: 2, passages: 0, results: 0 })
    expect(left[2]?.text).toContain('2 earlier tool rounds left out')
    expect(left[2]?.text).toContain('pdf_retrieval {"query":"query 1"}; pdf_retrieval {"query":"query 2"}')
    expect(left.slice(3)).toEqual(input.slice(6))
    expect(repairHistory(left)).toHaveLength(left.length)
  })

  it('then the middle of the newest results', { tags: ['F10'] }, () => {
    const shorter = shorten([system, prompt(), ...round(1, 8000)])
    expect(shorter?.trimmed.leftOut).toEqual({ messages: 0, rounds: 0, passages: 0, results: 1 })
    expect(textOf(shorter?.request.input)).toMatch(/1{400}\n\[… \d+ characters left out to fit.+…\]\n1{400}/)
    expect(shorter?.trimmed.to).toBeLessThan(5000)
  })

  it('of passages the best stay, under the handles that they have', { tags: ['F10', 'Q3'] }, () => {
    const evidence = passages(12)
    const shorter = shorten([system, prompt(formatEvidence(evidence))], tooLong(), { evidence })
    const ids = shorter?.left.evidence?.map(({ passage }) => passage.id)
    expect(ids).toEqual(evidence.slice(0, ids?.length).map(({ passage }) => passage.id))
    expect(ids?.length).toBeGreaterThan(2)
    expect(ids?.length).toBeLessThan(8)
    expect(shorter?.trimmed.leftOut.passages).toBe(12 - (ids?.length ?? 0))
    const text = textOf(shorter?.request.input)
    expect(text).toContain('<passage id="P1"')
    expect(text).not.toContain('<passage id="P12"')
    expect(text).toContain(question)
  })

  it('keeps as much as the sizes that the endpoint names allow', { tags: ['F10'] }, () => {
    const history = lines(40)
    const input = [system, prompt(history.join('\n'))]
    const share = (window: number | null, sent: number | null) => {
      const { from, to } = shorten(input, tooLong(window, sent), { history })?.trimmed ?? { from: 1, to: 1 }
      return to / from
    }
    expect(share(9000, 10_000)).toBeGreaterThan(0.66)
    expect(share(9000, 10_000)).toBeLessThan(0.73)
    expect(share(2000, 10_000)).toBeLessThan(0.17)
    expect(share(null, null)).toBeLessThan(0.51)
    expect(share(null, null)).toBeGreaterThan(0.45)
    // A window that is larger than what was sent says that the count is another one.
    expect(share(100_000, null)).toBeLessThan(0.51)
  })

  it('leaves the question and the instructions alone; where there is nothing else, nothing', { tags: ['F10'] }, () => {
    expect(shorten([system, new HumanMessage('x'.repeat(100_000))])).toBeNull()
    expect(shorten([])).toBeNull()
    const { message } = stillTooLong(tooLong(4096, 25_000), null)
    expect(message).toMatch(/^It does not fit\. Nothing of it could be left out\. Choose a model with a larger/)
  })

  it('whatever it holds, it gets shorter, keeps the order that endpoints want, and its best passage', {
    tags: ['F10'],
  }, () => {
    const counts = fc.record({
      history: fc.nat(12),
      rounds: fc.nat(5),
      passages: fc.nat(15),
      window: fc.option(fc.integer({ min: 64, max: 20_000 })),
      sent: fc.option(fc.integer({ min: 64, max: 40_000 })),
    })
    fc.assert(
      fc.property(counts, ({ window, sent, ...many }) => {
        const history = lines(many.history)
        const evidence = passages(many.passages)
        const rounds = Array.from({ length: many.rounds }, (_, at) => round(at, 500)).flat()
        const input = [system, prompt(history.join('\n'), formatEvidence(evidence)), ...rounds]
        const shorter = shorten(input, tooLong(window, sent), { history, evidence })
        if (!shorter) return
        const left = shorter.request.input as BaseMessage[]
        expect(charactersOf(left)).toBeLessThan(charactersOf(input))
        expect(left[0]).toBe(system)
        expect(textOf(left)).toContain(question)
        expect(repairHistory(left).map(({ text }) => text)).toEqual(left.map(({ text }) => text))
        if (many.passages > 0) expect(textOf(left)).toContain('<passage id="P1"')
        for (const { passage } of shorter.left.evidence ?? [])
          expect(textOf(left)).toContain(`<passage id="${passage.id}"`)
      }),
    )
  })
})
