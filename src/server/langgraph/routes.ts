import { Hono } from 'hono'
import { type Served, speaking } from '../protocol/protocol.ts'
import { assistant, assistantId, drawnGraph, graphId, langgraph } from './objects.ts'
import { runRoutes } from './run-routes.ts'
import { threadRoutes } from './thread-routes.ts'

/** Paths of LangGraph's Agent Server; each needs the person's token. */
export const langgraphPaths = ['/info', '/assistants', '/threads', '/runs']

const messages = { type: 'object', properties: { messages: { type: 'array', items: { type: 'object' } } } }

/**
 * The calls of LangGraph's SDK, `useStream` and the interfaces built on them, over the same engine: a thread is a thread,
 * a turn is a run and a checkpoint.
 */
export function langgraphRoutes(version: string): Hono<Served> {
  const app = speaking(langgraph, new Hono<Served>())
  app.get('/info', (c) => c.json({ version, flags: { assistants: true, crons: false, langsmith: false } }))
  app.post('/assistants/search', (c) => c.json([assistant()]))
  app.post('/assistants/count', (c) => c.json(1))
  app.use('/assistants/:id/*', async (c, next) => {
    if (c.req.path.endsWith('/search') || c.req.path.endsWith('/count')) return next()
    const isOurs = [graphId, assistantId].includes(c.req.param('id'))
    return isOurs ? next() : c.json({ detail: 'There is one assistant: quaero.' }, 404)
  })
  app.get('/assistants/:id', (c) => c.json(assistant()))
  app.get('/assistants/:id/graph', (c) => c.json(drawnGraph()))
  app.get('/assistants/:id/subgraphs', (c) => c.json({}))
  app.post('/assistants/:id/versions', (c) => c.json([assistant()]))
  app.get('/assistants/:id/schemas', (c) =>
    c.json({
      graph_id: graphId,
      input_schema: messages,
      output_schema: messages,
      state_schema: messages,
      config_schema: {},
      context_schema: {},
    }),
  )
  return app.route('/', threadRoutes()).route('/', runRoutes())
}
