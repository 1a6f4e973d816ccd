/**
 * Clients of a server, in a process of their own. Does what the parent sends, and reports: `turn` asks once, `crowd` asks
 * as many users at once, `streams` opens streams of a run and keeps them. `protocol` is that of the server's own API, or
 * LangGraph's.
 */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'

// A connection for each request: a server closes one that was not used for seconds.
const agent = new Agent({ keepAlive: false })
const kept = []

const protocols = {
  api: {
    request: (question) => ['/api/ask', { question }],
    isText: (_, { type, payload }) => type === 'message.delta' && payload.scope === 'thread',
  },
  langgraph: {
    request: (question) => [
      `/threads/${randomUUID()}/runs/stream`,
      {
        assistant_id: 'quaero',
        if_not_exists: 'create',
        stream_mode: ['values', 'messages-tuple'],
        input: { messages: [{ type: 'human', id: randomUUID(), content: question }] },
      },
    ],
    isText: (event, data) => event === 'messages' && data[1].langgraph_node === 'synthesis' && data[0].content !== '',
  },
}

const orders = {
  turn: async ({ url, protocol, question }) => {
    const began = performance.now()
    let first = Number.NaN
    for await (const [event, data] of asked(url, 0, protocols[protocol].request(question))) {
      if (event === 'error') throw new Error(JSON.stringify(data))
      if (Number.isNaN(first) && protocols[protocol].isText(event, data)) first = performance.now() - began
    }
    return [first, performance.now() - began]
  },
  crowd: async ({ url, protocol, users, question }) => {
    const began = performance.now()
    const one = async (user) => {
      const from = performance.now()
      let last
      for await (const [event, data] of asked(url, user, protocols[protocol].request(question))) last = [event, data]
      if (last === undefined || last[0] === 'error') throw new Error(`A question failed: ${JSON.stringify(last)}`)
      return performance.now() - from
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

/** The events of the reply: name and data. */
async function* asked(url, user, [path, body]) {
  const response = await send(url, user, 'POST', path, body)
  if (response.statusCode !== 200) throw new Error(`A question was refused: ${response.statusCode}`)
  let rest = ''
  for await (const piece of response.setEncoding('utf8')) {
    const frames = (rest + piece).split('\n\n')
    rest = frames.pop()
    for (const frame of frames) {
      const event = /^event: (.*)$/m.exec(frame)?.[1]
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      if (data !== undefined) yield [event, JSON.parse(data)]
    }
  }
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
