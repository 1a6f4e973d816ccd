import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../../scripts/json-outputs.ts'
import { statementsIn } from '../../../src/claims/audit/statements.ts'
import { audit as auditCommand } from '../../../src/cli/commands/audit.ts'
import { scriptedModel } from '../../../src/models/scripted.ts'
import { libraryFolder, openQuaero, temporaryFolder } from '../../fixtures/workflow.ts'
import { capturedOutput, runWith, typedInput } from '../cli/captured-terminal.ts'

const text = `# What is known

The Marble corpus holds **81.1 million** pages [1]. It was released in 1999 by the Lund group. Who paid for it?

- The Halden filter kept 48 % of the input.

## References

[1] The Lund group, a report of 2021.
`

/** A reader that knows the year 1999 to be wrong. */
function readerModel() {
  return scriptedModel(
    Array.from({ length: 20 }, () => (messages: readonly { readonly text: string }[]) => {
      const prompt = messages.map((each) => each.text).join('\n')
      const passageOf = (words: string) =>
        Array.from(prompt.matchAll(/<passage id="(P\d+)"[^>]*>\n([\s\S]*?)<\/passage>/g)).find(([, , page = '']) =>
          page.includes(words),
        )?.[1]
      const answer = prompt.slice(prompt.lastIndexOf('The answer:'))
      return Array.from(answer.matchAll(/^(\d+)\. (.*)$/gm), ([, number, sentence = '']) =>
        sentence.includes('1999')
          ? `${number} contradicted ${passageOf('2021')}: it says 2021`
          : `${number} yes ${passageOf(sentence.includes('Halden') ? '48 %' : '81.1')}`,
      ).join('\n')
    }),
  )
}

const states = [
  'not checkable',
  'supported',
  'not supported',
  'not checkable',
  'supported',
  'not checkable',
  'not checkable',
]

describe('a text that others wrote', () => {
  it('is split into what states something, and what does not', () => {
    expect(statementsIn(text).map(({ unchecked }) => unchecked)).toEqual([
      ...['a heading', null, null, 'a question', null, 'a heading', 'a reference'],
    ])
    expect(statementsIn('## Size\nIt holds 81.1 million pages.').map(({ unchecked }) => unchecked)).toEqual([
      'a heading',
      null,
    ])
    expect(statementsIn(text)[1]?.text).toBe('The Marble corpus holds 81.1 million pages.')
  })

  it('is read sentence by sentence over the documents, each with the words that bear it out or the reason', async () => {
    const quaero = await openQuaero({ model: readerModel() })
    const { sentences, counts, score } = await quaero.audit({ text })
    expect(sentences.map(({ state }) => state)).toEqual(states)
    expect(counts).toEqual({ supported: 2, notSupported: 1, notCheckable: 4, notRead: 0 })
    expect(score).toBeCloseTo(2 / 3)
    expect(sentences[2]?.reason).toBe('contradicted: it says 2021')
    const [quote] = sentences[1]?.quotes ?? []
    expect(quote?.text).toContain('81.1 million pages')
    const page = await quaero.library.text(quote?.documentId ?? '', quote?.page ?? 0)
    expect(page.text.slice(quote?.start, quote?.end)).toBe(quote?.text)
    expect(await quaero.threads.list()).toEqual([])
  })

  it('is read once: asked again, it is read from the log', async () => {
    const dataDir = await libraryFolder()
    const model = readerModel()
    const first = await openQuaero({ model, dataDir })
    const found = await first.audit({ text })
    await first.close()
    const calls = model.heard.length
    const again = await openQuaero({ model, dataDir })
    expect(await again.audit({ text })).toEqual(found)
    expect(model.heard).toHaveLength(calls)
    await again.audit({ text, afresh: true })
    expect(model.heard.length).toBeGreaterThan(calls)
  })

  it('goes on where it was stopped', async () => {
    const model = readerModel()
    const quaero = await openQuaero({ model })
    const long = Array.from(
      { length: 8 },
      (_, at) => `- The Marble corpus holds 81.1 million pages, says source ${at}.`,
    )
    const stop = new AbortController()
    const request = { text: long.join('\n'), atOnce: 1, onProgress: () => stop.abort(new Error('stopped')) }
    await expect(quaero.audit({ ...request, signal: stop.signal })).rejects.toThrow('stopped')
    expect((await quaero.audit({ text: request.text, atOnce: 1 })).counts.supported).toBe(8)
    const heard = (words: string) => model.heard.filter((each) => each.some(({ text }) => text.includes(words)))
    expect(heard('source 0')).toHaveLength(1)
  })

  it('is not judged where the reader says nothing of it', async () => {
    const quaero = await openQuaero({ model: scriptedModel(['I cannot say.']) })
    const { sentences, score } = await quaero.audit({ text: 'The Marble corpus holds 81.1 million pages.' })
    expect(sentences).toMatchObject([{ state: 'not read', reason: 'the reader gave no verdict' }])
    expect(score).toBeNull()
  })

  it('has only copies of a page supported without a model, and the nearest words of the others', async () => {
    const quaero = await openQuaero({ model: 'extractive' })
    const copied = 'The Marble corpus holds 81.1 million pages.'
    const theirs = `${copied} The corpus has 90 million pages of text.`
    const { sentences, score } = await quaero.audit({ text: theirs })
    // A share of what happens to be copied would mislead.
    expect(score).toBeNull()
    expect(sentences).toMatchObject([
      { state: 'supported', quotes: [{ text: copied }] },
      { state: 'not read', quotes: [{ text: expect.stringContaining('pages') }] },
    ])
  })
})

describe('quaero audit', () => {
  it('tells no share, and exits with 1, where nobody has read a sentence', async () => {
    const quaero = await openQuaero({ model: 'extractive' })
    const file = join(await temporaryFolder(), 'theirs.md')
    writeFileSync(file, 'The Marble corpus holds 81.1 million pages. The corpus has 90 million pages of text.')
    const output = capturedOutput()
    expect(await runWith(auditCommand, quaero, typedInput(), output, { file })).toBe(1)
    expect(output.out()).toContain('1 of 2 sentences supported; 1 not read by anybody, 0 not checkable.')
  })

  it('prints each sentence and the score, and exits with 1 if one is not supported', async () => {
    const quaero = await openQuaero({ model: readerModel() })
    const file = join(await temporaryFolder(), 'theirs.md')
    writeFileSync(file, text)
    const output = capturedOutput()
    expect(await runWith(auditCommand, quaero, typedInput(), output, { file })).toBe(1)
    expect(output.out()).toContain(
      'not supported: It was released in 1999 by the Lund group. (contradicted: it says 2021)',
    )
    expect(output.out()).toContain('2 of 3 sentences supported (67 %); 0 not read, 4 not checkable.')
    const json = capturedOutput()
    await runWith(auditCommand, quaero, typedInput(), json, { file, json: true })
    expect(jsonOutputs.audit.parse(JSON.parse(json.out())).counts.notSupported).toBe(1)
  })
})
