/**
 * Clients of a server, in a process of their own. Does what the parent sends, and reports: `turn` asks once, `crowd` asks
 * as many users at once, `streams` opens streams of a run and keeps them.
 */
import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true })
const kept = []

const orders = {
  turn: async ({ url, question }) => {
    const began = performance.now()
    let first = Number.NaN
    const response = await send(url, 0, 'POST', '/api/ask', { question })
    let rest = ''
    for await (const piece of response.setEncoding('utf8')) {
      if (!Number.isNaN(first)) continue
      const lines = (rest + piece).split('\n')
      rest = lines.pop()
      const isText = lines.some((line) => line.startsWith('data: ') && isAnswerText(JSON.parse(line.slice(6))))
      if (isText) first = performance.now() - began
    }
    return [first, performance.now() - began]
  },
  crowd: async ({ url, users, question }) => {
    const began = performance.now()
    const one = async (user) => {
      const asked = performance.now()
      const response = await send(url, user, 'POST', '/api/ask', { question })
      for await (const _ of response);
      if (response.statusCode !== 200) throw new Error(`A question was refused: ${response.statusCode}`)
      return performance.now() - asked
    }
    const times = await Promise.all(Array.from({ length: users }, (_, user) => one(user)))
    return { seconds: (performance.now() - began) / 1000, times }
  },
  streams: async ({ url, runId, streams }) => {
    const open = async () => {
      const response = await send(url, 0, 'GET', `/api/runs/${runId}/events`)
      if (response.statusCode !== 200) throw new Error(`A stream was refused: ${response.statusCode}`)
      response.on('error', () => {}).resume()
      kept.push(response)
    }
    await Promise.all(Array.from({ length: streams }, open))
    return kept.length
  },
}

function isAnswerText({ type, payload }) {
  return type === 'message.delta' && payload.scope === 'thread'
}

function send(url, user, method, path, body) {
  const headers = {
    authorization: `Bearer token-of-user-number-${user}`,
    accept: 'text/event-stream',
    ...(body && { 'content-type': 'application/json' }),
  }
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, url), { method, headers, agent })
    asked.once('response', resolve).once('error', reject)
    asked.end(body && JSON.stringify(body))
  })
}

process.on('message', async ({ kind, ...order }) => process.send(await orders[kind](order)))
process.on('disconnect', () => process.exit(0))
