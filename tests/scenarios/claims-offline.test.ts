import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { papers } from '../fixtures/workflow.ts'

const main = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js')
/** A process in such a namespace has no network at all, not even a loopback that is up. */
const alone = ['--net', '--map-root-user']
const { error, status, stderr } = spawnSync('unshare', [...alone, 'true'], { encoding: 'utf8' })
const missing = error?.message ?? (status === 0 ? null : stderr.trim())
if (missing !== null) console.warn(`Tables, digests and proofs without a network are not tested. unshare: ${missing}`)

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quaero-alone-'))
  mkdirSync(join(folder, 'papers'))
  for (const [name, text] of Object.entries(papers)) writeFileSync(join(folder, 'papers', name), text)
  writeFileSync(
    join(folder, 'questions.txt'),
    'How many pages does the corpus hold? [number]\nHow many pages did the filter remove?\n',
  )
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The command in a place of its own, without network, model and key. */
function quaero(words: readonly string[], place = folder) {
  const command = [...alone, process.execPath, main, ...words, '--quiet']
  const env = { PATH: process.env.PATH, HOME: place, QUAERO_DATA_DIR: join(place, 'data') }
  const { status: code, stdout, stderr: err } = spawnSync('unshare', command, { cwd: place, env, encoding: 'utf8' })
  return { code, out: stdout, err }
}

describe.skipIf(missing !== null)('without a network, a model and a key', { tags: ['Q19'], timeout: 120_000 }, () => {
  it('a table is filled with quotes, and proved where only its documents are', () => {
    const made = quaero(['table', 'questions.txt', '-d', 'papers', '-o', 'table.xlsx', '--json'])
    expect(made).toMatchObject({ code: 0, err: '' })
    const { rows } = JSON.parse(made.out)
    expect(JSON.stringify(rows)).toContain('81.1 million pages')
    const there = join(folder, 'elsewhere')
    mkdirSync(there)
    cpSync(join(folder, 'papers'), join(there, 'sources'), { recursive: true })
    cpSync(join(folder, 'table.xlsx'), join(there, 'table.xlsx'))
    expect(quaero(['verify', 'table.xlsx', '-d', 'sources'], there)).toMatchObject({ code: 0, err: '' })
    const marble = readFileSync(join(there, 'sources', 'marble.md'), 'utf8')
    writeFileSync(join(there, 'sources', 'marble.md'), marble.replace('81.1', '81.7'))
    const changed = quaero(['verify', 'table.xlsx', '-d', 'sources'], there)
    expect(changed.code).toBe(1)
    expect(changed.out).toContain('81.7 million pages')
  })

  it('a report is a digest of quotes, called so, and proved', () => {
    const outline = '# Corpora\n\n## Size\n- How many pages does the Marble corpus hold?\n'
    writeFileSync(join(folder, 'outline.md'), outline)
    const made = quaero([
      'report',
      'Corpora?',
      '--outline',
      'outline.md',
      '-d',
      'papers',
      '-o',
      'digest.docx',
      '--json',
    ])
    expect(made).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(made.out)).toMatchObject({ kind: 'digest', sections: [{ heading: 'Size' }] })
    expect(quaero(['verify', 'digest.docx', '-d', 'papers'])).toMatchObject({ code: 0, err: '' })
  })
})
