import { answerOfObject } from './json-answer.ts'
import { withoutControls } from './readable-text.ts'

/**
 * Removes what a model writes around its answer: thoughts, tool calls, a fence or a JSON object around it all, control
 * characters.
 * Runs before anything else reads the draft.
 */
export function answerIn(draft: string): string {
  const plain = withoutThoughts(withoutControls(draft).replace(/[\u2028\u2029]/g, ' ')).replace(WRITTEN_CALL, '')
  return answerOfObject(plain) ?? plain.replace(FENCE, '')
}

// A line of its own, with the empty lines around it, which are looked at once: from the end of the text before them.
const FENCE = /(?<=^|\S[^\S\n]*\n)\s*```[a-z]*\s*(?=\n|$)/gi

// A tool call as text, in the forms of Hermes, Qwen and Mistral, and tokens of a chat template.
const WRITTEN_CALL = /<tool_call>[^<]*(?:<\/tool_call>)?|\[TOOL_CALLS\][^\n]*|<\|[a-z_]{1,40}\|>/g

/** The text after the last thoughts; thoughts that are not closed hold no answer. */
function withoutThoughts(draft: string): string {
  const closing = /<\/(?:think|thinking|reasoning|scratchpad)>/gi
  const last = [...draft.matchAll(closing)].at(-1)
  const after = last ? draft.slice(last.index + last[0].length) : draft
  const open = after.search(/<(?:think|thinking|reasoning|scratchpad)>/i)
  return open < 0 ? after : after.slice(0, open)
}
