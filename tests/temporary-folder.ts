import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopSharedServer, stopSharedServerAfterUs } from './fixtures/storage/postgres-server.ts'

/** Set by the first project of a run. A folder in its folder in its folder would make the paths of sockets too long. */
const taken = 'QUAERO_TESTS_FOLDER'

/** Gives all tests one folder for temporary files, and removes it with whatever they left there. */
export function setup(): () => void {
  if (process.env[taken] !== undefined) return () => {}
  const before = tmpdir()
  const folder = mkdtempSync(join(before, 'quaero-tests-'))
  // Some tests work in it as another user.
  chmodSync(folder, 0o755)
  process.env[taken] = folder
  setTemporaryFolder(folder)
  stopSharedServerAfterUs()
  return () => {
    stopSharedServer()
    delete process.env[taken]
    setTemporaryFolder(before)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What `os.tmpdir()` returns in the processes that are started from now on. */
function setTemporaryFolder(folder: string): void {
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder
}
