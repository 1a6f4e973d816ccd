// Asks, resumes and serves with the package that is installed beside this file; smoke.mjs copies it there.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createQuaero } from 'quaero'

const question = 'How fast was NORMAL compared with FULL?'
const answer = /19\.6 times as fast as FULL/
const command = join(import.meta.dirname, 'node_modules', 'quaero', 'dist', 'cli', 'main.js')

await asks()
await resumes()
await serves()
console.log(`Node.js ${process.versions.node}: asked, resumed, served`)

async function asks() {
  const { stdout } = await promisify(execFile)(process.execPath, [command, 'ask', question, '-d', 'papers', '--json'])
  assert.match(JSON.parse(stdout).answer, answer)
}

async function resumes() {
  const options = { model: 'extractive', dataDir: '.quaero' }
  const first = await createQuaero(options)
  let runId = ''
  for await (const event of first.stream(question)) {
    runId = event.runId
    if (event.type === 'agent.started') break
  }
  await first.close()
  const second = await createQuaero(options)
  const result = await second.resume(runId)
  await second.close()
  assert.match(result.answer, answer)
}

async function serves() {
  const server = spawn(process.execPath, [command, 'serve', '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(server.stdout, 'data')
  const { url, token } = JSON.parse(String(line))
  const response = await fetch(new URL('/api/ask', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ question }),
  })
  assert.match((await response.json()).answer, answer)
  const page = await fetch(url)
  assert.match(await page.text(), /<script/)
  server.kill('SIGTERM')
  assert.deepEqual(await once(server, 'exit'), [0, null])
}
