import { createMcpHandler } from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import type { Served } from '../api/routes.ts'
import { mcpServer } from './mcp-server.ts'

/** The Model Context Protocol over HTTP. */
export function mcpRoutes(version: string): Hono<Served> {
  return new Hono<Served>().all('/', async (c) => {
    const { engine, documents } = c.var
    const handler = createMcpHandler(() => mcpServer({ engine, documents, version }))
    // The guards have read the body.
    const body = await c.req.text()
    return handler.fetch(c.req.raw, body === '' ? {} : { parsedBody: JSON.parse(body) })
  })
}
