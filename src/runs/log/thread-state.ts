import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import { type AgentUpdate, citedIn, closingMessage, emptyContext, tell } from '../../agents/index.ts'
import { createdIn, type Event, readUnsupported } from '../../events/index.ts'
import { additionsIn, asked, toMessages } from '../hooks/added-to-thread.ts'
import { answerIn, clarificationIn } from './result.ts'

/** The parts of a thread's state that follow from its log; the evidence of the last turn does not. */
type ThreadState = ReturnType<typeof threadStateOf>

/** A thread's state after these turns, oldest first, from their logs alone. A reset conversation begins at `afterReset`. */
export function threadStateOf(turns: readonly (readonly Event[])[], messageWindow: number) {
  const begin = turns.findLastIndex((log) => createdIn(log).payload.afterReset)
  const messages = turns.slice(Math.max(0, begin)).flatMap(messagesOf).slice(-messageWindow)
  return { messages, ...resultIn(turns.at(-1) ?? []) }
}

/** The same as an update of an empty graph state, for a thread that begins with a past. */
export function asUpdate(state: ThreadState, log: readonly Event[], runId: string, threadId: string): AgentUpdate {
  const candidates = clarificationIn(log)?.candidates ?? []
  const context = state.clarificationNeeded ? tell(emptyContext(), { candidates }) : emptyContext()
  return { ...state, context, runId, sessionId: threadId, nextAgent: 'END' }
}

function messagesOf(log: readonly Event[]): readonly BaseMessage[] {
  const { correlationId: runId, payload } = createdIn(log)
  const answer = answerIn(log)
  return [
    ...asked(runId, payload.question, log),
    ...(answer ? [messageOf(log, answer)] : []),
    ...toMessages(additionsIn(log, 'behind')),
  ]
}

/** A verified answer is named after its run, since the draft that was streamed is another message. */
function messageOf(log: readonly Event[], { payload, correlationId }: Event<'message.completed'>): AIMessage {
  const { text, messageId, citations = [] } = payload
  const clarification = clarificationIn(log)
  const completed = log.findLast((event) => event.type === 'run.completed')?.payload
  const question = completed?.standaloneQuestion ?? createdIn(log).payload.question
  return clarification
    ? closingMessage(messageId, text, { question, candidates: clarification.candidates })
    : closingMessage(`${correlationId}-answer`, text, { question, ...citedIn(citations) })
}

function resultIn(log: readonly Event[]) {
  const completed = log.findLast((event) => event.type === 'run.completed')?.payload
  const isAsked = completed?.stopReason === 'clarification_needed'
  const { count = 1, missingContext = [] } = clarificationIn(log) ?? {}
  return {
    clarificationNeeded: isAsked,
    clarificationCount: isAsked ? count : 0,
    missingContext: isAsked ? missingContext : [],
    standaloneQuestion: completed?.standaloneQuestion ?? null,
    finalAnswer: completed?.answer ?? null,
    confidenceScore: completed?.confidence ?? null,
    citations: completed?.citations ?? [],
    calculations: completed?.calculations ?? [],
    sentences: completed?.sentences ?? [],
    unsupported: readUnsupported(completed?.unsupported ?? []),
  }
}
