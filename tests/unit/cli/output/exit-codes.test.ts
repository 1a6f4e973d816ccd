import { describe, expect, it } from 'vitest'
import { exitCodeOfError, exitCodeOfRun } from '../../../../src/cli/output/exit-codes.ts'
import * as errors from '../../../../src/errors.ts'

describe('the exit code of a run', () => {
  it.each([
    ['completed', 0],
    ['clarification_needed', 0],
    ['failed', 1],
    ['limit_reached', 3],
    ['requires_action', 4],
    ['interrupted', 130],
    ['cancelled', 130],
  ])('of status %s is %i', (status, code) => {
    expect(exitCodeOfRun({ status, error: null })).toBe(code)
  })

  it('is 0 for a completed run although an endpoint failed on the way', () => {
    expect(exitCodeOfRun({ status: 'completed', error: { code: 'key_rejected' } })).toBe(0)
  })

  it.each(['key_rejected', 'model_not_found', 'config_invalid', 'prompt_invalid'])(
    'is 78 where configuration is to blame: %s',
    (code) => {
      expect(exitCodeOfRun({ status: 'failed', error: { code } })).toBe(78)
    },
  )

  it('is 1 for a failure of any other kind', () => {
    expect(exitCodeOfRun({ status: 'failed', error: { code: 'quota_exhausted' } })).toBe(1)
    expect(exitCodeOfRun({ status: 'failed' })).toBe(1)
  })
})

describe('the exit code of an error before a run', () => {
  it.each([
    ['usage', 2],
    ['no_documents', 2],
    ['path_not_found', 2],
    ['invalid_id', 2],
    ['thread_busy', 5],
    ['config_invalid', 78],
    ['storage_unavailable', 1],
    ['run_not_found', 1],
    ['unexpected', 1],
    [undefined, 1],
  ])('of code %s is %i', (code, exitCode) => {
    expect(exitCodeOfError(code)).toBe(exitCode)
  })

  it('is 2 for every kind of wrong use', () => {
    const thrown = Object.values(errors).flatMap((each) => {
      const isOne = typeof each === 'function' && Object.prototype.isPrototypeOf.call(errors.UsageError, each)
      const error: unknown = isOne ? Reflect.construct(each, ['it is wrong', 0]) : null
      return error instanceof errors.UsageError ? error.code : []
    })
    expect(thrown).toEqual(expect.arrayContaining(['no_documents', 'filter_invalid', 'nothing_matches']))
    expect(thrown.filter((code) => exitCodeOfError(code) !== 2)).toEqual([])
  })
})
