import type { RunResult } from '../../index.ts'
import type { UserEngine, UserQuestion } from './user-engine.ts'

/** Asks, and waits until the run has ended or waits for the person; `onRun` is told its id at once. */
export async function finishedRun(
  engine: UserEngine,
  question: string,
  options: UserQuestion,
  onEvent: (event: { readonly runId: string; readonly type: string; readonly agent?: string }) => void = () => {},
): Promise<RunResult> {
  let runId = ''
  for await (const event of engine.stream(question, options)) {
    runId = event.runId
    onEvent({ runId, type: event.type, ...('agent' in event && event.agent !== undefined && { agent: event.agent }) })
  }
  return engine.result(runId)
}
