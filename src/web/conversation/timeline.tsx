import { useEffect, useRef } from 'preact/hooks'
import type { RunResult } from '../api/requests.ts'
import { Arguments } from './arguments.tsx'
import { costs, type Step } from './steps.ts'
import { wordsOf } from './turn.ts'

export interface TimelineProps {
  readonly steps: readonly Step[]
  readonly result: RunResult
}

/** What a run did, step by step: agents, model calls with tokens and cost, tool calls with their arguments. */
export function Timeline({ steps, result }: TimelineProps) {
  const listed = steps.filter(({ kind }) => kind !== 'run' && kind !== 'round')
  const began = steps[0]?.began ?? 0
  const length = Math.max(1, ...steps.map(({ ended }) => (ended ?? began) - began))
  const { usage, durationMs, traceUrl } = result
  const place = useRef<HTMLDivElement>(null)
  const isRead = listed.length > 0
  // It is opened at the foot of an answer, often below what is seen.
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), [isRead])
  const total = [seconds(durationMs), count(usage.modelCalls, 'model call'), count(usage.toolCalls, 'tool call')]
  return (
    <div class="timeline" ref={place}>
      <ol>
        {listed.map((step) => (
          <li class={`${step.kind} ${step.outcome} ${depthOf(step, listed, steps) > 1 ? 'nested' : ''}`}>
            <span class="name">{step.name.replaceAll('_', ' ')}</span>
            <span class="detail">{step.args ? <Call step={step} /> : step.detail}</span>
            <span class="time">{step.ended === null ? '…' : seconds(step.ended - step.began)}</span>
            <span class="track" aria-hidden="true">
              <i style={placeOf(step, began, length)} />
            </span>
          </li>
        ))}
      </ol>
      <p>
        {[...total, costs(usage)].filter(Boolean).join(' · ')}
        {traceUrl && (
          <>
            {' · '}
            <a href={traceUrl} rel="noreferrer" target="_blank">
              Trace
            </a>
          </>
        )}
      </p>
    </div>
  )
}

/** A tool call: its words on one line, its arguments and its result on demand. */
function Call({ step: { args, output, detail } }: { readonly step: Step }) {
  return (
    <details>
      <summary>{[wordsOf(args ?? {}) || 'Arguments', detail].filter(Boolean).join(': ')}</summary>
      <Arguments args={args ?? {}} />
      {output && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
        <pre tabIndex={0}>{output}</pre>
      )}
    </details>
  )
}

/** How many agents a step is within: a specialist's steps are within those of research. */
function depthOf(step: Step, listed: readonly Step[], all: readonly Step[]): number {
  const parent = all.find(({ id }) => id === step.parent)
  if (!parent) return 0
  return depthOf(parent, listed, all) + (parent.kind === 'agent' ? 1 : 0)
}

function placeOf({ began, ended }: Step, start: number, length: number) {
  const share = (ms: number) => `${(100 * ms) / length}%`
  return { left: share(began - start), width: share((ended ?? began) - began) }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
