import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../../scripts/json-outputs.ts'
import { libraryList, libraryTag } from '../../../src/cli/commands/library.ts'
import { report as reportCommand } from '../../../src/cli/commands/report.ts'
import { ConfigInvalid, DocumentNotFound, NothingMatches, UsageError } from '../../../src/errors.ts'
import { type Quaero, reportFile, tableFile } from '../../../src/index.ts'
import { openQuaero, temporaryFolder } from '../../fixtures/workflow.ts'
import { capturedOutput, runWith, typedInput } from '../cli/captured-terminal.ts'

const rules = { 'reports/**': ['Finance'], '**/*10-K*': ['kind:10-K'] }

/** Two reports and a note. */
async function opened() {
  const folder = await temporaryFolder()
  mkdirSync(join(folder, 'reports'))
  writeFileSync(join(folder, 'reports', 'acme-10-K.md'), '# Acme\n\nAcme sold 312 pumps in 2021.')
  writeFileSync(join(folder, 'reports', 'borea.md'), '# Borea\n\nBorea sold 77 pumps in 2021.')
  writeFileSync(join(folder, 'note.md'), '# Note\n\nCarex sold 5 pumps in 2021.')
  const settings = { library: { tags: rules } }
  const quaero = await openQuaero({ model: 'extractive', settings, dataDir: ':memory:' })
  await quaero.library.add([folder])
  const tagsOf = async () => Object.fromEntries((await quaero.library.list()).map(({ title, tags }) => [title, tags]))
  return { quaero, folder, tagsOf }
}

async function run(command: typeof libraryTag | typeof libraryList, quaero: Quaero, flags: object) {
  const output = capturedOutput()
  await runWith(command as typeof libraryTag, quaero, typedInput(), output, { documents: '', tags: [], ...flags })
  return output
}

describe('tags of documents', () => {
  it('are given by rule, as files are added, to those that are there already too', async () => {
    const { quaero, folder, tagsOf } = await opened()
    expect(await tagsOf()).toEqual({ Acme: ['finance', 'kind:10-k'], Borea: ['finance'], Note: [] })
    await quaero.library.add([join(folder, 'note.md')], { tags: ['Old Stock'] })
    expect((await tagsOf()).Note).toEqual(['old stock'])
    await expect(quaero.library.add([folder], { tags: ['-x'] })).rejects.toThrow(UsageError)
    const settings = { library: { tags: { '**': ['!'] } } }
    await expect(openQuaero({ model: 'extractive', settings })).rejects.toThrow(ConfigInvalid)
  })

  it('are given to a document, a folder, or those that a filter means, and taken', async () => {
    const { quaero, folder, tagsOf } = await opened()
    const { library } = quaero
    await library.tag('note.md', { add: ['draft'] })
    await library.tag(join(folder, 'reports'), { add: ['2021'], remove: ['finance'] })
    await library.tag('not tag=2021 or kind=10-K', { add: ['chosen'] })
    expect(await tagsOf()).toEqual({
      Acme: ['2021', 'chosen', 'kind:10-k'],
      Borea: ['2021'],
      Note: ['chosen', 'draft'],
    })
    await expect(library.tag('nowhere', { add: ['x'] })).rejects.toThrow(DocumentNotFound)
    await expect(library.tag('year=1999', { add: ['x'] })).rejects.toThrow(NothingMatches)
    await expect(library.tag('note.md', { add: ['x', ''] })).rejects.toThrow(UsageError)
    await expect(library.tag('', { add: ['x'] })).rejects.toThrow(DocumentNotFound)
  })

  it('are given and listed on the command line', async () => {
    const { quaero } = await opened()
    const tagged = await run(libraryTag, quaero, {
      documents: 'tag=finance',
      tags: ['pumps'],
      remove: ['finance'],
      json: true,
    })
    const { documents } = jsonOutputs['library-tag'].parse(JSON.parse(tagged.out()))
    expect(documents.map(({ tags }) => tags)).toEqual([['kind:10-k', 'pumps'], ['pumps']])
    expect((await run(libraryList, quaero, { where: 'kind=10-K' })).out()).toMatch(/kind:10-k, pumps +Acme/)
    expect((await run(libraryList, quaero, { tag: ['none'] })).err()).toContain('The filter means no document')
    await expect(run(libraryTag, quaero, { documents: 'note.md' })).rejects.toThrow('Name tags to give')
  })
})

describe('a question with a filter', () => {
  const question = 'How many pumps did Borea sell in 2021?'

  it('searches what the filter means, says so, and so does its follow-up', async () => {
    const { quaero } = await opened()
    const [asked, all] = [
      await quaero.ask(question, { where: 'not kind=10-K', tags: ['finance'] }),
      await quaero.ask(question),
    ]
    expect(asked).toMatchObject({
      limitedTo: { documents: 1, filter: 'tag=finance and (not kind=10-K)' },
      abstained: false,
    })
    expect(all.limitedTo).toBeNull()
    const { threadId } = asked
    // What comes later is not what the question meant.
    await quaero.library.tag('note.md', { add: ['finance'] })
    expect((await quaero.ask('And Carex?', { threadId })).limitedTo).toEqual(asked.limitedTo)
    expect((await quaero.ask(question, { threadId, tags: ['finance'] })).limitedTo).toMatchObject({ documents: 3 })
    expect((await quaero.ask(question, { threadId, where: '' })).limitedTo).toBeNull()
    expect(await quaero.replay(asked.runId)).toMatchObject({ limitedTo: asked.limitedTo })
  })

  it('is limited among the documents that are named, and never to those that are excepted', async () => {
    const { quaero } = await opened()
    const [acme = '', borea = '', note = ''] = (await quaero.library.list()).map(({ documentId }) => documentId)
    const named = await quaero.ask(question, { documentIds: [acme, note], where: 'tag=finance' })
    expect(named).toMatchObject({ limitedTo: { documents: 1 }, citations: [] })
    const without = await quaero.ask(question, { except: [borea] })
    expect(without.citations.map(({ documentId }) => documentId)).not.toContain(borea)
    expect(without.limitedTo).toBeNull()
    const following = await quaero.ask(question, { threadId: without.threadId })
    expect(following.citations.map(({ documentId }) => documentId)).toContain(borea)
    await expect(quaero.ask(question, { documentIds: [borea], except: [borea] })).rejects.toThrow(DocumentNotFound)
  })

  it('is refused where the filter means nothing or cannot be read; nothing is stored', async () => {
    const { quaero } = await opened()
    await expect(quaero.ask(question, { where: 'year=1999' })).rejects.toThrow(NothingMatches)
    await expect(quaero.ask(question, { tags: ['none'] })).rejects.toThrow('means none of 3 documents: tag=none')
    await expect(quaero.ask(question, { where: 'year=' })).rejects.toThrow('at character 6')
    expect(await quaero.runs.list()).toEqual([])
  })

  it('limits searches, tables and audits in the same way', async () => {
    const { quaero } = await opened()
    const hits = await quaero.library.search('pumps', { where: 'kind=10-K' })
    expect(hits.map(({ title }) => title)).toEqual(['Acme'])
    await expect(quaero.library.search('pumps', { tags: ['none'] })).rejects.toThrow(NothingMatches)
    const plan = await quaero.table({ columns: ['How many pumps?'], tags: ['finance'] }).plan()
    expect(plan.documents.map(({ title }) => title)).toEqual(['Acme', 'Borea'])
    const text = 'Carex sold 5 pumps in 2021.'
    expect((await quaero.audit({ text })).counts).toMatchObject({ supported: 1 })
    expect((await quaero.audit({ text, where: 'tag=finance' })).counts).toMatchObject({ supported: 0 })
  })

  it('is told in tables, reports and audits, as JSON, in words and in their files', async () => {
    const { quaero } = await opened()
    const limit = { tags: ['finance'], where: 'file~ac' }
    const limitedTo = { documents: 1, filter: 'tag=finance and (file~ac)' }
    const table = await quaero.table({ columns: ['How many pumps?'], ...limit }).result()
    const report = await quaero.writeReport({ question: 'How many pumps?', ...limit }).result()
    const audit = await quaero.audit({ text: 'Carex sold 5 pumps in 2021.', ...limit })
    expect([table, report, audit].map((each) => each.limitedTo)).toEqual([limitedTo, limitedTo, limitedTo])
    expect(await tableFile(table, 'md')).toMatch(/^Limited to 1 document: tag=finance and \(file\\~ac\)\n\n\|/)
    expect(await tableFile(table, 'html')).toContain('<p>Limited to 1 document: tag=finance and (file~ac)</p>')
    expect(await reportFile(report, 'md')).toContain(
      '1 document was searched, those that fit tag=finance and (file\\~ac).',
    )
    const { documents } = await quaero.table({ columns: ['How many pumps?'] }).plan()
    const named = { documentIds: documents.slice(1).map(({ documentId }) => documentId) }
    expect((await quaero.table({ columns: ['How many?'], ...named }).plan()).limitedTo).toEqual({
      documents: 2,
      filter: null,
    })
    expect((await quaero.audit({ text: 'Carex sold 5 pumps.' })).limitedTo).toBeNull()
    const output = capturedOutput()
    const flags = { question: 'How many pumps?', tag: ['finance'], where: undefined }
    await runWith(reportCommand, quaero, typedInput(), output, flags)
    expect(output.err()).toContain('Limited to 2 documents: tag=finance')
  })
})

describe('a library without some documents', () => {
  it('has none of them, however they are named or searched for', async () => {
    const { quaero } = await opened()
    const [acme = '', borea = ''] = (await quaero.library.list()).map(({ documentId }) => documentId)
    const part = quaero.library.without([borea])
    expect((await part.list({ offset: 1, limit: 1 })).map(({ title }) => title)).toEqual(['Note'])
    expect((await part.search('pumps Borea')).map(({ title }) => title)).not.toContain('Borea')
    expect(await part.text(acme, 1)).toMatchObject({ text: expect.stringContaining('312') })
    for (const hidden of [borea, borea.slice(0, 6), 'borea.md']) {
      await expect(part.text(hidden, 1)).rejects.toThrow(DocumentNotFound)
      await expect(part.show(hidden)).rejects.toThrow(DocumentNotFound)
      await expect(part.files(hidden)).rejects.toThrow(DocumentNotFound)
      await expect(part.search('pumps', { documents: [hidden] })).rejects.toThrow(DocumentNotFound)
    }
    await expect(part.passages(`${borea}.0`)).rejects.toThrow(DocumentNotFound)
  })
})
