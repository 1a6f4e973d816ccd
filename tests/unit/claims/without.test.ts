import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../../scripts/json-outputs.ts'
import { runsReplay } from '../../../src/cli/commands/runs.ts'
import type { StreamEvent } from '../../../src/index.ts'
import { folderOf, openQuaero } from '../../fixtures/workflow.ts'
import { capturedOutput, runWith, typedInput } from '../cli/captured-terminal.ts'

const question = 'How many cranes does the harbour of Lisfeld have?'

/** An answer that two documents give; a third has nothing to say. */
async function answered(other?: string) {
  const texts = {
    'harbour.md': '# Harbour\n\nThe harbour of Lisfeld has 14 cranes. It was opened in 1931.\n',
    'survey.md': '# Cranes\n\nLisfeld has 14 cranes in its harbour, says the survey of 2019.\n',
    'tides.md': '# Tides\n\nSpring tides rise by nine metres.\n',
  }
  const folder = await folderOf(texts)
  const events: StreamEvent[] = []
  const subscribers = [(event: StreamEvent) => void events.push(event)]
  const quaero = await openQuaero({ model: 'extractive', subscribers })
  await quaero.library.add([folder])
  const documentIds = other === undefined ? undefined : [(await quaero.library.document(other)).documentId]
  const { runId } = await quaero.ask(question, documentIds && { documentIds })
  const runs = () => events.filter(({ type }) => type === 'run.created').length
  return { quaero, runId, runs }
}

describe('a replay without a document', { tags: ['Q20'] }, () => {
  it('tells the sentences that fall from those that another document says, and asks again without it, once', async () => {
    const { quaero, runId, runs } = await answered()
    const told = await quaero.replayWithout(runId, 'harbour.md')
    const falls = told.sentences.flatMap(({ claim, without }) => (without === 'falls' ? claim.text : []))
    expect(falls[0]).toBe('The harbour of Lisfeld has 14 cranes.')
    expect(told.sentences.find(({ without }) => without === 'stands')?.claim.text).toContain('survey of 2019')
    expect(told.again).toMatchObject({
      abstained: false,
      claims: [{ text: expect.stringContaining('survey of 2019') }],
    })
    expect(told.again?.claims.flatMap(({ quotes }) => quotes).some((each) => each.documentId === told.documentId)).toBe(
      false,
    )
    expect(jsonOutputs['runs-replay.without'].parse(told)).toEqual(told)
    const before = runs()
    expect(await quaero.replayWithout(runId, 'harbour.md')).toEqual(told)
    expect(runs()).toBe(before)
    // The answer itself is as it was, and no conversation is added.
    expect((await quaero.runs.show(runId)).answer).toContain('14 cranes')
    expect(await quaero.threads.list()).toHaveLength(1)
  })

  it('asks nothing where no search had found the document, or none is left to search', async () => {
    const { quaero, runId, runs } = await answered('survey.md')
    const before = runs()
    expect(await quaero.replayWithout(runId, 'tides.md')).toMatchObject({
      sentences: [{ without: 'stands' }],
      again: null,
    })
    expect(await quaero.replayWithout(runId, 'survey.md')).toMatchObject({
      sentences: [{ without: 'falls' }],
      again: null,
    })
    expect(runs()).toBe(before)
  })

  it('refuses a document that is not there, and says on the terminal what falls', async () => {
    const { quaero, runId } = await answered()
    await expect(quaero.replayWithout(runId, 'nowhere.md')).rejects.toMatchObject({ code: 'document_not_found' })
    await expect(quaero.replayWithout('nobody', 'tides.md')).rejects.toMatchObject({ code: 'run_not_found' })
    const output = capturedOutput()
    await runWith(runsReplay, quaero, typedInput(), output, { runId, without: 'harbour.md' })
    expect(output.out()).toMatch(
      /^Fall with the document \(\d of \d sentences\):\n {2}The harbour of Lisfeld has 14 cranes\. \(one source\)/,
    )
    expect(output.out()).toContain('Without it the answer is:\n  Lisfeld has 14 cranes in its harbour')
  })
})
