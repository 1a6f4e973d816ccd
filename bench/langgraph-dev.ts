/**
 * LangGraph's development server, asked by the official client: `npm run bench -- langgraph-dev`. First over
 * langgraph.json; then over a graph that says the lines of a script, to record what clients are sent: the test of
 * `quaero serve` compares its own with this recording. It is installed apart, by `npm install --prefix bench/langgraph-dev`,
 * or by --install. Exit 1 if something is not as it was; --record writes the recording anew.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from '@langchain/langgraph-sdk'
import { createQuaero } from '../src/index.ts'
import { differences, recordSession } from '../tests/fixtures/langgraph/session.ts'
import { endingWithUs } from '../tests/fixtures/stop-after-us.ts'

const root = join(import.meta.dirname, '..')
const folder = join(import.meta.dirname, 'langgraph-dev')
const command = join(folder, 'node_modules', '@langchain', 'langgraph-cli', 'dist', 'cli', 'cli.mjs')
const recording = join(root, 'tests', 'fixtures', 'langgraph', 'official.json')
const startMs = 180_000

export async function run(args: readonly string[]): Promise<void> {
  // `npm ci` refuses the lock: it names optional packages of other platforms that the registry does not have.
  if (args.includes('--install'))
    execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
  if (!isInstalled()) {
    console.error(
      'The server is not installed. Run "npm install --prefix bench/langgraph-dev" first, or give --install.',
    )
    process.exitCode = 2
    return
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'quaero-langgraph-dev-'))
  try {
    const paper = join(root, 'examples', 'papers', 'event-log.pdf')
    await (await createQuaero({ dataDir, model: 'extractive', documents: [paper] })).close()
    const env = { PATH: process.env.PATH, HOME: dataDir, QUAERO_HOME: dataDir, QUAERO_MODEL: 'extractive' }
    await withServer(root, env, (apiUrl) => conversation(new Client({ apiUrl, apiKey: null })))
    await withServer(folder, { PATH: process.env.PATH, HOME: dataDir }, (apiUrl) =>
      compareRecording(apiUrl, args.includes('--record')),
    )
    if (!process.exitCode) console.log(`As expected, with ${versions()}.`)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Whether the server is there. */
export function isInstalled(): boolean {
  return existsSync(command)
}

/** Serves the graph that the folder's langgraph.json names, while `work` is done. */
export async function withServer(
  cwd: string,
  env: NodeJS.ProcessEnv,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const words = [command, 'dev', '--no-browser', '--no-reload', '--host', '127.0.0.1', '--port', String(port)]
  // A group of its own: the command starts the server as another process.
  const server = spawn(process.execPath, words, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'], detached: true })
  endingWithUs(server, { detached: true })
  const kill = () => {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGKILL')
  }
  try {
    await answering(url, server)
    await work(url)
  } finally {
    kill()
  }
}

/** What the server sends now beside what was recorded. */
async function compareRecording(url: string, isNew: boolean): Promise<void> {
  const now = await recordSession((method, path, body) =>
    fetch(`${url}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    }),
  )
  if (isNew) {
    await writeFile(recording, `${JSON.stringify(now)}\n`)
    console.log(`Recorded ${Object.keys(now.streams).length} streams in ${recording}`)
    return
  }
  const before = JSON.parse(await readFile(recording, 'utf8'))
  const changes = { gone: differences(before, now), added: differences(now, before) }
  const count = Object.values(changes).flatMap((each) => Object.values(each).flat()).length
  console.log(`Recording: ${Object.keys(now.streams).length} streams, ${count} differences from the recorded ones`)
  if (count === 0) return
  console.log(JSON.stringify(changes, null, 2))
  process.exitCode = 1
}

/** Two turns of a thread: what is streamed of the first, and the state after the second. */
async function conversation(client: Client): Promise<void> {
  const [assistant] = await client.assistants.search({ graphId: 'quaero' })
  assert(assistant, 'There is no assistant "quaero".')
  const { nodes } = await client.assistants.getGraph(assistant.assistant_id)
  console.log(`Assistant ${assistant.graph_id}: ${nodes.map(({ id }) => id).join(', ')}`)
  const { thread_id: thread } = await client.threads.create()
  const seen = new Map<string, number>()
  let words = ''
  const stream = client.runs.stream(thread, assistant.assistant_id, {
    input: asking('How fast was NORMAL compared with FULL?'),
    streamMode: ['values', 'messages-tuple', 'updates'],
  })
  for await (const { event, data } of stream) {
    seen.set(event, (seen.get(event) ?? 0) + 1)
    if (event === 'messages') words += textOf(data)
    assert.notEqual(event, 'error', JSON.stringify(data))
  }
  console.log(`First turn: ${[...seen].map(([event, count]) => `${count} ${event}`).join(', ')}`)
  for (const event of ['metadata', 'values', 'updates', 'messages']) assert(seen.has(event), `No frame "${event}".`)
  await client.runs.wait(thread, assistant.assistant_id, { input: asking('How many bytes did NORMAL write?') })
  const { values } = await client.threads.getState<{ messages: { type: string; content: string }[] }>(thread)
  for (const { type, content } of values.messages) console.log(`${type}: ${content.split('\n')[0]}`)
  assert.deepEqual(
    values.messages.map(({ type }) => type),
    ['human', 'ai', 'human', 'ai'],
  )
  assert.match(values.messages[1]?.content ?? '', /19\.6 times as fast as FULL/)
  assert.match(values.messages[3]?.content ?? '', /bytes/)
  assert.match(words, /19\.6 times as fast as FULL/)
}

function asking(content: string) {
  return { messages: [{ type: 'human', content }] }
}

/** The text of a frame of messages: a message and where it comes from. */
function textOf(data: unknown): string {
  const [message] = data as readonly { readonly content?: unknown }[]
  return typeof message?.content === 'string' ? message.content : ''
}

async function answering(url: string, server: ChildProcess): Promise<void> {
  const end = Date.now() + startMs
  while (Date.now() < end) {
    if (server.exitCode !== null) throw new Error(`The server ended with code ${server.exitCode} before it answered.`)
    const response = await fetch(`${url}/ok`).catch(() => null)
    if (response?.ok) return
    await wait(250)
  }
  throw new Error(`The server did not answer at ${url} within ${startMs / 1000} s.`)
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

function versions(): string {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const names = ['@langchain/langgraph-cli', '@langchain/langgraph-api', '@langchain/langgraph-sdk']
  return names.map((name) => `${name} ${dependencies[name]}`).join(', ')
}
