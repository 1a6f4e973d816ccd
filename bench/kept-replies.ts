import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { ChatRequest } from '../tests/fixtures/openai-endpoint.ts'

/** A model at an endpoint that answers in the place of the one that a bench asks. */
interface Reader {
  readonly baseUrl: string
  /** Null: as the request has it. */
  readonly model: string | null
  readonly key: string | null
}

/** Options of a bench with a reader. */
export const readerOptions = {
  reader: { type: 'string' },
  out: { type: 'string' },
  kept: { type: 'boolean', default: false },
} as const

/** The reader that the options name; null if none. */
export function repliesBy(values: { reader?: string; out?: string; kept: boolean }): KeptReplies | null {
  const { reader, out: folder = null, kept: isClosed } = values
  return reader === undefined ? null : { reader: readerOf(reader), folder, isClosed }
}

/** `openai:<model>` at OPENAI_BASE_URL, or the base URL of an endpoint that serves one model. */
function readerOf(spec: string): Reader {
  const { OPENAI_BASE_URL: baseUrl = 'https://api.openai.com/v1', OPENAI_API_KEY: key = null } = process.env
  const [, model] = /^openai:(.+)$/s.exec(spec) ?? []
  return model === undefined ? { baseUrl: spec, model: null, key: null } : { baseUrl, model, key }
}

export interface KeptReplies {
  readonly reader: Reader
  /** Where replies are kept, so that what was answered is not asked again; null: nowhere. */
  readonly folder: string | null
  /** Nothing is asked: there are only the replies of the folder. */
  readonly isClosed?: boolean
}

/** The reply to a chat request as it came over the wire, however long it takes. */
export async function replyTo(body: ChatRequest, { reader, folder, isClosed }: KeptReplies): Promise<Buffer> {
  const path = folder && join(folder, `${keyOf(body)}.txt`)
  if (path && existsSync(path)) return readFile(path)
  if (isClosed) throw new Error('no reply to this request is kept')
  const reply = await ask({ ...body, ...(reader.model !== null && { model: reader.model }) }, reader)
  if (folder && path) {
    await mkdir(folder, { recursive: true })
    await writeFile(`${path}.part`, reply)
    await rename(`${path}.part`, path)
  }
  return reply
}

/** The same for the same words, whoever is asked. */
function keyOf({ messages }: ChatRequest): string {
  return createHash('sha256').update(JSON.stringify(messages)).digest('hex').slice(0, 24)
}

async function ask(body: ChatRequest, { baseUrl, key }: Reader): Promise<Buffer> {
  const headers = { 'content-type': 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) }
  const send = baseUrl.startsWith('https:') ? requestSecurely : request
  return new Promise((resolve, reject) => {
    const sent = send(`${baseUrl}/chat/completions`, { method: 'POST', headers }, (response) => {
      const { statusCode } = response
      const problem = (text: Buffer) => new Error(`${baseUrl} answers ${statusCode}: ${text.toString().slice(0, 200)}`)
      buffer(response).then((text) => (statusCode === 200 ? resolve(text) : reject(problem(text))), reject)
    })
    sent.on('error', reject).end(JSON.stringify(body))
  })
}
