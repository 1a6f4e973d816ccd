import { setTimeout as wait } from 'node:timers/promises'
import { isBusy } from './failure.ts'

const firstWaitMs = 2
const longestWaitMs = 50

/**
 * Does the work at once and, while another process holds the lock, again after short waits on a timer, so that the
 * event loop stays free. After `budgetMs` since `from` (`performance.now()`) the last error is thrown.
 */
export async function retryWhileBusy<T>(
  work: () => T | Promise<T>,
  { budgetMs, from = performance.now() }: { readonly budgetMs: number; readonly from?: number },
): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error) || performance.now() - from + waitMs > budgetMs) throw error
    }
    await wait(waitMs)
  }
}
