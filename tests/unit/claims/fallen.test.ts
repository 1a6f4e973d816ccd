import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../../scripts/json-outputs.ts'
import { add } from '../../../src/cli/commands/add.ts'
import { claimsCheck } from '../../../src/cli/commands/claims.ts'
import { libraryRemove } from '../../../src/cli/commands/library.ts'
import { threadsShow } from '../../../src/cli/commands/threads.ts'
import type { StreamEvent } from '../../../src/index.ts'
import { folderOf, openQuaero, papers } from '../../fixtures/workflow.ts'
import { capturedOutput, runWith, typedInput } from '../cli/captured-terminal.ts'

const question = 'How many pages does the Marble corpus hold?'
const changed = papers['marble.md'].replace('81.1', '81.7')

/** An answer that quotes a paper, what the engine has told since, and a way to change the paper. */
async function answered() {
  const folder = await folderOf()
  const told: StreamEvent[] = []
  const subscribers = [(event: StreamEvent) => void (event.type === 'claim.fallen' && told.push(event))]
  const quaero = await openQuaero({ model: 'extractive', documents: [folder], subscribers })
  await quaero.ask(question, { threadId: 't' })
  const become = (text: string | null, name = 'marble.md') => {
    const path = join(folder, name)
    if (text === null) rmSync(path)
    else writeFileSync(path, text)
    return path
  }
  const printed = async (
    command: Parameters<typeof runWith>[0],
    flags: Readonly<Record<string, unknown>>,
  ): Promise<string> => {
    const output = capturedOutput()
    await runWith(command, quaero, typedInput(), output, flags)
    return output.out()
  }
  return { folder, told, quaero, become, printed }
}

const fallenSentence = {
  claim: { threadId: 't', question, text: expect.stringContaining('81.1 million pages') },
  quotes: [{ stands: false, change: 'document changed', now: { text: expect.stringContaining('81.7 million pages') } }],
}

describe('a document that is added again', { tags: ['Q20'] }, () => {
  it('lets the sentences fall whose words it no longer has: the report and an event tell the nearest words of now', async () => {
    const { quaero, become, told } = await answered()
    const [before] = (await quaero.claims.list()).flatMap(({ quotes }) => quotes)
    const report = await quaero.library.add([become(changed)])
    expect(report.documents).toMatchObject([{ status: 'updated', replaces: before?.documentId }])
    expect(report.fallen?.[0]).toMatchObject(fallenSentence)
    expect(told.map(({ payload }) => payload)).toEqual(report.fallen)
    expect(told.every(({ threadId, runId }) => threadId === null && runId.startsWith('engine-'))).toBe(true)
  })

  it('tells nothing where the words have moved, where nobody quotes it, and where it is the same', async () => {
    const { quaero, become, told } = await answered()
    const moved = await quaero.library.add([become(`# First\n\nA new part.\n\n${papers['marble.md']}`)])
    expect(moved).toMatchObject({ totals: { updated: 1 } })
    const unquoted = await quaero.library.add([become(papers['halden.md'].replace('15.2', '15.9'), 'halden.md')])
    const again = await quaero.library.add([become(papers['halden.md'].replace('15.2', '15.9'), 'halden.md')])
    for (const report of [moved, unquoted, again]) expect(report).not.toHaveProperty('fallen')
    expect(told).toEqual([])
  })

  it('tells a sentence once, when its words go', async () => {
    const { quaero, become, told } = await answered()
    await quaero.library.add([become(changed)])
    const { length } = told
    await quaero.library.add([become(`${changed}\nMore.\n`)])
    expect(told).toHaveLength(length)
  })
})

describe('a sentence that several answers have', { tags: ['Q20'] }, () => {
  it('is told once, with how many have it; of a cell only the one that it shows', async () => {
    const { quaero, become, told, printed } = await answered()
    const before = await quaero.claims.list()
    await quaero.ask(question, { threadId: 'again' })
    const table = await quaero.table({ columns: [question, 'How many pages are there?'] }).result()
    const shown = (await quaero.claims.list()).filter(({ threadId }) => threadId.startsWith('quaero-cell-'))
    const cells = table.rows.flatMap((row) => row.cells).filter(({ value }) => value !== null)
    expect(shown.map(({ text }) => text).sort()).toEqual(cells.map(({ text }) => text).sort())
    const answers = await Promise.all(cells.map(({ runId }) => quaero.runs.show(runId ?? '')))
    expect(answers.every(({ sentences }) => sentences.length > 1)).toBe(true)
    const { fallen = [] } = await quaero.library.add([become(changed)])
    const texts = fallen.map(({ claim }) => claim.text)
    expect([...texts].sort()).toEqual([...new Set(texts)].sort())
    expect(texts.length).toBeLessThanOrEqual(before.length)
    expect(fallen[0]).toMatchObject({ ...fallenSentence, answers: 4 })
    expect(told).toHaveLength(fallen.length)
    const check = await printed(claimsCheck, {})
    expect(check).toMatch(new RegExp(`^${fallen.length} sentences? you relied on no longer`))
    expect(check.match(/81\.1 million pages.* \(in 4 answers\)/g)).toHaveLength(1)
  })
})

describe('a document that is removed', { tags: ['Q20'] }, () => {
  it.each(['by its id', 'with its file'])('lets the sentences fall that quote it, %s', async (how) => {
    const { quaero, become, folder, told } = await answered()
    const [quote] = (await quaero.claims.list()).flatMap(({ quotes }) => quotes)
    if (how === 'with its file') become(null)
    const fallen =
      how === 'by its id'
        ? await quaero.library.remove(quote?.documentId ?? '')
        : (await quaero.library.add([folder], { sync: true })).fallen
    expect(fallen?.[0]?.quotes).toMatchObject([{ stands: false, change: 'document gone', now: null }])
    expect(told).toHaveLength(fallen?.length ?? 0)
  })
})

describe('the command line', () => {
  it('prints what no longer stands when a document is added or removed, and in the thread at its answer', async () => {
    const { quaero, become, printed } = await answered()
    const path = become(changed)
    expect(await printed(threadsShow, { threadId: 't' })).not.toContain('no longer')
    const added = await printed(add, { paths: [path] })
    expect(added).toMatch(/sentences? you relied on no longer stands?:/)
    expect(added).toMatch(/was: .*81\.1 million pages[\s\S]*now: .*81\.7 million pages/)
    expect(await printed(threadsShow, { threadId: 't' })).toContain('81.7 million pages')
    const shown = JSON.parse(await printed(threadsShow, { threadId: 't', json: true }))
    expect(jsonOutputs['threads-show'].parse(shown).fallen?.[0]).toMatchObject(fallenSentence)
    const marble = (await quaero.library.list()).find(({ source }) => source === path)
    await quaero.ask(question, { threadId: 'again', documents: [path] })
    expect(await printed(libraryRemove, { documentId: marble?.documentId })).toContain('the document is not there')
  })

  it('has them in --json', async () => {
    const { become, printed } = await answered()
    const report = JSON.parse(await printed(add, { paths: [become(changed)], json: true }))
    expect(jsonOutputs.add.parse(report).fallen?.[0]).toMatchObject(fallenSentence)
    const documentId = report.documents[0].documentId
    expect(JSON.parse(await printed(libraryRemove, { documentId, json: true }))).toEqual({ documentId, fallen: [] })
  })

  it('has those that fall with a document in --json of its removal', async () => {
    const { quaero, printed } = await answered()
    const documentId = (await quaero.library.list())[0]?.documentId ?? ''
    const [quote] = (await quaero.claims.list()).flatMap(({ quotes }) => quotes)
    expect(quote).toBeDefined()
    const removed = JSON.parse(
      await printed(libraryRemove, { documentId: quote?.documentId ?? documentId, json: true }),
    )
    expect(jsonOutputs['library-remove'].parse(removed).fallen[0]?.quotes).toMatchObject([{ change: 'document gone' }])
  })
})
