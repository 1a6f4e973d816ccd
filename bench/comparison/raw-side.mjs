/** The least that the same work can cost: `fetch`, `JSON.parse`, and one transaction a call. No library, no graph. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { formatHistory, formatPassages, promptFor, routeFormat, searchTool } from './prompts.mjs'

/** `search` finds passages. */
export async function open({ folder, url, search }) {
  const database = new Database(join(folder, 'raw.db'))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  database.exec('CREATE TABLE calls (thread TEXT, request TEXT, reply TEXT)')
  const insert = database.prepare('INSERT INTO calls VALUES (?, ?, ?)')
  const said = new Map()

  async function ask(thread, messages, options = {}) {
    const request = { model: 'scripted', temperature: 0, stream: true, messages, ...options }
    const body = JSON.stringify(request)
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body })
    const reply = readStream(await response.text())
    insert.run(thread, String(messages.length), JSON.stringify(reply))
    return reply
  }

  async function gather(thread, prompt) {
    const messages = asMessages(prompt)
    const passages = []
    for (;;) {
      const reply = await ask(thread, messages, { tools: [searchTool] })
      if (!reply.call) return passages
      const { id, name, args } = reply.call
      const found = await search(JSON.parse(args).query)
      passages.push(...found)
      const tool_calls = [{ id, type: 'function', function: { name, arguments: args } }]
      messages.push({ role: 'assistant', content: '', tool_calls })
      messages.push({ role: 'tool', tool_call_id: id, content: formatPassages(found) })
    }
  }

  return {
    async turn(thread, question) {
      const earlier = said.get(thread) ?? []
      const history = formatHistory(earlier)
      await ask(thread, asMessages(promptFor('orchestrator', { history, question })), { response_format: routeFormat })
      const passages = await gather(thread, promptFor('research', { history, question, tools: 'search' }))
      const evidence = formatPassages([...new Set(passages)])
      const { content } = await ask(thread, asMessages(promptFor('synthesis', { history, question, evidence })))
      if (!content.includes('<cite')) throw new Error('No cited answer')
      said.set(thread, [...earlier, question, content])
    },
    close: async () => database.close(),
  }
}

function asMessages({ system, user }) {
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ]
}

function readStream(text) {
  let content = ''
  let call
  for (const line of text.split('\n')) {
    if (!line.startsWith('data: {')) continue
    const delta = JSON.parse(line.slice('data: '.length)).choices[0]?.delta
    content += delta?.content ?? ''
    for (const { id, function: called } of delta?.tool_calls ?? []) {
      call ??= { id, name: called.name, args: '' }
      call.args += called.arguments ?? ''
    }
  }
  return { content, call }
}
