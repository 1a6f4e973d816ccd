import { runInNewContext } from 'node:vm'

/** So long one expression may look at one answer. */
const longestMs = 500

/**
 * Whether the expression matches; null if it takes too long, as one with nested repetitions may for ever. Only a script
 * of its own can be interrupted within a match: a timer would never get its turn.
 */
export function boundedMatch(pattern: RegExp, text: string): boolean | null {
  try {
    return runInNewContext('pattern.test(text)', { pattern, text }, { timeout: longestMs }) === true
  } catch {
    return null
  }
}
