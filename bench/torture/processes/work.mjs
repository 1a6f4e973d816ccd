/**
 * The process that is killed, crowded or kept waiting, and the one that comes after it. Runs the built package. Told in
 * its argument what to do; sends what it did to the parent, or with which error it ended.
 *
 *     { do: 'ask', thread, question, … }      asks, and tells of the question once the run acknowledges it
 *     { do: 'resume', runId, … }              goes on with a run, approving what it waits for
 *     { do: 'crowd', rounds, at, … }          so often, asks so many questions at once on one thread
 *     { do: 'table', questions, … }           asks each document on a corpus these questions, two calls a cell
 *     { do: 'report', subjects, questions, …} writes a section on each subject from these questions
 *     { do: 'recover', thread, question, … }  goes on with all that is unfinished, asks once more, and checks everything
 */

import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { createQuaero, defineTool, loadConfig } from '../../../dist/index.js'

const job = JSON.parse(process.argv[2])
const { folder, model, trust = 'open', endpoint, whenBusy = 'refuse' } = job
const isRead = job.do === 'table' || job.do === 'report'
const unfinished = new Set(['queued', 'running', 'cancelling', 'interrupted', 'requires_action'])
const approved = { approved: true }

/** A tool with an effect on the world: a line with its idempotency key. */
const appendLine = defineTool({
  name: 'append_line',
  description: 'Appends a line to a file.',
  input: z.object({ text: z.string() }),
  sensitive: true,
  async run({ text }, { runId, callId }) {
    await wait(text === 'one' ? 6 : 1)
    if (job.gate) await atGate()
    appendFileSync(`${folder}/effects.txt`, `${runId} ${callId}\n`)
    return `Appended ${text}.`
  },
})

let gate = null
let gap = () => 0
const config = loadConfig({
  env: { OPENAI_BASE_URL: `${endpoint}/v1`, OPENAI_API_KEY: 'sk-torture' },
  overrides: {
    research: isRead ? 'auto' : 'thorough',
    answer: { secondReading: isRead ? 'doubtful' : 'never', readerMark: 0 },
    tools: { trust },
    thread: { whenBusy, waitSeconds: 120 },
  },
})
const quaero = await createQuaero({
  config,
  dataDir: folder,
  model,
  tools: model === 'extractive' ? [] : [appendLine],
  subscribers: [
    (event) => {
      if (event.type === 'run.created') process.send?.({ created: event.runId })
    },
  ],
})
const report = await { ask, resume, recover, crowd, table, report: writeReport }
  [job.do]()
  .catch(({ code, message }) => ({ failed: { code, message } }))
const gapMs = gap()
await quaero.close()
process.send?.({ report, gapMs }, () => process.disconnect())

/** All of a round's calls wait for one word. What is loaded for the first call is behind us then. */
function atGate() {
  gate ??= told('gate').then(() => {
    gap = longestGap()
  })
  return gate
}

/** Tells the parent of the moment, and waits until it says to go on. */
async function told(moment) {
  process.send?.({ moment })
  await once(process, 'message')
}

/** Watches how long the event loop is kept from a timer of 10 ms; returns how to end that. */
function longestGap() {
  let [last, longest] = [performance.now(), 0]
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last - 10)
    last = now
  }
  const timer = setInterval(look, 10)
  return () => {
    clearInterval(timer)
    look()
    return longest
  }
}

async function ask() {
  return await quaero.ask(job.question, { threadId: job.thread })
}

async function table() {
  const columns = job.questions.map((question) => `${question} of the corpus?`)
  return await quaero.table({ columns, documentIds: await corpora() }).result()
}

async function corpora() {
  const documents = await quaero.library.list()
  return documents.filter(({ title }) => title.includes('corpus')).map(({ documentId }) => documentId)
}

async function writeReport() {
  const sections = job.subjects.map((subject) => {
    return { heading: subject, questions: job.questions.map((question) => `${question} of the ${subject} corpus?`) }
  })
  const outline = { title: 'Corpora', sections }
  return await quaero.writeReport({ question: 'Corpora?', outline, documentIds: await corpora() }).result()
}

async function resume() {
  return await finish(job.runId)
}

/** Resumes until nothing is left to approve. */
async function finish(runId) {
  let result = await quaero.runs.show(runId)
  for (let tries = 0; unfinished.has(result.status) && tries < 5; tries += 1) {
    const answers = Object.fromEntries(result.approvals.map(({ id }) => [id, approved]))
    result = await quaero.resume(runId, answers)
  }
  return result
}

async function recover() {
  const found = await quaero.runs.list()
  const shown = await Promise.all(found.map(({ runId }) => quaero.runs.show(runId)))
  const next = job.first === 'question' ? await askNext() : null
  const from = performance.now()
  const resumed = []
  for (const { runId, status } of found) if (unfinished.has(status)) resumed.push(await finish(runId))
  const resumeMs = performance.now() - from
  const answered = next ?? (await askNext())
  const isEmpty = (await quaero.runs.list()).length === 0
  return {
    found,
    shown,
    resumed,
    resumeMs,
    next: answered,
    runs: await quaero.runs.list(),
    transcript: isEmpty ? [] : await quaero.threads.messages(job.thread),
    window: isEmpty ? [] : (await quaero.threads.state(job.thread)).messages.map((each) => [each.getType(), each.text]),
    verification: await quaero.verify(),
  }
}

async function askNext() {
  if (job.question === null) return null
  return await finish((await quaero.ask(job.question, { threadId: job.thread })).runId)
}

/** Everyone's question at once, again and again: who was answered at which turn, and how long the others waited for a no. */
async function crowd() {
  const answered = []
  const refused = []
  const askOne = async (name) => {
    const from = performance.now()
    try {
      const { turn, status } = await quaero.ask(`How many pages does the Marble corpus hold? (${job.name} ${name})`, {
        threadId: job.thread,
      })
      answered.push({ name, turn, status })
    } catch ({ code }) {
      refused.push({ name, code, ms: performance.now() - from })
    }
  }
  for (let round = 0; round < job.rounds; round += 1) {
    await Promise.all(Array.from({ length: job.at }, (_, index) => askOne(`${round}-${index}`)))
  }
  return { answered, refused }
}
