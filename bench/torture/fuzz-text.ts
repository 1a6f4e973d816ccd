import { fork } from 'node:child_process'
import { join } from 'node:path'
import { endingWithUs } from '../../tests/fixtures/stop-after-us.ts'
import type { Finding } from './finding.ts'

/** One call of a function under test: how long the processor was busy, and the text, short enough to be printed. */
export interface Call {
  readonly name: string
  readonly ms: number
  readonly text: string
}

interface PlacedCall extends Call {
  readonly seed: number
}

const mostMs = 200
/** A process that says nothing for so long hangs. */
const patienceMs = 120_000

/**
 * Calls every function that reads a document, a question or a model's words with texts that are made to keep it busy.
 * Each call is measured in time of the processor, which other processes do not add to.
 */
export async function fuzzFindings({ seed, minutes }: { readonly seed: number; readonly minutes: number }) {
  const slowest = new Map<string, Call>()
  const calls = await watch({ seed, minutes }, (call) => {
    if (call.ms >= (slowest.get(call.name)?.ms ?? 0)) slowest.set(call.name, call)
  })
  const findings = [...slowest.values()].map(
    ({ name, ms, text }): Finding => ({
      what: name,
      found: `slowest of its calls: ${ms === Number.POSITIVE_INFINITY ? 'does not end' : `${Math.round(ms)} ms`}`,
      ok: ms <= mostMs,
      details: ms <= mostMs ? [] : [text],
    }),
  )
  const all: Finding = { what: 'calls', found: `${calls} in ${minutes} min, seed ${seed}`, ok: calls > 0 }
  return [all, ...findings.sort((one, other) => one.what.localeCompare(other.what))]
}

/** Runs the calls in a process that is killed where one does not end; the rest goes on in another. */
async function watch(
  { seed, minutes }: { seed: number; minutes: number },
  take: (call: Call) => void,
): Promise<number> {
  const end = Date.now() + minutes * 60_000
  let calls = 0
  /** Resolves to the call that did not end; null if all did. */
  const run = (from: number) =>
    new Promise<PlacedCall | null>((resolve, reject) => {
      let under: PlacedCall | undefined
      let timer: NodeJS.Timeout | undefined
      let isKilled = false
      const child = fork(join(import.meta.dirname, 'processes', 'fuzz-text.ts'), [`${from}`, `${end}`], {
        execArgv: ['--import', 'tsx'],
      })
      endingWithUs(child)
      const hang = () => {
        isKilled = true
        child.kill('SIGKILL')
      }
      child.on('message', (message: PlacedCall) => {
        clearTimeout(timer)
        timer = setTimeout(hang, patienceMs)
        under = message
        if (message.ms < 0) return
        calls += 1
        take(message)
      })
      child.on('error', reject)
      child.on('exit', (code) => {
        clearTimeout(timer)
        if (code === 0) resolve(null)
        else if (isKilled) resolve(under ?? null)
        else reject(new Error(`The process ended with ${code}.`))
      })
    })
  for (let from = seed; Date.now() < end; ) {
    const endless = await run(from)
    if (endless === null) break
    take({ ...endless, ms: Number.POSITIVE_INFINITY })
    from = endless.seed + 1
  }
  return calls
}
