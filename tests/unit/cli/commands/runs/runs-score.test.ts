import { describe, expect, it } from 'vitest'
import { runsScore } from '../../../../../src/cli/commands/runs.ts'
import { UsageError } from '../../../../../src/index.ts'
import { capturedOutput, runWith, typedInput } from '../../captured-terminal.ts'
import { fakeQuaero } from '../../fake-quaero.ts'

describe('quaero runs score', () => {
  it.each(['NaN', 'nan', 'Infinity', '-Infinity', 'inf', '1e999'])(
    'refuses %s, which would be a category by the look of it',
    { tags: ['T14'] },
    async (value) => {
      const { quaero } = fakeQuaero({})
      const scored = runWith(runsScore, quaero, typedInput(), capturedOutput(), {
        runId: 'run-1',
        name: 'accuracy',
        value,
      })
      await expect(scored).rejects.toThrow(
        new UsageError(`"${value}" is no number that a score can be: give a finite one, true or false, or a category.`),
      )
    },
  )
})
