import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { RunResult } from '../../src/index.ts'
import { endingWithUs } from '../../tests/fixtures/stop-after-us.ts'
import type { Finding } from './finding.ts'
import type { Recovered } from './kill-checks.ts'
import { copyData, type Job, startEndpoint, tidy, work, workshop } from './processes.ts'

export interface Locked {
  /** Longest time for which the event loop of the running process was kept from a timer. Milliseconds. */
  readonly gapMs: number
  readonly tookMs: number
  /** What came of the run while the lock was held, and after it was resumed. */
  readonly outcome: string
  readonly afterwards: string
  readonly discrepancies: number
}

/** Another process holds the write lock, for so many milliseconds, in the middle of a run. */
export async function lockDuringRun(holdMs: number): Promise<Locked> {
  const { place, library } = await workshop()
  const endpoint = await startEndpoint()
  try {
    const folder = await copyData(library, join(place, 'locked'))
    const question = 'How many pages does the Marble corpus hold? (case-1)'
    const job: Job = { do: 'ask', folder, endpoint: endpoint.url, model: 'openai:scripted', thread: 't', question }
    const holder = fork(join(import.meta.dirname, 'processes', 'hold-lock.mjs'), [join(folder, 'quaero.db')], {
      execArgv: [],
    })
    endingWithUs(holder)
    await once(holder, 'message')
    const from = performance.now()
    // The run's tool waits until the lock is taken, so that everything after it meets the lock.
    const worked = await work({ ...job, gate: true }, {}, (child) => {
      child.on('message', (message: { readonly moment?: string }) => {
        if (message.moment === undefined) return
        if (holder.connected) holder.send(holdMs)
        void once(holder, 'message').then(() => child.send('go'))
      })
    })
    const tookMs = performance.now() - from
    if (holder.connected) await once(holder, 'disconnect')
    const { report } = await work({ ...job, do: 'recover', question: null })
    const { runs, verification } = report as Recovered
    return {
      gapMs: worked.gapMs,
      tookMs,
      outcome: outcomeOf(worked.report),
      afterwards: runs.map(({ status }) => status).join(),
      discrepancies: verification.discrepancies.length,
    }
  } finally {
    endpoint.close()
    await tidy(place)
  }
}

function outcomeOf(report: unknown): string {
  const { status, error, failed } = (report ?? {}) as Partial<RunResult> & {
    readonly failed?: { readonly code: string }
  }
  return failed?.code ?? (error ? `${status}: ${error.code}` : (status ?? 'nothing'))
}

export async function lockFindings(): Promise<readonly Finding[]> {
  const undisturbed = await lockDuringRun(0)
  const within = await lockDuringRun(10_000)
  const beyond = await lockDuringRun(20_000)
  // On a machine that is busy with other things, even a run that meets no lock is kept waiting.
  const allowed = Math.max(100, 2 * undisturbed.gapMs)
  const rows = (name: string, locked: Locked, outcomes: readonly string[]) => [
    {
      what: `${name}: longest gap of the event loop (target: 100 ms)`,
      found: `${locked.gapMs.toFixed(0)} ms`,
      ok: locked.gapMs <= allowed,
    },
    {
      what: `${name}: the run`,
      found: `${locked.outcome}, after ${(locked.tookMs / 1000).toFixed(1)} s`,
      ok: outcomes.includes(locked.outcome),
    },
    { what: `${name}: once the lock is gone`, found: locked.afterwards, ok: locked.afterwards === 'completed' },
    {
      what: `${name}: findings of doctor --verify`,
      found: String(locked.discrepancies),
      ok: locked.discrepancies === 0,
    },
  ]
  return [
    ...rows('no lock', undisturbed, ['completed']),
    ...rows('locked for 10 s', within, ['completed']),
    ...rows('locked for 20 s', beyond, ['storage_unavailable', 'failed: storage_unavailable']),
  ]
}
