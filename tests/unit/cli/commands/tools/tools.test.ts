import { describe, expect, it } from 'vitest'
import { toolsList, toolsRun } from '../../../../../src/cli/commands/tools.ts'
import {
  type Quaero,
  type ToolResult,
  type ToolRunOptions,
  type ToolSummary,
  UsageError,
} from '../../../../../src/index.ts'
import { capturedOutput, type FlagsOf, runWith, typedInput } from '../../captured-terminal.ts'

const summary: ToolSummary = {
  name: 'look',
  description: 'Looks\naround.',
  sensitive: true,
  network: false,
  needsApproval: true,
  input: { type: 'object' },
}

/** Runs a tool that hands back this, and keeps what it was asked. */
async function run(flags: Omit<FlagsOf<typeof toolsRun>, 'name'>, result: ToolResult = { content: 'Seen.' }) {
  const asked: { name: string; args: unknown; options: ToolRunOptions }[] = []
  const tools = {
    run: async (name: string, args: unknown, options: ToolRunOptions) => {
      asked.push({ name, args, options })
      return result
    },
  }
  const output = capturedOutput()
  // Only what the command calls is there.
  const code = await runWith(toolsRun, { tools } as unknown as Quaero, typedInput(), output, { name: 'look', ...flags })
  return { code, out: output.out(), err: output.err(), asked }
}

describe('quaero tools', () => {
  it('lists the tools as a table, or as JSON', { tags: ['H14'] }, async () => {
    const quaero = { tools: { list: () => [summary] } } as unknown as Quaero
    const table = capturedOutput()
    expect(await runWith(toolsList, quaero, typedInput(), table, {})).toBe(0)
    expect(table.out()).toBe('NAME  ASKS FIRST  DESCRIPTION\nlook  yes         Looks around.\n')
    const json = capturedOutput()
    await runWith(toolsList, quaero, typedInput(), json, { json: true })
    expect(JSON.parse(json.out())).toEqual({ tools: [summary] })
  })

  it('passes on arguments, documents and the approval, and prints what the tool says', { tags: ['H14'] }, async () => {
    const flags = { args: '{"a":[1]}', documents: ['./papers'], approve: 'all' } as const
    const { code, out, asked } = await run(flags)
    expect([code, out]).toEqual([0, 'Seen.\n'])
    const options = { documents: ['./papers'], approve: 'all', signal: expect.any(AbortSignal) }
    expect(asked).toEqual([{ name: 'look', args: { a: [1] }, options }])
    expect((await run({})).asked).toMatchObject([{ args: {} }])
  })

  it('prints one object with --json, and what was worked around on stderr', { tags: ['H14'] }, async () => {
    const notices = [{ code: 'slow', message: 'It was slow.' }]
    const { out, err } = await run({ json: true }, { content: 'Seen.', final: 'All.', notices })
    expect(JSON.parse(out)).toEqual({ tool: 'look', content: 'Seen.', observations: [], final: 'All.' })
    expect(err).toBe('It was slow.\n')
  })

  it('says how arguments are given where they cannot be read', async () => {
    await expect(run({ args: '{a}' })).rejects.toThrow(UsageError)
    await expect(run({ args: '{a}' })).rejects.toThrow(/--args is not JSON .*single quotes/)
  })
})
