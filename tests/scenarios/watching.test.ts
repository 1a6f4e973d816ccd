import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { quaero, startQuaero } from '../fixtures/command-line.ts'
import { setUpPages } from '../fixtures/page-tests.ts'
import { startServer } from '../fixtures/served-command.ts'
import { browserPath, openPage } from '../fixtures/stage.ts'
import { temporaryFolder } from '../fixtures/workflow.ts'

const pages = setUpPages('the note of folders that are kept current is not looked at.')

/** A folder to work in, with papers in it. */
async function folderWithPapers() {
  const cwd = await temporaryFolder()
  mkdirSync(join(cwd, 'papers'))
  const write = (name: string) => writeFileSync(join(cwd, 'papers', name), `# On ${name}\n\nThe ${name} is large.\n`)
  write('lakes.md')
  return { cwd, write }
}

describe('two processes that keep the same folder current', { timeout: 120_000 }, () => {
  it('double nothing, and one goes on where the other is killed', async () => {
    const { cwd, write } = await folderWithPapers()
    const start = () => startQuaero(['add', 'papers', '--watch', '--json', '--quiet'], { cwd })
    const [one, other] = [start(), start()]
    await Promise.race([one.prints('lakes.md'), other.prints('lakes.md')])
    write('ponds.md')
    await Promise.race([one.prints('ponds.md'), other.prints('ponds.md')])
    one.child.kill('SIGKILL')
    write('rivers.md')
    await other.prints('rivers.md')
    other.child.kill('SIGINT')
    const [killed, stopped] = await Promise.all([one.ended, other.ended])
    expect(stopped.code).toBe(0)
    const lines = `${killed.out}${stopped.out}`.trim().split('\n')
    const told = lines.flatMap((line) => jsonOutputs['add.watch-line'].parse(JSON.parse(line)).documents)
    expect(told.map(({ path, status }) => `${path} ${status}`).toSorted()).toEqual([
      join('papers', 'lakes.md added'),
      join('papers', 'ponds.md added'),
      join('papers', 'rivers.md added'),
    ])
    expect(JSON.parse((await quaero(['library', 'list', '--json'], { cwd })).out).documents).toHaveLength(3)
  })
})

describe('quaero serve --watch', { timeout: 120_000 }, () => {
  it('ends with what is wrong where the folder is not there', async () => {
    const { cwd } = await folderWithPapers()
    const { code, err } = await startQuaero(['serve', 'nowhere', '--watch', '--port', '0'], { cwd }).ended
    expect(err).toContain('"nowhere" does not exist')
    expect(code).toBe(2)
  })

  it.skipIf(!browserPath)('is noted on the page, which shows new documents by itself', async () => {
    const { cwd, write } = await folderWithPapers()
    const server = await startServer({ cwd }, '--watch')
    const { page, complaints, context } = await openPage(pages.browser(), server.url, {})
    try {
      await page.getByRole('button', { name: 'Documents' }).click()
      await page.getByText('is kept current. Last change:').waitFor()
      write('ponds.md')
      await page.getByText('On ponds.md').waitFor()
      if (process.env.QUAERO_PICTURES) await page.screenshot({ path: join(process.env.QUAERO_PICTURES, 'watched.png') })
      renameSync(join(cwd, 'papers'), join(await temporaryFolder(), 'away'))
      await page.getByText(/: There are no files in "[^".]+"\. Its documents are kept\./).waitFor()
      if (process.env.QUAERO_PICTURES) await page.screenshot({ path: join(process.env.QUAERO_PICTURES, 'away.png') })
      expect(await page.getByRole('list', { name: 'The library' }).getByRole('listitem').count()).toBe(2)
      expect(complaints).toEqual([])
    } finally {
      await context.close()
    }
  })
})
