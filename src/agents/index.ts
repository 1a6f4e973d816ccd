// The state, the four agents, and what runs and tools need of their loop.

export { BaseAgent } from './base-agent.ts'
export { type CheckReaderOptions, checkReader, readerMarks } from './check-reader.ts'
export { Clarification } from './clarification.ts'
export {
  type OlderPart,
  olderParts,
  pluralOf,
  replace,
  type ShorterCall,
  shortenCall,
  spoken,
  stillTooLong,
} from './loop/fit-context.ts'
export { citedIn, closingMessage } from './loop/history.ts'
export { toMessages } from './loop/messages.ts'
export { converse, exchange } from './loop/model-call.ts'
export { isRecoverable } from './loop/step.ts'
export { explain, tellable } from './loop/tool-round.ts'
export { Orchestrator } from './orchestrator.ts'
export { Research } from './research.ts'
export { readerExam, type SecondReadingOptions } from './second-reading.ts'
export type { Specialist } from './specialist.ts'
export {
  AgentState,
  type AgentUpdate,
  agentState,
  createInitialState,
  currentQuestion,
  emptyContext,
  tell,
  toldIn,
  turnReset,
} from './state.ts'
export { Synthesis } from './synthesis.ts'
