import { type Event, hasEnded, statusOf } from '../../events/index.ts'

/** What is wrong with a run's log by the rules that every log keeps; nothing, if it is whole. */
export function problemsInLog(log: readonly Event[]): readonly string[] {
  return [
    ...beginningsIn(log),
    ...strayEventsIn(log),
    ...oddEndingsIn(log),
    ...unendedSpansIn(log),
    ...eventsAfterTheEnd(log),
    ...unsaidIn(log),
  ]
}

const ending = /^(\w+)\.(?:completed|failed|interrupted)$/

function endingsIn(log: readonly Event[]): readonly Event[] {
  return log.filter(({ type }) => ending.test(type) && type !== 'message.completed')
}

function beginningsIn(log: readonly Event[]): readonly string[] {
  const count = log.filter(({ type }) => type === 'run.created').length
  if (count === 1 && log[0]?.type === 'run.created') return []
  return [`it has ${count} events "run.created", and begins with "${log[0]?.type}"`]
}

/** Every event but the first leads to `run.created`. */
function strayEventsIn(log: readonly Event[]): readonly string[] {
  const known = new Set<string>()
  const stray = log.filter(({ id, type, causationId }) => {
    known.add(id)
    return (
      type !== 'run.created' && type !== 'cancel.requested' && (causationId === undefined || !known.has(causationId))
    )
  })
  return stray.map(({ type, id }) => `${type} (${id}) belongs to nothing before it`)
}

/** An ending ends a span of its own kind. */
function oddEndingsIn(log: readonly Event[]): readonly string[] {
  const types = new Map(log.map(({ id, type }) => [id, type as string]))
  return endingsIn(log).flatMap(({ type, id, causationId = '' }) =>
    types.get(causationId) === `${ending.exec(type)?.[1]}.started` ? [] : [`${type} (${id}) ends nothing`],
  )
}

/** A run that has ended leaves no span open, and ends none twice. */
function unendedSpansIn(log: readonly Event[]): readonly string[] {
  const endings = new Map<string, number>()
  for (const { causationId = '' } of endingsIn(log)) endings.set(causationId, (endings.get(causationId) ?? 0) + 1)
  const spans = log.filter(({ type }) => type.endsWith('.started'))
  const isOver = hasEnded(statusOf(log).state)
  return spans.flatMap(({ id, type }) => {
    const count = endings.get(id) ?? 0
    if (count > 1) return [`${type} (${id}) has ${count} endings`]
    return count === 0 && isOver ? [`${type} (${id}) has no ending`] : []
  })
}

/** Somebody may still ask to cancel what has just ended. */
function eventsAfterTheEnd(log: readonly Event[]): readonly string[] {
  const end = log.findIndex(({ type }) => type === 'run.completed' || type === 'run.failed')
  if (end < 0) return []
  const after = log.slice(end + 1).filter(({ type }) => type !== 'cancel.requested')
  return after.map(({ type, id }) => `${type} (${id}) comes after the end`)
}

/** A turn that was answered holds the question, and the end of every message that its last attempt began. */
function unsaidIn(log: readonly Event[]): readonly string[] {
  if (!log.some(({ type }) => type === 'run.completed')) return []
  const completed = log.flatMap((event) => (event.type === 'message.completed' ? [event.payload] : []))
  const isAsked = completed.some(({ role, scope }) => role === 'user' && scope === 'thread')
  const said = new Set(completed.map(({ messageId }) => messageId))
  const lastAttempt = log.slice(log.findLastIndex(({ type }) => type === 'run.started'))
  const unsaid = lastAttempt.flatMap((event) =>
    event.type === 'message.created' && !said.has(event.payload.messageId) ? [event.payload.messageId] : [],
  )
  return [...(isAsked ? [] : ['it holds no question']), ...unsaid.map((id) => `the message ${id} has no end`)]
}
