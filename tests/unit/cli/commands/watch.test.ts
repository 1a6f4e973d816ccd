import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { jsonOutputs } from '../../../../scripts/json-outputs.ts'
import { add, watchOptions } from '../../../../src/cli/commands/add.ts'
import { folderOf, openQuaero, papers, temporaryFolder } from '../../../fixtures/workflow.ts'
import { capturedOutput, type FlagsOf, runWith, typedInput } from '../captured-terminal.ts'

/** `quaero add <folder> --watch` over an empty library, until the test stops it. */
async function watching(flags: Partial<FlagsOf<typeof add>> = {}) {
  const folder = await folderOf()
  const quaero = await openQuaero({ model: 'extractive', dataDir: await temporaryFolder() })
  const [output, stopping] = [capturedOutput({ width: Number.POSITIVE_INFINITY }), new AbortController()]
  onTestFinished(() => stopping.abort())
  const input = typedInput('', { signal: stopping.signal })
  const code = runWith(add, quaero, input, output, { paths: [folder], watch: true, ...flags })
  const printed = (text: string | RegExp) => vi.waitFor(() => expect(output.out()).toMatch(text), { timeout: 50_000 })
  return { folder, quaero, output, code, printed, stop: () => stopping.abort() }
}

describe('quaero add --watch', () => {
  it('prints what changes until it is stopped, which is no failure', async () => {
    const { folder, quaero, output, code, printed, stop } = await watching()
    await printed(/2 added, 0 updated, 0 unchanged, 0 failed/)
    await quaero.ask('How many pages does the Marble corpus hold?')
    writeFileSync(join(folder, 'marble.md'), papers['marble.md'].replace('81.1', '81.7'))
    renameSync(join(folder, 'halden.md'), join(folder, 'filter.md'))
    await printed(/81\.7 million pages/)
    await printed(/updated .*filter\.md \(was .*halden\.md\)/)
    expect(output.out()).toMatch(/you relied on no longer stands?:\n\n[\s\S]*was: .*81\.1 million pages/)
    rmSync(folder, { recursive: true })
    await printed(`${folder} is not kept current: "${folder}" does not exist`)
    stop()
    expect(await code).toBe(0)
    expect(await quaero.library.list()).toHaveLength(2)
  })

  it('prints one object on a line for each batch with --json', async () => {
    const { code, folder, output, printed, stop } = await watching({
      json: true,
      quiet: true,
      watch: false,
      every: 1000,
    })
    await printed(/"added":2/)
    writeFileSync(join(folder, 'empty.md'), '')
    await printed(/"failed":1/)
    stop()
    expect(await code).toBe(0)
    const lines = output
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const batches = lines.map((line) => jsonOutputs['add.watch-line'].parse(line))
    expect(batches.map(({ counts }) => counts.added + counts.failed)).toEqual([2, 1])
    expect(output.err()).toContain('empty.md could not be read')
  })

  it('refuses a file, and a folder that nobody knows, and says nothing else', async () => {
    const { folder, code, stop, quaero, output, printed } = await watching()
    await printed('2 added')
    stop()
    await code
    const refused = capturedOutput()
    const run = (path: string) => runWith(add, quaero, typedInput(), refused, { paths: [path], watch: true })
    await expect(run(join(folder, 'marble.md'))).rejects.toMatchObject({ code: 'usage' })
    await expect(run(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'path_not_found' })
    expect([output.err().includes('Keeping the folders current'), refused.err()]).toEqual([true, ''])
  })
})

describe('--every', () => {
  it.each([
    ['30s', 30_000],
    ['10m', 600_000],
    ['1h', 3_600_000],
  ])('reads %s', (text, every) => {
    expect(parsed(text)).toEqual({ every })
  })

  it.each(['0s', '5', '1d', '1.5h', '-1m', '600h', '99999h'])('refuses %s', (text) => {
    expect(() => parsed(text)).toThrow('Use a time such as 30s, 10m or 1h.')
  })

  function parsed(text: string): object {
    const command = new Command().exitOverride().configureOutput({ writeErr: () => {} })
    for (const option of watchOptions()) command.addOption(option)
    return command.parse(['--every', text], { from: 'user' }).opts()
  }
})
