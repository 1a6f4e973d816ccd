import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { defineTool, type Quaero } from '../../../src/index.ts'
import { usersIn } from '../../../src/server/access/users.ts'
import { type AppOptions, buildApp } from '../../../src/server/app.ts'
import { metrics } from '../../../src/server/metrics.ts'
import { sharedLibrary } from '../../../src/server/user/libraries.ts'
import { calls, cited, openWorkflow, route, search } from '../../fixtures/workflow.ts'

export const tokens = { alice: 'alice-has-this-token', bob: 'bob-has-this-one-too' }

interface Asked extends Omit<RequestInit, 'body'> {
  readonly as?: keyof typeof tokens | null
  readonly body?: unknown
}

/** The server's app over an engine, for two users; `send` asks it as one of them. `known`: the data folder of the engine. */
export async function served(quaero: Quaero, options: Partial<AppOptions> = {}, known?: string) {
  const dataDir = known ?? (await mkdtemp(join(tmpdir(), 'served-')))
  if (known === undefined) onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const app = buildApp({
    libraries: sharedLibrary(quaero, dataDir),
    version: '0.0.0',
    users: usersIn(
      Object.entries(tokens)
        .map((each) => each.join(' '))
        .join('\n'),
      'users.txt',
    ),
    hosts: ['127.0.0.1:7710'],
    origins: [],
    runs: { perUser: 4, inAll: 16 },
    requests: { perUser: 64, inAll: 1024 },
    bounds: {},
    unaskedThreads: 1000,
    uploads: { filesPerUser: 3, bytesPerFile: 10_000, bytesPerUser: 20_000, silenceMs: 60_000 },
    queue: null,
    metrics: metrics(null),
    pageFolder: dataDir,
    isReady: () => true,
    ...options,
  })
  return async function send(path: string, { as = 'alice', body, headers, ...init }: Asked = {}): Promise<Response> {
    const isRaw = body instanceof Uint8Array || body instanceof ReadableStream
    const isJson = body !== undefined && typeof body === 'object' && !isRaw
    return app.request(`http://127.0.0.1:7710${path}`, {
      ...(body !== undefined && {
        method: 'POST',
        body: isJson ? JSON.stringify(body) : (body as string | Uint8Array<ArrayBuffer> | ReadableStream),
        duplex: 'half',
      }),
      ...init,
      headers: {
        host: '127.0.0.1:7710',
        ...(as && { authorization: `Bearer ${tokens[as]}` }),
        ...(isJson && { 'content-type': 'application/json' }),
        ...headers,
      },
    })
  }
}

export type Send = Awaited<ReturnType<typeof served>>

/** What a client's own `fetch` does, over the app. */
export function fetchOver(send: Send): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const body = request.method === 'GET' ? undefined : await request.text()
    const headers = Object.fromEntries(request.headers)
    const { pathname, search } = new URL(request.url)
    const { method } = request
    return send(`${pathname}${search}`, { as: null, method, headers, ...(body !== undefined && { body }) })
  }
}

/** The events of a stream, as they were sent. */
export function eventsIn(
  text: string,
): readonly { readonly id: string | null; readonly event: string; readonly data: unknown }[] {
  return text.split('\n\n').flatMap((frame) => {
    const field = (name: string) =>
      frame
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2)
    const data = field('data')
    return data === undefined ? [] : [{ id: field('id') ?? null, event: field('event') ?? '', data: JSON.parse(data) }]
  })
}

/** The JSON of a response, of the shape that the test expects. */
export async function read<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T
}

/** An engine whose research asks for an approval to send a mail, and the addresses that mails were sent to. */
export async function sendingMail() {
  const sent: string[] = []
  const { quaero } = await openWorkflow(
    {
      orchestrator: [route()],
      research: [calls(['send_mail', { to: 'lund' }]), search('Marble corpus pages'), 'Found it.'],
      synthesis: [cited('It holds 81.1 million pages.', 'P1', 'holds 81.1 million pages')],
    },
    { tools: [mailTool(sent)], settings: { tools: { trust: 'careful' } } },
  )
  return { quaero, sent }
}

/** A tool that needs an approval. */
export function mailTool(sent: string[] = []) {
  return defineTool({
    name: 'send_mail',
    description: 'Sends a mail.',
    sensitive: true,
    input: z.object({ to: z.string() }),
    run: async ({ to }) => {
      sent.push(to)
      return 'sent'
    },
  })
}
