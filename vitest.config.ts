import { defineConfig } from 'vitest/config'
import { postgresMissing } from './tests/fixtures/storage/postgres-server.ts'
import { tags } from './tests/tags.ts'

const scenarios = 'tests/scenarios/**/*.test.ts'
const temporaryFolder = 'tests/temporary-folder.ts'
const build = 'tests/global-setup.ts'
const startPostgres = 'tests/start-postgres.ts'
/** Scenarios that run on PostgreSQL too, where it is installed; QUAERO_TEST_STORAGE=postgres runs all of them there. */
const onPostgres = ['conversation', 'following', 'library'].map((name) => `tests/scenarios/${name}.test.ts`)
const chosen = process.env.QUAERO_TEST_STORAGE === 'postgres' ? [startPostgres] : []

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Twice the cores of a small machine: tests often wait for an endpoint or a process.
    maxWorkers: 4,
    // The files of a worker share its modules, which take longer to load than most files take to run.
    isolate: false,
    tags: [...tags],
    projects: [
      {
        extends: true,
        test: { name: 'parts', include: ['tests/**/*.test.ts'], exclude: [scenarios], globalSetup: temporaryFolder },
      },
      // Scenarios run the built package, as its users do.
      {
        extends: true,
        test: { name: 'scenarios', include: [scenarios], globalSetup: [temporaryFolder, build, ...chosen] },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: postgresMissing === null ? onPostgres : [],
          env: { QUAERO_TEST_STORAGE: 'postgres' },
          globalSetup: [temporaryFolder, build, startPostgres],
        },
      },
    ],
  },
})
