import type { Hono } from 'hono'
import { describeError } from '../access/refusals.ts'
import type { Served } from '../api/routes.ts'

/** The same routes, with errors in the form of LangGraph's server. */
export function refusing(app: Hono<Served>): Hono<Served> {
  return app.onError((error, c) => {
    const { status, body, headers } = describeError(error)
    const { code, message } = body.error
    return c.json({ error: code, message, detail: message }, status, headers)
  })
}
