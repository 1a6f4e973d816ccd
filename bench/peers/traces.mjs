/**
 * What the stock `@langfuse/langchain` handler and Quaero's tracer send for one conversation, as counts: a route, an agent
 * with two searches, a cited answer; then a run that waits for approval, one whose endpoint is gone, and two at once
 * within a span of the host. `npm run build && npm ci --prefix bench/peers && node bench/peers/traces.mjs`.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { END, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { CallbackHandler } from '@langfuse/langchain'
import { LangfuseSpanProcessor } from '@langfuse/otel'
import { setLangfuseTracerProvider, startActiveObservation } from '@langfuse/tracing'
import { context, ROOT_CONTEXT } from '@opentelemetry/api'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { z } from 'zod'
import { createQuaero, loadConfig } from '../../dist/index.js'
import { formatPassages } from '../comparison/prompts.mjs'
import { answerPrompt, instructions, routePrompt, searchDescription, searchName } from './workflow.mjs'

const question = 'How does the store grow?'
const userId = 'ada'
/** Nothing listens there. */
const gone = 'http://127.0.0.1:9/v1'

const folder = mkdtempSync(join(tmpdir(), 'quaero-traces-'))
const endpoint = fork(join(import.meta.dirname, '..', 'endpoint.mjs'))
const [origin] = await once(endpoint, 'message')
const url = `${origin}/v1`
try {
  const stock = await stockSide()
  const own = await quaeroSide()
  for (const part of Object.keys(stock)) {
    console.log(part)
    for (const name of Object.keys(stock[part])) {
      console.log(`  ${name.padEnd(44)} ${String(stock[part][name]).padEnd(14)} ${own[part][name]}`)
    }
  }
} finally {
  endpoint.disconnect()
  rmSync(folder, { recursive: true, force: true })
}

/** Both sides have the same four parts. */
async function partsOf(ask) {
  return {
    'one conversation of two turns': countsOf(
      await ask(async (asked) => {
        await asked('talk', 'plain')
        await asked('talk', 'plain')
      }),
    ),
    'a run that waits for approval': endingsOf(await ask((asked) => asked('waits', 'waiting'))),
    'an endpoint that is gone': endingsOf(await ask((asked) => asked('fails', 'failing'))),
    'two at once in a span of the host': concurrencyOf(
      await ask((asked) => asked.within(() => Promise.all([asked('one', 'plain'), asked('two', 'plain')]))),
    ),
  }
}

async function stockSide() {
  context.setGlobalContextManager(contextManager())
  let spans = []
  const exporter = {
    export(given, done) {
      spans.push(...given)
      done({ code: 0 })
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  }
  const keys = { publicKey: 'pk-lf-bench', secretKey: 'sk-lf-bench', baseUrl: gone, mediaUploadEnabled: false }
  const processor = new LangfuseSpanProcessor({ ...keys, exporter, shouldExportSpan: () => true })
  setLangfuseTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }))
  const graphs = { plain: program(url), waiting: program(url, true), failing: program(gone) }
  const ask = async (sessionId, kind) => {
    const handler = new CallbackHandler({ sessionId, userId, tags: ['bench'] })
    const config = { callbacks: [handler], configurable: { thread_id: sessionId }, runName: 'stock' }
    await graphs[kind].invoke({ messages: [new HumanMessage(question)] }, config).catch(() => {})
  }
  ask.within = (work) => startActiveObservation('host', work)
  return partsOf(async (work) => {
    spans = []
    await work(ask)
    await processor.forceFlush()
    return spans.map((span) => {
      const { name, attributes, status } = span
      return { name, attributes, status, traceId: span.spanContext().traceId }
    })
  })
}

/** The active span follows the calls, as in any host with OpenTelemetry. */
function contextManager() {
  const storage = new AsyncLocalStorage()
  return {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => storage.run(active, () => work.call(self, ...args)),
    bind: (active, target) =>
      typeof target === 'function' ? (...args) => storage.run(active, () => target(...args)) : target,
    enable() {
      return this
    },
    disable() {
      return this
    },
  }
}

/** The same workflow as nodes of a graph, with a node of tools. */
function program(baseURL, waits = false) {
  const options = { model: 'scripted', temperature: 0, apiKey: 'none', maxRetries: 0, configuration: { baseURL } }
  const model = new ChatOpenAI(options)
  const passages = ['The store grows by one row for each event.', 'A checkpoint is kept for the latest step only.']
  const search = tool(() => formatPassages(passages), {
    name: searchName,
    description: searchDescription,
    schema: z.object({ query: z.string() }),
  })
  const asked = ({ messages }) => messages.findLast(HumanMessage.isInstance).text
  const say = ({ system, user }) => model.invoke([new SystemMessage(system), new HumanMessage(user)])
  return new StateGraph(MessagesAnnotation)
    .addNode('orchestrator', async (state) => {
      await say(routePrompt([], asked(state)))
      if (waits) interrupt('May it search?')
      return {}
    })
    .addNode('research', async ({ messages }) => {
      const reply = await model.bindTools([search]).invoke([new SystemMessage(instructions), ...messages])
      return { messages: [reply] }
    })
    .addNode('tools', new ToolNode([search]))
    .addNode('synthesis', async (state) => ({ messages: [await say(answerPrompt([], asked(state), passages))] }))
    .addEdge(START, 'orchestrator')
    .addEdge('orchestrator', 'research')
    .addConditionalEdges('research', ({ messages }) => (messages.at(-1).tool_calls?.length ? 'tools' : 'synthesis'))
    .addEdge('tools', 'research')
    .addEdge('synthesis', END)
    .compile({ checkpointer: new MemorySaver() })
}

async function quaeroSide() {
  const bodies = []
  const sink = createServer(async (request, response) => {
    const pieces = []
    for await (const piece of request) pieces.push(piece)
    if (request.url.endsWith('/v1/traces')) bodies.push(JSON.parse(gunzipSync(Buffer.concat(pieces)).toString()))
    response.end('{"id":"any"}')
  })
  sink.listen(0, '127.0.0.1')
  await once(sink, 'listening')
  const env = {
    OPENAI_API_KEY: 'sk-bench-0123456789',
    LANGFUSE_PUBLIC_KEY: 'pk-lf-bench',
    LANGFUSE_SECRET_KEY: 'sk-lf-bench',
    LANGFUSE_BASE_URL: `http://127.0.0.1:${sink.address().port}`,
  }
  const prices = { scripted: { input: 1, output: 10, contextWindow: null } }
  const settings = {
    plain: { endpoint: { baseUrl: url } },
    waiting: { endpoint: { baseUrl: url }, tools: { trust: 'strict' } },
    failing: { endpoint: { baseUrl: gone, retries: 0 } },
  }
  const parts = await partsOf(async (work) => {
    bodies.length = 0
    const opened = {}
    const ask = async (threadId, kind) => {
      const config = loadConfig({ env, overrides: { ...settings[kind], prices } })
      opened[kind] ??= createQuaero({ config, dataDir: join(folder, kind), model: 'openai:scripted' })
      const quaero = await opened[kind]
      await quaero.library.add([join(import.meta.dirname, '..', '..', 'examples', 'papers')])
      await quaero.ask(question, { threadId, userId })
    }
    ask.within = (inside) => startActiveObservation('host', inside)
    await work(ask)
    for (const each of Object.values(opened)) await (await each).close()
    return bodies.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(received))),
    )
  })
  sink.closeAllConnections()
  sink.close()
  return parts
}

function received({ attributes, ...span }) {
  const plain = ({ arrayValue, ...value }) => arrayValue?.values ?? Object.values(value)[0]
  const named = attributes.map(({ key, value }) => [key, plain(value)])
  return { ...span, attributes: Object.fromEntries(named) }
}

function countsOf(spans) {
  const of = (type) => spans.filter(({ attributes }) => attributes['langfuse.observation.type'] === type)
  const generations = of('generation')
  const share = (all, test) => `${all.filter(test).length} of ${all.length}`
  const has = (name) => (span) => span.attributes[name] !== undefined && span.attributes[name] !== '{}'
  const messages = generations.flatMap((span) => messagesIn(json(span, 'input')))
  const replies = generations.map((span) => json(span, 'output') ?? {})
  const calls = [...messages, ...replies].flatMap((message) => message.tool_calls ?? [])
  return {
    observations: spans.length,
    traces: new Set(spans.map(({ traceId }) => traceId)).size,
    'generations, agents, tools and retrievers': [
      generations.length,
      of('agent').length,
      of('tool').length + of('retriever').length,
    ].join(', '),
    'messages whose content is a text': share(messages, ({ content }) => typeof content === 'string'),
    'tool calls with a text of arguments': share(calls, ({ function: called }) => called?.arguments?.length > 2),
    'generations with definitions of tools': generations.filter((span) => toolsIn(span)).length,
    'generations with parameters': share(generations, has('langfuse.observation.model.parameters')),
    'generations with usage': share(generations, has('langfuse.observation.usage_details')),
    'generations with cost': share(generations, has('langfuse.observation.cost_details')),
    'generations with a model': share(generations, has('langfuse.observation.model.name')),
    'generations named by their purpose': share(generations, ({ name }) => /orchestr|research|synth/.test(name)),
    'generations with the first token': share(generations, has('langfuse.observation.completion_start_time')),
    'nodes of the graph': nodesIn(spans),
    'observations with session': share(spans, has('session.id')),
    'observations with user': share(spans, has('user.id')),
    'observations with tags': share(spans, has('langfuse.trace.tags')),
  }
}

function messagesIn(given) {
  return Array.isArray(given) ? given : (given?.messages ?? [])
}

function json({ attributes }, name) {
  try {
    return JSON.parse(attributes[`langfuse.observation.${name}`])
  } catch {
    return null
  }
}

function toolsIn(span) {
  const texts = ['input', 'metadata.tools', 'model.parameters'].map(
    (name) => span.attributes[`langfuse.observation.${name}`],
  )
  return texts.some((text) => typeof text === 'string' && text.includes('"parameters":{'))
}

function nodesIn(spans) {
  const names = spans.flatMap(({ attributes }) => attributes['langfuse.observation.metadata.langgraph_node'] ?? [])
  return [...new Set(names)].join(' ')
}

function endingsOf(spans) {
  const level = (name) => spans.filter(({ attributes }) => attributes['langfuse.observation.level'] === name).length
  return {
    'levels ERROR, WARNING': `${level('ERROR')}, ${level('WARNING')}`,
    "OpenTelemetry's status error": spans.filter(({ status }) => status.code === 2).length,
  }
}

function concurrencyOf(given) {
  const spans = given.filter(({ name }) => name !== 'host')
  const sessions = spans.filter(({ attributes }) => attributes['session.id'] !== undefined)
  const sessionsOf = (traceId) =>
    new Set(sessions.filter((span) => span.traceId === traceId).map(({ attributes }) => attributes['session.id']))
  const mixed = spans.filter(({ traceId }) => sessionsOf(traceId).size !== 1)
  return {
    traces: new Set(spans.map(({ traceId }) => traceId)).size,
    'observations in a trace of several sessions': `${mixed.length} of ${spans.length}`,
  }
}
