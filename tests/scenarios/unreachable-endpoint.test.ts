import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonOutputs } from '../../scripts/json-outputs.ts'
import { quaero } from '../fixtures/command-line.ts'
import type { EndpointReply } from '../fixtures/openai-endpoint.ts'
import { type Lines, speakingEndpoint, usualLines } from '../fixtures/speaking-endpoint.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

/**
 * The command and an endpoint that cannot be reached any more, from the first question of an agent on: its port is
 * closed, or its name is unknown. What was found is answered with quotes.
 */

const question = 'How many pages does the Marble corpus hold?'

/** How many requests an endpoint answers before the agent asks. */
const answeredBefore = { orchestrator: 0, research: 1, synthesis: 3 } as const
type Agent = keyof typeof answeredBefore
const agents = ['orchestrator', 'research', 'synthesis'] as const

describe('an endpoint that cannot be reached', () => {
  it.each(agents)(
    'is answered with marked quotes when its port is closed as %s asks',
    { tags: ['F31', 'R28'] },
    async (agent) => {
      const down = { ...usualLines.orchestrator, last: true }
      const [search, closing] = usualLines.research
      const lines: Readonly<Record<Agent, Lines>> = {
        orchestrator: {},
        research: { orchestrator: down },
        synthesis: { research: [search, { ...closing, last: true }] },
      }
      const endpoint = await speakingEndpoint(lines[agent])
      if (agent === 'orchestrator') await endpoint.close()
      await expectQuotes(await ask(endpoint.env), [
        `${endpoint.host} refuses the connection (ECONNREFUSED)`,
        'Is the server running? Check OPENAI_BASE_URL',
      ])
      expect(endpoint.requests).toHaveLength(answeredBefore[agent])
    },
  )

  it.each(['research'] as const)(
    'is answered with marked quotes when its name is unknown as %s asks',
    { tags: ['F30'] },
    async (agent) => {
      // A connection for each request, so that each looks the name up.
      const endpoint = await speakingEndpoint(everyLine({ headers: { connection: 'close' } }))
      const host = endpoint.host.replace('127.0.0.1', 'models.example')
      const ended = await ask({
        ...endpoint.env,
        OPENAI_BASE_URL: `http://${host}/v1`,
        NODE_OPTIONS: `--import ${join(import.meta.dirname, '../fixtures/unknown-host.mjs')}`,
        LOOKUPS: String(answeredBefore[agent]),
      })
      await expectQuotes(ended, [
        `${host} is not a known host name (ENOTFOUND)`,
        'Check OPENAI_BASE_URL and your network',
      ])
      expect(endpoint.requests).toHaveLength(answeredBefore[agent])
    },
  )
})

function everyLine(change: EndpointReply): Lines {
  const { orchestrator, research, synthesis } = usualLines
  const changed = (line: EndpointReply) => ({ ...line, ...change })
  return { orchestrator: changed(orchestrator), research: research.map(changed), synthesis: changed(synthesis) }
}

async function ask(env: Readonly<Record<string, string>>, cwd?: string) {
  const folder = cwd ?? (await libraryFolder())
  const config = join(folder, 'once.yaml')
  // How often is tried again is another matter, which only takes time here.
  await writeFile(config, 'endpoint: { retries: 0 }\n')
  return quaero(['ask', question, '--json', '--config', config], { cwd: folder, env })
}

async function expectQuotes({ code, out, err }: Awaited<ReturnType<typeof ask>>, words: readonly string[]) {
  expect(err).not.toContain('at file:')
  const result = jsonOutputs.ask.parse(JSON.parse(out))
  const { status, abstained, error, citations } = result
  expect(error?.code, JSON.stringify([result, err])).toBe('endpoint_unavailable')
  expect({ status, abstained, error, citations: citations.map(({ quote }) => quote) }).toEqual({
    status: 'completed',
    abstained: false,
    error: { code: 'endpoint_unavailable', message: expect.any(String) },
    citations: [expect.stringContaining('81.1 million pages')],
  })
  for (const word of words) expect(result.error?.message).toContain(word)
  expect(result.answer).toContain('The model gave no answer: ')
  expect(code).toBe(0)
}
