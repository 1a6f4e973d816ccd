import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { search } from '../../../src/cli/commands/search.ts'
import { reportError, runCommand } from '../../../src/cli/run-command.ts'
import { ConfigInvalid, ThreadBusy } from '../../../src/index.ts'
import { capturedOutput } from './captured-terminal.ts'

describe('an error before a run', () => {
  it('is a sentence on stderr, with the exit code of its kind', () => {
    const output = capturedOutput()
    expect(reportError(new ThreadBusy('Thread t1 is busy.'), output, {})).toBe(5)
    expect([output.out(), output.err()]).toEqual(['', 'quaero: Thread t1 is busy.\n'])
  })

  it('cannot bring lines of its own, in a file name say', { tags: ['S21'] }, () => {
    const output = capturedOutput()
    reportError(new ConfigInvalid('There is no a\nquaero: all is well\u202e.yaml.'), output, {})
    expect(output.err()).toBe('quaero: There is no a\n  quaero: all is well.yaml.\n')
  })

  it('is an object on stdout too with --json', () => {
    const output = capturedOutput()
    expect(reportError(new ConfigInvalid('No such key.'), output, { json: true })).toBe(78)
    expect(JSON.parse(output.out())).toEqual({ error: { code: 'config_invalid', message: 'No such key.' } })
    expect(output.err()).toBe('quaero: No such key.\n')
  })

  it('shows no stack unless it is asked for', () => {
    const quiet = capturedOutput()
    expect(reportError(new TypeError('x is not a function'), quiet, {})).toBe(1)
    expect(quiet.err()).toContain('x is not a function\n  Run it with --debug')
    expect(quiet.err()).not.toContain('    at ')
    const loud = capturedOutput()
    reportError(new TypeError('x is not a function'), loud, { debug: true })
    expect(loud.err()).toContain('    at ')
  })

  it('is no error at all after Ctrl-C', { tags: ['L8'] }, () => {
    const output = capturedOutput()
    expect(reportError(new Error('aborted'), output, { stopped: true })).toBe(130)
    expect([output.out(), output.err()]).toEqual(['', ''])
  })
})

describe('a command that only reads', () => {
  it('creates no folder where nothing is stored, and says how to begin', async () => {
    const dataDir = join(import.meta.dirname, 'mistyped folder')
    const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const flags = { query: 'leases', dataDir, model: 'extractive' }
    const code = await runCommand(search, flags)
    const text = told.mock.calls.join('')
    told.mockRestore()
    expect(code).toBe(2)
    expect(text).toContain(`There is nothing in ${dataDir} yet. Begin with: quaero add <path> --data-dir '${dataDir}'`)
    expect(existsSync(dataDir)).toBe(false)
  })
})
