import { setTimeout as sleep } from 'node:timers/promises'
import { currentProcess, isAlive } from '../../process-identity.ts'
import { all, first, type Work, type Workplace } from '../../sql/work.ts'

const waitForOtherMs = 200

/** Work on vectors by one process at a time, which the table `vector_worker` names. */
export async function exclusively<T>(
  { write }: Workplace,
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { pid, startedAt } = currentProcess()
  signal?.throwIfAborted()
  while (!(await write(() => takeOver(pid, startedAt)))) {
    await sleep(waitForOtherMs, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted())
  }
  try {
    return await work()
  } finally {
    await write(() => all('DELETE FROM vector_worker WHERE pid = $1 AND process_start = $2', [pid, startedAt]))
  }
}

/** False while another process that lives does the work. */
function* takeOver(pid: number, startedAt: string): Work<boolean> {
  const other = yield* first<{ pid: number; startedAt: string }>(
    'SELECT pid, process_start AS "startedAt" FROM vector_worker WHERE pid <> $1 OR process_start <> $2',
    [pid, startedAt],
  )
  if (other && isAlive(other)) return false
  yield* all('INSERT OR REPLACE INTO vector_worker (one, pid, process_start) VALUES (1, $1, $2)', [pid, startedAt])
  return true
}
