import type { BaseMessage } from '@langchain/core/messages'

/** Messages of a conversation, and the one that takes their place for good. */
export interface Replacement {
  readonly messages: readonly BaseMessage[]
  readonly by: BaseMessage
}

/** The same messages, with these in the places of others. */
export function replace(messages: readonly BaseMessage[], replaced: readonly Replacement[]): BaseMessage[] {
  return replaced.reduce<BaseMessage[]>(
    (all, { messages: old, by }) => {
      const gone = new Set(old)
      return all.flatMap((each) => (each === old[0] ? [by] : gone.has(each) ? [] : [each]))
    },
    [...messages],
  )
}

/** What hooks handed on beside a call's result: what they have put in the places of messages. */
export function replacedIn(passed: { readonly [extra: string]: unknown }): readonly Replacement[] {
  // Only `summarise` and `retry` set the field.
  return (passed.replaced ?? []) as readonly Replacement[]
}
