import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { type Served, startServer } from '../fixtures/served-command.ts'
import { folderOf } from '../fixtures/workflow.ts'

const suite = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** These need tools, prompts and resources of a server made for the suite, or capabilities that are not offered. */
const notOffered = [
  'logging-set-level',
  'completion-complete',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-with-logging',
  'tools-call-error',
  'tools-call-with-progress',
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'server-sse-multiple-streams',
  'elicitation-sep1330-enums',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'resources-subscribe',
  'resources-unsubscribe',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
]

it('MCP over HTTP passes the conformance suite: initialize, ping, tools, resources, foreign hosts', {
  tags: ['slow'],
  timeout: 240_000,
}, async () => {
  const cwd = await folderOf()
  const url = `${await withToken(await startServer({ cwd }))}/mcp`
  const baseline = join(cwd, 'expected.yaml')
  await writeFile(baseline, `server:\n${notOffered.map((name) => `  - ${name}\n`).join('')}`)
  const words = [suite, 'server', '--url', url, '--expected-failures', baseline]
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd })
  const passed = [...stdout.matchAll(/✓ ([\w-]+)/g)].map(([, name]) => name)
  const always = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']
  expect(passed).toEqual(expect.arrayContaining(always))
})

/** The suite knows no tokens: what is sent here goes on to the server with its token. Returns the address. */
async function withToken({ origin, token }: Served): Promise<string> {
  const target = new URL(origin)
  const proxy = createServer((incoming, response) => {
    const own = `:${(proxy.address() as AddressInfo).port}`
    const { host = '', origin: page, ...others } = incoming.headers
    const headers = {
      ...others,
      host: host.replace(own, `:${target.port}`),
      ...(page !== undefined && { origin: page.replace(own, `:${target.port}`) }),
      authorization: `Bearer ${token}`,
    }
    const { method } = incoming
    const onward = request(
      { host: target.hostname, port: target.port, path: incoming.url, method, headers },
      (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(response)
      },
    )
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void proxy.close().closeAllConnections())
  await once(proxy, 'listening')
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}
