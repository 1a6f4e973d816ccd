import { defineConfig } from 'vitest/config'
import { tags } from './tests/tags.ts'

const scenarios = 'tests/scenarios/**/*.test.ts'
const temporaryFolder = 'tests/temporary-folder.ts'

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One more than the cores of a small machine: tests often wait for an endpoint or a process.
    maxWorkers: 3,
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
        test: { name: 'scenarios', include: [scenarios], globalSetup: [temporaryFolder, 'tests/global-setup.ts'] },
      },
    ],
  },
})
