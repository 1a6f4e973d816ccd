import type { Event } from '../events/index.ts'

/** What came of looking: something was searched, every call was refused or failed, or none was made. */
export type Searched = 'yes' | 'refused' | 'failed' | 'no'

/** What the log of a run tells of its tools; where nothing is logged, that they worked. */
export function searchedIn(log: readonly Event[] | undefined): Searched {
  if (!log) return 'yes'
  const statuses = log.flatMap((event) => {
    if (event.type === 'tool.completed') return [event.payload.status]
    return event.type === 'tool.failed' ? (['error'] as const) : []
  })
  if (statuses.includes('success')) return 'yes'
  if (statuses.includes('denied')) return 'refused'
  return statuses.length > 0 ? 'failed' : 'no'
}
