import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../../../../scripts/json-outputs.ts'
import { libraryEmbed } from '../../../../../src/cli/commands/library.ts'
import type { EmbedReport } from '../../../../../src/index.ts'
import { capturedOutput, type FlagsOf, runWith, typedInput } from '../../captured-terminal.ts'
import { fakeQuaero } from '../../fake-quaero.ts'

const report: EmbedReport = {
  model: 'text-embedding-3-small',
  dimensions: 1536,
  embedded: 120,
  sent: 118,
  tokens: 14_200,
  costUsd: 0.000284,
  missing: 0,
  error: null,
}

describe('quaero library embed', () => {
  it('says how many passages got vectors, and what that cost', async () => {
    const { code, out, err } = await embed({}, report)
    expect([code, out]).toEqual([
      0,
      '120 passages embedded with text-embedding-3-small, 1536 dimensions; 118 texts sent, 14200 tokens (0.0003 USD); 0 without a vector\n',
    ])
    expect(err).toBe('1/2 passages embedded\n')
    expect((await embed({ quiet: true }, report)).err).toBe('')
  })

  it('does not call an unknown cost none', async () => {
    const { out } = await embed({}, { ...report, dimensions: null, tokens: null, costUsd: null })
    expect(out).toContain('embedded with text-embedding-3-small; 118 texts sent, unknown tokens; 0')
  })

  it('prints the report, and nothing else, with --json', async () => {
    const { out } = await embed({ json: true }, report)
    expect(jsonOutputs['library-embed'].parse(JSON.parse(out))).toEqual(report)
  })

  it.each([
    ['endpoint_unavailable', 1],
    ['key_rejected', 78],
  ])('says why it ended early, and what there is to do (%s)', async (code, exit) => {
    const failed = { ...report, embedded: 64, missing: 56, error: { code, message: 'It does not answer' } }
    const result = await embed({ quiet: true }, failed)
    expect(result.code).toBe(exit)
    expect(result.err).toBe(
      'Not all was embedded: It does not answer. Finished vectors are kept; 56 passages found by words alone until "quaero library embed" succeeds.\n',
    )
    expect(result.out).toContain('64 passages embedded')
  })
})

async function embed(flags: FlagsOf<typeof libraryEmbed>, embedded: EmbedReport) {
  const output = capturedOutput()
  const code = await runWith(libraryEmbed, fakeQuaero({ embedded }).quaero, typedInput(), output, flags)
  return { code, out: output.out(), err: output.err() }
}
