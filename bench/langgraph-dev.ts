/**
 * LangGraph's development server over langgraph.json, asked by the official client: `npm run bench -- langgraph-dev`.
 * It is installed apart, by `npm ci --prefix bench/langgraph-dev`, or by --install. Exit 1 if something is not as it was.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from '@langchain/langgraph-sdk'
import { createQuaero } from '../src/index.ts'

const root = join(import.meta.dirname, '..')
const folder = join(import.meta.dirname, 'langgraph-dev')
const command = join(folder, 'node_modules', '@langchain', 'langgraph-cli', 'dist', 'cli', 'cli.mjs')
const startMs = 180_000

export async function run(args: readonly string[]): Promise<void> {
  if (args.includes('--install')) execFileSync('npm', ['ci', '--prefix', folder], { stdio: 'inherit' })
  if (!existsSync(command)) {
    console.error('The server is not installed. Run "npm ci --prefix bench/langgraph-dev" first, or give --install.')
    process.exitCode = 2
    return
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'quaero-langgraph-dev-'))
  const paper = join(root, 'examples', 'papers', 'event-log.pdf')
  await (await createQuaero({ dataDir, model: 'extractive', documents: [paper] })).close()
  const port = await freePort()
  const apiUrl = `http://127.0.0.1:${port}`
  const words = [command, 'dev', '--no-browser', '--no-reload', '--host', '127.0.0.1', '--port', String(port)]
  const env = { PATH: process.env.PATH, HOME: dataDir, QUAERO_HOME: dataDir, QUAERO_MODEL: 'extractive' }
  // A group of its own: the command starts the server as another process.
  const server = spawn(process.execPath, words, { cwd: root, env, stdio: 'inherit', detached: true })
  try {
    await answering(apiUrl, server)
    await conversation(new Client({ apiUrl, apiKey: null }))
    console.log(`As expected, with ${versions()}.`)
  } finally {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  }
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
