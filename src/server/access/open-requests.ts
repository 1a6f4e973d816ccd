import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler, Next } from 'hono'
import type { Guarded } from './guards.ts'
import { TooManyRequests } from './refusals.ts'
import { type SlotLimits, Slots } from './slots.ts'
import type { User } from './users.ts'

/**
 * Counts each request of a user until its reply has been sent or its connection is gone: streams that are followed,
 * files that are sent slowly, answers that are waited for.
 */
export function openRequests(limits: SlotLimits): MiddlewareHandler<Guarded> {
  const slots = new Slots(
    limits,
    () =>
      new TooManyRequests('As many requests are open as the server allows. Close some streams, or try again later.'),
  )
  return async (c, next) => {
    // Absent where no token is needed.
    const user: User | undefined = c.var.user
    if (!user) return next()
    const leave = slots.take(user)
    c.set('leave', leave)
    return untilReplied(c, leave, next)
  }
}

/** Does `release` once the reply has been sent, to the end of a stream, or its connection is gone. */
export async function untilReplied(c: Context, release: () => void, next: Next): Promise<void> {
  // Without a connection, as in tests of the app alone, there is none to wait for.
  const { outgoing }: Partial<HttpBindings> = c.env ?? {}
  outgoing?.once('close', release)
  try {
    await next()
  } finally {
    if (!outgoing || outgoing.closed) release()
  }
}
