import { isGraphInterrupt } from '@langchain/langgraph'

/**
 * Like `Promise.all`, but waits for all work that has begun even if some of it throws, so that nothing runs on behind it,
 * and has at most `atOnce` under way: the rest is begun in its order, and not at all once something has failed. A failure
 * or a stop counts more than a pause: a specialist may wait for an approval while another is cancelled.
 */
export async function allEnded<T>(work: readonly (() => Promise<T>)[], atOnce: number): Promise<T[]> {
  const outcomes: PromiseSettledResult<T>[] = []
  let next = 0
  const takeOneByOne = async () => {
    for (let begin = work[next]; begin; begin = work[next]) {
      const at = next
      next += 1
      const [outcome] = await Promise.allSettled([begin()])
      outcomes[at] = outcome
      if (hasFailed(outcome)) next = work.length
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, work.length) }, takeOneByOne))
  const thrown = outcomes.find(hasFailed) ?? outcomes.find(({ status }) => status === 'rejected')
  if (thrown?.status === 'rejected') throw thrown.reason
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}

function hasFailed(outcome: PromiseSettledResult<unknown>): boolean {
  if (outcome.status === 'fulfilled') return false
  const reason: unknown = outcome.reason
  return !(reason instanceof Error && isGraphInterrupt(reason))
}
