import type { Event } from '../../events/index.ts'

/** How long a run was worked on so far: from the start of each attempt to its last sign of life. Milliseconds. */
export function workedMs(log: readonly Event[]): number {
  let worked = 0
  let began: number | null = null
  let latest = 0
  for (const event of log) {
    const at = Date.parse(event.timestamp)
    if (event.type === 'run.started') began = latest = at
    if (began === null) continue
    // The ending of a crashed attempt is written by the next one, perhaps days later.
    if (!isLate(event)) latest = Math.max(latest, at)
    if (!endings.has(event.type)) continue
    worked += latest - began
    began = null
  }
  return worked + (began === null ? 0 : latest - began)
}

const endings: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.interrupted'])

function isLate({ payload }: Event): boolean {
  return 'reason' in payload && payload.reason === 'crashed'
}
