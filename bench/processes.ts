import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { endingWithUs } from '../tests/fixtures/stop-after-us.ts'

/** Runs Node to its end with these words. Throws if it fails. */
export async function execNode(words: readonly string[], stdout: 'inherit' | 'ignore' = 'inherit'): Promise<void> {
  const [code] = await once(
    endingWithUs(spawn(process.execPath, words, { stdio: ['ignore', stdout, 'inherit'] })),
    'close',
  )
  if (code !== 0) throw new Error(`node ${words.join(' ')} ended with ${code}`)
}

/** The value that this share of the others does not exceed; 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}
