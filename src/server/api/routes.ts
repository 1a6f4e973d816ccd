import { OpenAPIHono, type z } from '@hono/zod-openapi'
import { HTTPException } from 'hono/http-exception'
import { type Guarded, refusal } from '../access/guards.ts'
import { describeError } from '../access/refusals.ts'
import type { UserDocuments } from '../user/user-documents.ts'
import type { UserEngine } from '../user/user-engine.ts'
import { problem } from './shapes.ts'

/** What a route finds: the engine and the library as its user may use them. */
export interface Served {
  Variables: Guarded['Variables'] & {
    engine: UserEngine
    documents: UserDocuments
    /** Aborted once the client has left, or has the whole reply. */
    left: AbortController
  }
}

/** Routes that refuse what does not fit their schema with status 400, and name each problem. */
export function routes(): OpenAPIHono<Served> {
  const app = new OpenAPIHono<Served>({
    defaultHook: (result, c) => {
      if (result.success) return undefined
      const problems = result.error.issues.map(
        ({ path, message: text }) => `${path.join('.') || 'the request'}: ${text}`,
      )
      return c.json({ error: { code: 'usage', message: problems.join('; ') } }, 400)
    },
  })
  app.onError((error, c) => {
    if (error instanceof HTTPException) return c.json(refusal('usage', error.message), error.status)
    const { status, body, headers } = describeError(error)
    return c.json(body, status, headers)
  })
  return app
}

/** A route's answers: JSON of this schema, or an error. */
export function answers<Answer extends z.ZodType>(answer: Answer) {
  return {
    200: { description: 'done', content: { 'application/json': { schema: answer } } },
    default: { description: 'refused or failed', content: { 'application/json': { schema: problem } } },
  }
}

/** A route's body: JSON of this schema. */
export function json<Body extends z.ZodType>(schema: Body) {
  return { required: true, content: { 'application/json': { schema } } } as const
}

type Definite<T> = T extends object ? { [K in keyof T]: Definite<Exclude<T[K], undefined>> } : T

/** The same with the types of JSON, which holds no `undefined`. */
export function definite<T>(value: T): Definite<T> {
  return value as Definite<T>
}
