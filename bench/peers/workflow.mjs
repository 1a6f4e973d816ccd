/** What the peers have in common: the prompts and the search of the workflow, and an append-only table of messages. */
import Database from 'better-sqlite3'
import { formatHistory, formatPassages, promptFor, searchTool } from '../comparison/prompts.mjs'

/** What the tool of every peer is called, says of itself, and does. */
export const { name: searchName, description: searchDescription } = searchTool.function

/** The instructions of the agent that has the tool; the conversation reaches it as messages. */
export const instructions = promptFor('research', { tools: searchName }).system

export function routePrompt(said, question) {
  return promptFor('orchestrator', { history: formatHistory(said), question })
}

export function answerPrompt(said, question, passages) {
  const evidence = formatPassages([...new Set(passages)])
  return promptFor('synthesis', { history: formatHistory(said), question, evidence })
}

/** The workflow's turn: a route, an agent with a tool, a cited answer. Each peer fills in how it does these. */
export function workflow({ route, gather, answer }) {
  const threads = new Map()
  return async (threadId, question) => {
    const said = threads.get(threadId) ?? []
    const { standaloneQuestion } = JSON.parse(await route(routePrompt(said, question)))
    const passages = await gather(threadId, standaloneQuestion)
    const text = await answer(threadId, answerPrompt(said, question, passages))
    if (!text.includes('<cite')) throw new Error('No cited answer')
    // Route and answer see the last ten things that were said, as Quaero's agents do.
    threads.set(threadId, [...said, question, text].slice(-10))
  }
}

/** Messages of a thread as rows, one each, added and never changed. */
export function openMessages(path) {
  const database = new Database(path)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  database.exec('CREATE TABLE messages (thread TEXT, number INTEGER PRIMARY KEY, message TEXT)')
  database.exec('CREATE INDEX messages_by_thread ON messages (thread, number)')
  const find = database.prepare('SELECT message FROM messages WHERE thread = ? ORDER BY number').pluck()
  const insert = database.prepare('INSERT INTO messages (thread, message) VALUES (?, ?)')
  const add = database.transaction((thread, messages) => {
    for (const message of messages) insert.run(thread, JSON.stringify(message))
  })
  return {
    of: (thread) => find.all(thread).map((message) => JSON.parse(message)),
    add,
    close: () => database.close(),
  }
}
