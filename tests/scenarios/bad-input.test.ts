import { statSync } from 'node:fs'
import { chmod, copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { createQuaero, loadConfig } from '../../src/index.ts'
import { type CommandOptions, quaero } from '../fixtures/command-line.ts'
import { isOnPostgres } from '../fixtures/storage/chosen-storage.ts'
import { libraryFolder, papers, temporaryFolder } from '../fixtures/workflow.ts'

const good = 'How many pages does the Marble corpus hold?'
const noStackTrace = /^\s+at .+:\d+|node:internal|file:\/\//m

/** A folder with a library, a thread and papers on disk; nothing that goes wrong in it may change the thread. */
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quaero-'))
  await mkdir(join(folder, 'empty'))
  await mkdir(join(folder, 'papers'))
  await mkdir(join(folder, 'broken'))
  for (const [name, text] of Object.entries(papers)) await writeFile(join(folder, 'papers', name), text)
  for (const place of ['papers', 'broken']) await writeFile(join(folder, place, 'torn.pdf'), 'This is no PDF.')
  await writeFile(join(folder, 'broken', 'nothing.pdf'), '')
  await writeFile(join(folder, 'colour.yaml'), 'limits: { colour: blue }\n')
  await writeFile(join(folder, 'wrong.yaml'), 'limits: { modelCalls: many }\n')
  await writeFile(join(folder, 'torn.yaml'), 'limits: [')
  const asked = await quaero(['ask', good, '-d', 'papers', '-t', 'before', '-q'], { cwd: folder })
  expect(asked.code).toBe(0)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a command that cannot be carried out says what is wrong, where, and what to do', () => {
  it.each<[what: string, words: string[], exit: number, code: string, sentence: RegExp]>([
    ['a folder that is missing', ['ask', 'Why?', '-d', 'nowhere'], 2, 'path_not_found', /"nowhere".+Check the path/],
    ['a folder that is missing', ['add', 'nowhere'], 2, 'path_not_found', /"nowhere".+Check the path/],
    ['an empty folder', ['ask', 'Why?', '-d', 'empty'], 2, 'no_documents', /read from empty\. PDF.+quaero add/],
    ['a folder of broken files', ['ask', 'Why?', '-d', 'broken'], 2, 'no_documents', /read from broken\. .+quaero add/],
    ['an unknown thread', ['threads', 'show', 'nobody'], 1, 'thread_not_found', /"nobody".+quaero threads list/],
    ['an unknown run', ['runs', 'show', 'nothing'], 1, 'run_not_found', /"nothing".+quaero runs list/],
    ['an unknown run', ['runs', 'events', 'nothing'], 1, 'run_not_found', /"nothing".+quaero runs list/],
    ['an unknown run', ['runs', 'resume', 'nothing'], 1, 'run_not_found', /"nothing".+quaero runs list/],
    ['an unknown run', ['runs', 'replay', 'nothing'], 1, 'run_not_found', /"nothing".+quaero runs list/],
    ['a log that is missing', ['runs', 'import', 'nowhere.jsonl'], 2, 'path_not_found', /nowhere\.jsonl.+runs export/],
    ['a log that is none', ['runs', 'import', 'torn.yaml'], 2, 'import_invalid', /Line 1 is not an event/],
    ['a turn that is not there', ['threads', 'fork', 'before', '--at', '9'], 2, 'usage', /turns 1 to 1.+not 9/],
    ['an unknown document', ['library', 'text', 'nothing'], 1, 'document_not_found', /"nothing".+quaero library list/],
    ['a thread id with a space', ['ask', good, '-t', 'a b'], 2, 'invalid_id', /"a b" cannot be a thread id\. Use/],
    ['a thread id with a path', ['threads', 'show', '../a'], 2, 'invalid_id', /"\.\.\/a" cannot be a thread id\. Use/],
    ['a run id with a space', ['runs', 'show', 'a b'], 2, 'invalid_id', /"a b" cannot be a run id\. Use/],
    ['an empty thread id', ['ask', good, '-t', ''], 2, 'invalid_id', /cannot be a thread id\. Use/],
    ['two threads', ['ask', good, '-t', 'a', '-c'], 2, 'usage', /Use either --thread or --continue/],
    ['an empty question', ['ask', ''], 2, 'usage', /question is empty.+quaero ask "/],
    ['a question of blanks', ['ask', ' \n\t '], 2, 'usage', /question is empty.+quaero ask "/],
    ['an empty search', ['search', ''], 2, 'usage', /search is empty: give at least one word/],
    ['an unknown setting', ['ask', good, '--config', 'colour.yaml'], 78, 'config_invalid', /colour\.yaml.+"colour"/s],
    ['a wrong setting', ['ask', good, '--config', 'wrong.yaml'], 78, 'config_invalid', /wrong\.yaml.+modelCalls/s],
    ['no YAML', ['config', 'show', '--config', 'torn.yaml'], 78, 'config_invalid', /torn\.yaml.+line 1/s],
    ['no such settings', ['ask', good, '--config', 'none.yaml'], 78, 'config_invalid', /none\.yaml.+--config/],
    ['an unknown model', ['ask', good, '-m', 'gpt-5'], 78, 'config_invalid', /"gpt-5".+Did you mean "openai:gpt-5"/],
    ['no key', ['ask', good, '-m', 'openai:gpt-5'], 78, 'config_invalid', /needs a key: set OPENAI_API_KEY/],
    ['an unknown option', ['ask', good, '--colour'], 2, 'usage', /unknown option '--colour'/],
    ['an unknown command', ['answer', good], 2, 'usage', /unknown command 'answer'/],
    ['a missing argument', ['threads', 'show'], 2, 'usage', /missing required argument 'threadId'/],
    ['a wrong number', ['ask', good, '--max-steps', '-1'], 2, 'usage', /--max-steps.+whole number above 0/],
  ])('%s: %j', async (_, words, exit, code, sentence) => {
    await refuses(words, { cwd: folder }, { exit, code, sentence })
  })

  it.each([
    ['a command that the engine refuses', ['threads', 'show', 'nobody'], 1],
    ['settings that cannot be read', ['ask', good, '--config', 'torn.yaml'], 78],
    ['a wrong use', ['ask', good, '--colour'], 2],
  ])('and keeps stdout empty without --json: %s', async (_, words, exit) => {
    const { code, out, err } = await quaero(words, { cwd: folder })
    expect([code, out]).toEqual([exit, ''])
    expect(err).toMatch(/^(quaero|error): \w/)
    expect(err).not.toMatch(noStackTrace)
  })

  it('a library that is empty', async () => {
    const refusal = { exit: 2, code: 'no_documents', sentence: /library is empty.+quaero add <path>.+-d <path>/ }
    await refuses(['ask', 'Why?'], { cwd: await temporaryFolder() }, refusal)
  })

  it('a question of 1 MB on stdin', async () => {
    const stdin = 'why '.repeat(2 ** 18)
    const refusal = { exit: 2, code: 'usage', sentence: /1,048,575 characters; at most 20,000.+as a document/ }
    await refuses(['ask', '-'], { cwd: folder, stdin }, refusal)
  })

  it('a question of 8 MB on stdin', async () => {
    const stdin = 'why '.repeat(2 ** 21)
    await refuses(['ask'], { cwd: folder, stdin }, { exit: 2, code: 'usage', sentence: /too long.+as a document/ })
  })

  it('a question of 1 MB in this process', async () => {
    const engine = await createQuaero({ config: loadConfig({ env: {} }), dataDir: folder })
    try {
      await expect(engine.ask('why '.repeat(2 ** 18))).rejects.toMatchObject({ code: 'usage' })
    } finally {
      await engine.close()
    }
  })

  it('and afterwards nothing is lost: one thread, one run, and the next question is answered', async () => {
    const where = { cwd: folder }
    const [threads, runs] = await Promise.all([
      quaero(['threads', 'list', '--json'], where),
      quaero(['runs', 'list', '--json'], where),
    ])
    expect(JSON.parse(threads.out)).toMatchObject({ threads: [{ threadId: 'before', turns: 1, title: good }] })
    expect(JSON.parse(runs.out)).toMatchObject({ runs: [{ threadId: 'before', status: 'completed' }] })
    const asked = await quaero(['ask', good, '-c'], where)
    expect([asked.code, asked.out]).toEqual([0, expect.stringContaining('81.1 million pages')])
  })
})

/** The file of SQLite; postgres.test.ts has the failures of a database. */
describe.skipIf(isOnPostgres())('a data directory that cannot be used', () => {
  it.each([
    ['is a file', 'storage_unavailable', /notes\.txt.+file, not a folder.+--data-dir/, asFile],
    ['lies below a file', 'storage_unavailable', /notes\.txt.+file, not a folder.+--data-dir/, belowFile],
    ['holds no database', 'storage_unavailable', /quaero\.db is not a database.+--data-dir/, withOtherFile],
    ['is of a newer version', 'schema_unsupported', /schema version 999.+Update Quaero/, withNewerSchema],
  ])('%s', { tags: ['F61'] }, async (_, code, sentence, make) => {
    const place = await make(await temporaryFolder())
    const words = ['threads', 'list', '--data-dir', place]
    await refuses(words, { cwd: folder }, { exit: 1, code, sentence })
    const checked = await quaero(['doctor', '--data-dir', place, '--json'], { cwd: folder })
    expect(checked.code).toBe(1)
    const { checks } = jsonOutputs.doctor.parse(JSON.parse(checked.out))
    expect(checks.find(({ name }) => name === 'storage')?.message).toMatch(sentence)
  })

  it.skipIf(!othersMayRun())('may only be read', { tags: ['F61'] }, async () => {
    const place = await libraryFolder()
    await chmod(join(place, 'quaero.db'), 0o444)
    await chmod(place, 0o555)
    const refusal = { exit: 1, code: 'storage_unavailable', sentence: /quaero\.db is read-only.+--data-dir/ }
    await refuses(['ask', good, '--data-dir', place], { cwd: '/', ...withoutPrivileges() }, refusal)
    await chmod(place, 0o755)
  })

  async function asFile(place: string): Promise<string> {
    const path = join(place, 'notes.txt')
    await writeFile(path, 'Notes.')
    return path
  }

  async function belowFile(place: string): Promise<string> {
    return join(await asFile(place), 'library')
  }

  async function withOtherFile(place: string): Promise<string> {
    await writeFile(join(place, 'quaero.db'), 'Notes, and more than fit into the header of a database. '.repeat(9))
    return place
  }

  async function withNewerSchema(place: string): Promise<string> {
    const path = join(place, 'quaero.db')
    await copyFile(join(await libraryFolder(), 'quaero.db'), path)
    const database = new Database(path)
    database.pragma('user_version = 999')
    database.close()
    return place
  }
})

describe('files that cannot be read', () => {
  it('do not stop the others, and make "add" exit with 1 unless errors are allowed', { tags: ['R29'] }, async () => {
    const cwd = await temporaryFolder()
    await cp(join(folder, 'papers'), join(cwd, 'papers'), { recursive: true })
    const added = await quaero(['add', 'papers', '--json'], { cwd })
    expect(added.code).toBe(1)
    expect(added.err).toMatch(/torn\.pdf could not be read: .+is no PDF\. Fetch the file again/)
    const { documents, totals } = jsonOutputs.add.parse(JSON.parse(added.out))
    expect(totals).toMatchObject({ added: 2, failed: 1 })
    expect(documents.find(({ path }) => path.endsWith('torn.pdf'))).toMatchObject({
      status: 'failed',
      error: { code: 'not_a_pdf' },
    })
    expect((await quaero(['add', 'papers', '--allow-errors'], { cwd })).code).toBe(0)
    const asked = await quaero(['ask', good, '-d', 'papers'], { cwd })
    expect([asked.code, asked.out]).toEqual([0, expect.stringContaining('81.1 million pages')])
    expect(asked.err).toContain('torn.pdf could not be read')
  })

  it('are none where the only one is of a kind that is not read, which fails', { tags: ['R29'] }, async () => {
    await writeFile(join(folder, 'a.xyz'), 'x')
    const { code, out } = await quaero(['add', 'a.xyz'], { cwd: folder })
    expect([code, out]).toEqual([1, 'Nothing to add: no files of a type that is read.\n'])
    expect((await quaero(['add', 'a.xyz', '--allow-errors'], { cwd: folder })).code).toBe(0)
  })
})

describe('a strange question is still a question', { tags: ['S9'] }, () => {
  it('of emoji alone is asked back about', async () => {
    const { code, out } = await quaero(['ask', '🎉🎉', '--json'], { cwd: await libraryFolder() })
    expect(code).toBe(0)
    expect(jsonOutputs.ask.parse(JSON.parse(out))).toMatchObject({ status: 'clarification_needed', question: '🎉🎉' })
  })

  it.each(['"NEAR(" AND OR *', "pages' OR 1=1; DROP TABLE runs; --", 'NOT ^ : {marble} -'])(
    'in the words of a search engine is searched for as words: %s',
    async (question) => {
      const cwd = await libraryFolder()
      const { code, out } = await quaero(['ask', question, '--json'], { cwd })
      expect(code).toBe(0)
      const result = jsonOutputs.ask.parse(JSON.parse(out))
      expect(result.error).toBeNull()
      expect(['completed', 'clarification_needed']).toContain(result.status)
      expect((await quaero(['search', question], { cwd })).code).toBe(0)
    },
  )
})

interface Refusal {
  readonly exit: number
  readonly code: string
  readonly sentence: RegExp
}

/** A sentence on stderr, the same in an object on stdout, and a stack trace nowhere. */
async function refuses(words: readonly string[], options: CommandOptions, refusal: Refusal): Promise<void> {
  const { code, out, err } = await quaero([...words, '--json'], options)
  expect([code, err]).toEqual([refusal.exit, expect.stringMatching(refusal.sentence)])
  expect(err).not.toMatch(noStackTrace)
  const { error } = jsonOutputs.error.parse(JSON.parse(out))
  expect(error).toEqual({ code: refusal.code, message: expect.stringMatching(refusal.sentence) })
}

/** To the superuser nothing is read-only; another user must then be able to reach this checkout to run the command. */
function othersMayRun(): boolean {
  if (process.geteuid?.() !== 0) return true
  const folders = (path: string): string[] => (dirname(path) === path ? [path] : [path, ...folders(dirname(path))])
  return folders(process.cwd()).every((path) => (statSync(path).mode & 0o001) !== 0)
}

/** Permissions do not bind the superuser, so a superuser starts the command as somebody else. */
function withoutPrivileges(): Pick<CommandOptions, 'uid'> {
  return process.geteuid?.() === 0 ? { uid: 65_534 } : {}
}
