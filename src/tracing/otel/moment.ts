import type { Attributes } from '@opentelemetry/api'
import type { Event } from '../../events/index.ts'
import { input, level, metadata, type Observation, output, statusMessage, type } from './observation.ts'

/** A fact of the log as an EVENT observation, since Langfuse stores no events of spans; null for one that is none. */
export function momentOf(event: Event): Observation | null {
  switch (event.type) {
    case 'model.retried': {
      const { code, message, attempt, of, waitMs } = event.payload
      const details = { code, attempt, of, waitMs }
      return moment('retry', { ...warning(`${code}: ${message}`), ...described(details) })
    }
    case 'model.trimmed': {
      const { message, from, to, leftOut } = event.payload
      return moment('shortened call', { ...warning(message), ...described({ from, to, ...leftOut }) })
    }
    case 'notice': {
      const { code, message } = event.payload
      return moment('notice', { ...warning(message), ...described({ code }) })
    }
    case 'draft.checked': {
      const dropped = event.payload.sentences.flatMap(({ text: sentence, state, reason, stage }) =>
        state === 'unsupported' ? [{ sentence, reason, stage }] : [],
      )
      if (dropped.length === 0) return null
      const count = `${dropped.length} sentence${dropped.length === 1 ? '' : 's'} dropped`
      return moment('dropped sentences', { ...warning(count), [output]: JSON.stringify(dropped) })
    }
    case 'approval.requested': {
      const calls = event.payload.approvals.map(({ id, name, args }) => ({ id, name, args }))
      return moment('approval requested', { [input]: JSON.stringify(calls) })
    }
    case 'approval.resolved': {
      const { approved } = event.payload
      const refused = approved ? {} : { [level]: 'WARNING', [statusMessage]: 'refused' }
      return moment('approval answered', { ...refused, [output]: JSON.stringify(event.payload) })
    }
    case 'cancel.requested':
      return moment('cancel requested', { ...warning(`by ${event.payload.by}`) })
    default:
      return null
  }
}

function moment(name: string, attributes: Attributes): Observation {
  return { name, attributes: { ...type('event'), ...attributes } }
}

function warning(message: string): Attributes {
  return { [level]: 'WARNING', [statusMessage]: message, [output]: message }
}

function described(details: Readonly<Record<string, string | number>>): Attributes {
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [`${metadata}.${name}`, value]))
}
