import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { openLibrary } from '../../../src/library/open-library.ts'
import type { AddOptions, AddReport, Library } from '../../../src/library/port/library.ts'
import type { PassageIndex } from '../../../src/library/port/passage-index.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/sqlite-storage.ts'

/** A library over a real database, beside a folder of papers; gone when the test ends. */
export interface LibraryInFolder {
  readonly library: Library
  readonly index: PassageIndex
  readonly papers: string
  /** Writes a file below the papers and returns its path. */
  readonly file: (name: string, content: string | Uint8Array) => string
  /** Adds the folder, or other paths. */
  readonly add: (options?: AddOptions, paths?: readonly string[]) => Promise<AddReport>
}

export async function libraryInFolder(
  overrides: Partial<ReturnType<typeof loadConfig>['settings']['library']> = {},
): Promise<LibraryInFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'quaero-library-'))
  const storage = await openSqliteStorage({ path: join(folder, 'quaero.db') })
  onTestFinished(async () => {
    await storage.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const papers = join(folder, 'papers')
  mkdirSync(papers)
  // Another process for the second of a few short files costs more than it saves.
  const settings = { ...loadConfig({ env: {} }).settings.library, readers: 1, ...overrides }
  const library = openLibrary({
    index: storage.library,
    settings,
    passages: 10,
    vectors: storage.vectors,
    semantic: null,
  })
  return {
    library,
    index: storage.library,
    papers,
    file(name, content) {
      const path = join(papers, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      return path
    },
    add: (options = {}, paths = [papers]) => library.add(paths, options),
  }
}

/** What became of each file: `a.txt added`. */
export function statuses({ documents }: AddReport, papers: string): string[] {
  return documents.map(({ path, status }) => `${path.slice(papers.length + 1)} ${status}`)
}
