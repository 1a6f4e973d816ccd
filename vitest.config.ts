import { defineConfig } from 'vitest/config'

const scenarios = 'tests/scenarios/**/*.test.ts'

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'parts', include: ['tests/**/*.test.ts'], exclude: [scenarios] } },
      // Scenarios run the built package, as its users do.
      { extends: true, test: { name: 'scenarios', include: [scenarios], globalSetup: 'tests/global-setup.ts' } },
    ],
  },
})
