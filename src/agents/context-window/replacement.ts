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

/** The same message with another text. */
export function withText(message: BaseMessage, content: string): BaseMessage {
  const text = { content, lc_kwargs: { ...message.lc_kwargs, content } }
  // A message is a class with many kinds, so it is copied as it is.
  return Object.assign(Object.create(Object.getPrototypeOf(message)), message, text)
}

/** The first and last characters of a long text, and between them how many are missing and what `more` says of it. */
export function cutMiddle(text: string, most: number, more: (kept: readonly string[]) => string): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  const kept = [text.slice(0, half), text.slice(-half)]
  return kept.join(`\n[… ${text.length - 2 * half} characters left out${more(kept)} …]\n`)
}
