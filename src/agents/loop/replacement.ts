import type { BaseMessage } from '@langchain/core/messages'
import type { Replacement } from '../../events/index.ts'

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
