/** Who gets answers of a full server: users that wait as they are told, beside users that do not. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { command, startEndpoint, tidy, workshop } from '../torture/processes.ts'

const users = ['greedy-1', 'greedy-2', 'polite-1', 'polite-2', 'polite-3', 'polite-4']
const tokenOf = (name: string) => `${name}-has-this-token`

/** Prints the answers of each user within so many seconds; the server answers two questions at a time. */
export async function politeAndGreedy(seconds: number): Promise<void> {
  const { place, library } = await workshop()
  const endpoint = await startEndpoint({ delayMs: 300 })
  const [tokens, config] = [join(place, 'tokens'), join(place, 'quaero.yaml')]
  await writeFile(tokens, users.map((name) => `${name} ${tokenOf(name)}\n`).join(''))
  await writeFile(
    config,
    'model: openai:scripted\nanswer: { secondReading: never }\nserver: { runs: 2, runsPerUser: 2, library: shared }\n',
  )
  const env = {
    PATH: process.env.PATH,
    QUAERO_HOME: library,
    OPENAI_BASE_URL: `${endpoint.url}/v1`,
    OPENAI_API_KEY: 'sk-polite',
  }
  const words = ['serve', '--port', '0', '--json', '--tokens', tokens, '--config', config]
  const server = spawn(process.execPath, [command, ...words], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await once(server.stdout, 'data')
    const { origin } = new URL(JSON.parse(String(line)).url)
    const until = Date.now() + 1000 * seconds
    const asking = users.flatMap((name) => (name.startsWith('greedy') ? [name, name, name, name] : [name]))
    const answers = new Map(users.map((name) => [name, 0]))
    await Promise.all(asking.map((name, number) => asks({ origin, name, number, until, answers })))
    console.log([...answers].map(([name, count]) => `${name}: ${count}`).join('  '))
  } finally {
    server.kill('SIGKILL')
    endpoint.close()
    await tidy(place)
  }
}

interface Asking {
  readonly origin: string
  readonly name: string
  readonly number: number
  readonly until: number
  readonly answers: Map<string, number>
}

async function asks({ origin, name, number, until, answers }: Asking): Promise<void> {
  const headers = { authorization: `Bearer ${tokenOf(name)}`, 'content-type': 'application/json' }
  for (let n = 0; Date.now() < until; n += 1) {
    const body = JSON.stringify({ question: `How many pages does the Marble corpus hold? (case-${number}-${n})` })
    const response = await fetch(`${origin}/api/ask`, { method: 'POST', headers, body })
    await response.text()
    if (response.ok && Date.now() < until) answers.set(name, (answers.get(name) ?? 0) + 1)
    if (response.status === 429) {
      const told = 1000 * Number(response.headers.get('retry-after') ?? 1)
      await wait(name.startsWith('polite') ? told : 50)
    }
  }
}
