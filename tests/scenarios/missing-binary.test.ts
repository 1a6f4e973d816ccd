import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../fixtures/workflow.ts'

const root = join(import.meta.dirname, '..', '..')

/** The built package as `npm ci --ignore-scripts` leaves it: without what a script of better-sqlite3 fetches or builds. */
async function installedWithoutScripts(): Promise<string> {
  const folder = await temporaryFolder()
  const packages = join(folder, 'node_modules')
  await mkdir(packages)
  for (const name of ['dist', 'config', 'prompts', 'package.json']) {
    await cp(join(root, name), join(folder, name), { recursive: true })
  }
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name === 'better-sqlite3') continue
    await symlink(join(root, 'node_modules', name), join(packages, name))
  }
  const own = join('node_modules', 'better-sqlite3')
  const filter = (path: string) => !path.startsWith(join(root, own, 'build'))
  await cp(join(root, own), join(folder, own), { recursive: true, filter })
  return folder
}

describe('a package that was installed without scripts', () => {
  it('says in one line what is missing, and does what needs no database', { tags: ['slow', 'S24'] }, async () => {
    const folder = await installedWithoutScripts()
    const quaero = (...words: readonly string[]) =>
      promisify(execFile)(process.execPath, [join(folder, 'dist', 'cli', 'main.js'), ...words], { cwd: folder }).then(
        ({ stdout }) => ({ code: 0, out: stdout, err: '' }),
        ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
      )
    const [version, settings, list] = [
      await quaero('--version'),
      await quaero('config', 'show'),
      await quaero('library'),
    ]
    expect([version.code, settings.code]).toEqual([0, 0])
    expect(list.err.trim().split('\n')).toHaveLength(1)
    expect(list).toMatchObject({ code: 1, out: '', err: expect.stringContaining('npm rebuild better-sqlite3') })
  })
})
