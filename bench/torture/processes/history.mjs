/**
 * Makes finished runs of every kind in one data directory, or replays them in another process with the network off. Told
 * in its argument what to do; sends what it got to the parent.
 *
 *     { do: 'make', folder, endpoint, of }   so many runs: answers, abstentions, clarifications, limits, denials,
 *                                            cancels, failures
 *     { do: 'replay', folder, into }         their results from their logs; then the same after export and import
 */
import { Socket } from 'node:net'
import { z } from 'zod'
import { createQuaero, defineTool, loadConfig } from '../../../dist/index.js'

const job = JSON.parse(process.argv[2])
const report = await { make, replay }[job.do]()
process.send?.({ report }, () => process.disconnect())

function open(folder, model, extra = {}) {
  const config = loadConfig({
    env: { OPENAI_BASE_URL: `${job.endpoint}/v1`, OPENAI_API_KEY: 'sk-torture' },
    overrides: { research: 'thorough', answer: { secondReading: 'never' }, tools: { trust: 'careful' } },
  })
  return createQuaero({ config, dataDir: folder, model, ...extra })
}

async function make() {
  const line = defineTool({
    name: 'append_line',
    description: 'Appends a line.',
    input: z.object({ text: z.string() }),
    sensitive: true,
    run: async ({ text }) => `Appended ${text}.`,
  })
  const broken = { name: 'broken', beforeModel: () => Promise.reject(new Error('It is broken.')) }
  const [plain, talking, failing] = [
    await open(job.folder, 'extractive'),
    await open(job.folder, 'openai:scripted', { tools: [line] }),
    await open(job.folder, 'extractive', { hooks: [broken] }),
  ]
  const corpus = 'How many pages does the Marble corpus hold?'
  const kinds = [
    (n) => plain.ask(`${corpus} (${n})`),
    () => plain.ask('Who painted the ceiling of the opera in Vienna?'),
    () => plain.ask('Tell me more about it'),
    (n) => plain.ask(`${corpus} (${n})`, { limits: { modelCalls: 1 } }),
    (n) => talking.ask(`${corpus} (case-${n})`, { approve: 'none' }),
    (n) => talking.ask(`${corpus} (case-${n})`, { approve: 'all' }),
    async (n) => {
      const { runId } = await talking.ask(`${corpus} (case-${n})`)
      await talking.cancel(runId)
      return talking.runs.show(runId)
    },
    async (n) => {
      let result = await talking.ask(`${corpus} (case-${n})`)
      while (result.status === 'requires_action') {
        const refused = result.approvals.map(({ id }) => [id, { approved: false, reason: 'not today' }])
        result = await talking.resume(result.runId, Object.fromEntries(refused))
      }
      return result
    },
    (n) => failing.ask(`${corpus} (${n})`),
    (n) => plain.ask(n % 20 < 10 ? 'How many pages did it keep?' : corpus, { threadId: 'long' }),
  ]
  const results = []
  for (let n = 0; n < job.of; n += 1) results.push(await kinds[n % kinds.length](n))
  for (const each of [plain, talking, failing]) await each.close()
  return results
}

async function replay() {
  const refuse = () => {
    throw new Error('The network is off.')
  }
  globalThis.fetch = refuse
  Socket.prototype.connect = refuse
  const from = await open(job.folder, 'extractive')
  const into = await open(job.into, 'extractive')
  const here = {}
  const there = {}
  for (const { runId, status } of await from.runs.list()) {
    here[runId] = await from.replay(runId)
    if (status === 'requires_action' || status === 'interrupted') continue
    await into.runs.import(await from.runs.export(runId))
    there[runId] = await into.replay(runId)
  }
  await from.close()
  await into.close()
  return { here, there }
}
