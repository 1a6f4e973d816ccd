import { useEffect, useRef } from 'preact/hooks'
import type { RunResult } from '../api/requests.ts'
import { count } from '../controls.tsx'
import { costs, type Step, wordsOf } from './turn.ts'

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
          <li class={`${step.kind} ${step.outcome} ${depthOf(step, steps) > 1 ? 'nested' : ''}`}>
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

/** The arguments of a tool call, by name. */
export function Arguments({ args }: { readonly args: Readonly<Record<string, unknown>> }) {
  return (
    <dl class="arguments">
      {Object.entries(args).map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </>
      ))}
    </dl>
  )
}

/** How many agents a step is within: a specialist's steps are within those of research. */
function depthOf({ parent: id }: Step, steps: readonly Step[]): number {
  const parent = steps.find((each) => each.id === id)
  return parent ? depthOf(parent, steps) + (parent.kind === 'agent' ? 1 : 0) : 0
}

function placeOf({ began, ended }: Step, start: number, length: number) {
  const share = (ms: number) => `${(100 * ms) / length}%`
  return { left: share(began - start), width: share((ended ?? began) - began) }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
}
