import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import { z } from 'zod'
import type { Citation } from '../../events/index.ts'

const turnRecord = z.object({
  /** The question as it stood alone. */
  question: z.string(),
  /** Titles of the cited documents, in the order of the footnotes. */
  cited: z.array(z.string()).optional(),
  /** What a question back offered to choose from. */
  candidates: z.array(z.string()).optional(),
})
/** What later turns need to know of a turn, beside its text: "who wrote it?" is about the document cited last. */
export type TurnRecord = z.output<typeof turnRecord>

/** Where LangChain's messages keep what no model is to see. */
const KEY = 'quaero'

/** The message that ends a turn; checkpoints keep its record with it. */
export function closingMessage(id: string, content: string, record: TurnRecord): AIMessage {
  return new AIMessage({ id, content, additional_kwargs: { [KEY]: record } })
}

/** The record that a message was closed with; null for messages of people, other programs and earlier versions. */
export function turnRecordOf(message: BaseMessage): TurnRecord | null {
  return turnRecord.safeParse(message.additional_kwargs[KEY]).data ?? null
}

/** What a person calls the cited documents, in the order of the footnotes. */
export function citedTitles(citations: readonly Citation[]): string[] {
  return [...new Set(citations.map(({ title, source }) => title ?? source.split(/[\\/]/).at(-1) ?? source))]
}
