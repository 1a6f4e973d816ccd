import type { KeptScore } from '../../index.ts'

/** A score in one line. */
export function describeScore({ name, value, comment, userId }: KeptScore): string {
  return `${name} = ${value}${userId === null ? '' : ` by ${userId}`}${comment === null ? '' : ` (${comment})`}`
}

/** What became of it, in a few words. */
export function describeDelivery({ delivery }: KeptScore): string {
  return { delivered: 'sent', waiting: 'waits for Langfuse', refused: 'refused by Langfuse', local: 'kept here' }[
    delivery
  ]
}
