import { useEffect, useState } from 'preact/hooks'
import { follow, type RunResult } from './api.ts'
import { afterEvent, newTurn, type Step } from './turn.ts'

/** What a run did, step by step: agents, model calls with tokens and cost, tool calls with their arguments. */
export function Timeline({
  runId,
  steps,
  result,
}: {
  readonly runId: string
  readonly steps: readonly Step[]
  readonly result: RunResult
}) {
  const [shown, setShown] = useState(steps)
  useEffect(() => {
    if (steps.length > 0) return
    const leaving = new AbortController()
    const read = async () => {
      let turn = newTurn('', runId)
      for await (const event of follow(runId, leaving.signal)) turn = afterEvent(turn, event)
      setShown(turn.steps)
    }
    read().catch(() => {})
    return () => leaving.abort()
  }, [runId])
  const listed = shown.filter(({ kind }) => kind !== 'run' && kind !== 'round')
  const began = shown[0]?.began ?? 0
  const total = Math.max(1, ...shown.map(({ ended }) => (ended ?? began) - began))
  const { modelCalls, inputTokens, outputTokens, costUsd } = result.usage
  return (
    <div class="timeline">
      <ol>
        {listed.map((step) => (
          <li class={`${step.kind} ${step.outcome}`}>
            <span class="name">{step.name}</span>
            <span class="detail">{step.detail}</span>
            <span class="time">{step.ended === null ? '…' : `${((step.ended - step.began) / 1000).toFixed(2)} s`}</span>
            <progress max={total} value={(step.ended ?? step.began) - began} aria-hidden="true" />
          </li>
        ))}
      </ol>
      <p>
        {modelCalls} model calls, {inputTokens + outputTokens} tokens
        {costUsd !== null && costUsd > 0 && `, $${costUsd.toFixed(4)}`}
        {result.traceUrl && (
          <>
            {' · '}
            <a href={result.traceUrl} rel="noreferrer" target="_blank">
              Trace
            </a>
          </>
        )}
      </p>
    </div>
  )
}
