import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { quaero } from '../fixtures/command-line.ts'
import { type Lines, speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'
const settings = `answer: { secondReading: doubtful, readerMark: 0 }
agents: { secondReading: { model: "openai:test-model-large" } }
prices: { test-model-large: { input: 1000000, output: 0, contextWindow: null } }`
const lie = { content: 'It disposed of 81.1 million pages.<cite id="P1">holds 81.1 million pages</cite>' }

async function ask(lines: Lines, more: readonly string[] = []) {
  const cwd = await libraryFolder()
  const config = join(cwd, 'settings.yaml')
  await writeFile(config, settings)
  const endpoint = await speakingEndpoint(lines)
  const { env, calls, requests } = endpoint
  const { code, out, err } = await quaero(['ask', question, '--json', '--config', config, ...more], { cwd, env })
  return { code, err, result: jsonOutputs.ask.parse(JSON.parse(out)), calls: calls(), requests }
}

describe('a command that has answers read a second time', () => {
  it('does not show a lie over a real quote: it is written once more, and another model has read both drafts', async () => {
    const { code, result, calls, requests } = await ask({
      synthesis: [lie, usualLines.synthesis],
      secondReading: [{ content: '1 contradicted P1: the corpus holds them' }, { content: '1 yes P1' }],
    })
    expect([code, result.answer]).toEqual([0, 'It holds 81.1 million pages. [1]'])
    expect(calls.slice(-4)).toEqual(['synthesis', 'secondReading', 'synthesis', 'secondReading'])
    expect(requests.slice(-4).map(({ model }) => model)).toEqual([
      'test-model',
      'test-model-large',
      'test-model',
      'test-model-large',
    ])
    expect(JSON.stringify(requests.at(-2))).toContain('the passages say something else: the corpus holds them.')
    expect(result.usage.modelCalls).toBe(calls.length)
  })
})
