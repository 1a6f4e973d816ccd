import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { runDoctor } from '../../../../src/cli/commands/doctor.ts'
import { ConfigInvalid, loadConfig, type Quaero, StorageUnavailable } from '../../../../src/index.ts'
import { capturedOutput, typedInput } from '../captured-terminal.ts'
import { fakeQuaero } from '../fake-quaero.ts'

const storage = { path: '/data/quaero.db', bytes: 4096, schemaVersion: 1, integrity: 'ok', rows: { documents: 2 } }
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

describe('quaero doctor', () => {
  it('Q4, E7: finds all in order with no key and no network', async () => {
    const { code, report } = await doctor({})
    expect(code).toBe(0)
    expect(report).toMatchObject({ ok: true, storage })
    expect(finding(report, 'storage')).toContain('/data/quaero.db: 4 KB, schema 1, integrity ok; 2 documents')
    expect(finding(report, 'start')).toBe('ready, storage 3 ms (/data)')
    expect(finding(report, 'model')).toContain('extractive')
    expect(finding(report, 'web search')).toContain('TAVILY_API_KEY')
  })

  it('prints a plain table', async () => {
    const output = capturedOutput()
    const parts = { config: loadConfig({ env: {} }), open: async () => fakeQuaero({ storage }).quaero }
    expect(await runDoctor(parts, typedInput(), output, {})).toBe(0)
    expect(output.out()).toMatch(/^ok +storage +\/data\/quaero\.db/m)
  })

  it('F61: reports a database that cannot be opened, with its path', async () => {
    const open = async () => {
      throw new StorageUnavailable('The database cannot be opened: it is read-only')
    }
    const { code, report } = await doctor({}, open, '/data')
    expect([code, report.storage]).toEqual([1, null])
    expect(finding(report, 'storage')).toBe('/data: The database cannot be opened: it is read-only')
  })

  it('F63: reports a database that is damaged', async () => {
    const open = async () => fakeQuaero({ storage: { ...storage, integrity: 'row 3 missing from index' } }).quaero
    expect((await doctor({}, open)).code).toBe(1)
  })

  it.each([
    [200, 0],
    [404, 0],
    [401, 1],
    [403, 1],
    [503, 1],
  ])('reports an endpoint that answers with %i', async (status, code) => {
    const endpoint = await listen(status)
    const env = { OPENAI_BASE_URL: `${endpoint.url}/v1/`, OPENAI_API_KEY: 'sk-canary' }
    const result = await doctor(env)
    expect(result.code).toBe(code)
    expect(endpoint.requests).toEqual(['GET /v1/models Bearer sk-canary'])
    expect(JSON.stringify(result.report)).not.toContain('canary')
  })

  it('F31: says that an endpoint is down, with host and cause', async () => {
    const endpoint = await listen(200)
    await new Promise((resolve) => servers.pop()?.close(resolve))
    const { code, report } = await doctor({ OPENAI_BASE_URL: endpoint.url })
    expect(code).toBe(1)
    expect(finding(report, 'model')).toMatch(/^http:\/\/127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/)
  })

  it('reports an address that is none under the model, and the storage all the same', async () => {
    const open = async (model?: string) => {
      if (model !== 'extractive') throw new ConfigInvalid("The endpoint's base URL cannot be read.")
      return fakeQuaero({ storage }).quaero
    }
    const { code, report } = await doctor({ OPENAI_BASE_URL: 'notaurl' }, open)
    expect(code).toBe(1)
    expect(report).toMatchObject({ storage })
    expect(finding(report, 'storage')).toContain('integrity ok')
    expect(finding(report, 'model')).toBe("The endpoint's base URL cannot be read.")
  })

  it('Q8: asks no endpoint where the extractive model is chosen', async () => {
    const endpoint = await listen(200)
    expect((await doctor({ OPENAI_BASE_URL: endpoint.url, QUAERO_MODEL: 'extractive' })).code).toBe(0)
    expect(endpoint.requests).toEqual([])
  })
})

interface Report {
  readonly ok: boolean
  readonly checks: readonly { readonly name: string; readonly message: string }[]
  readonly storage: unknown
}

async function doctor(
  env: NodeJS.ProcessEnv,
  open: (model?: string) => Promise<Quaero> = async () => fakeQuaero({ storage }).quaero,
  dataDir?: string,
): Promise<{ code: number; report: Report }> {
  const output = capturedOutput()
  const code = await runDoctor({ config: loadConfig({ env }), open }, typedInput(), output, { json: true, dataDir })
  return { code, report: JSON.parse(output.out()) }
}

function finding({ checks }: Report, name: string): string {
  return checks.find((check) => check.name === name)?.message ?? ''
}

async function listen(status: number): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
    response.writeHead(status).end('{"data":[]}')
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
