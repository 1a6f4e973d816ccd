import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { exchange, toMessages } from '../../agents/index.ts'
import { NoModel } from '../../errors.ts'
import type { AskedBy, Context, Event } from '../../events/index.ts'
import type { ChatModel } from '../../models/index.ts'
import { checkQuestion } from './moments.ts'

export interface HookCallsOptions {
  /** The model of a name; without a name, that of the agent at work. */
  readonly chatFor: (agent: string | undefined, model: string | undefined) => Promise<ChatModel>
}

/**
 * Makes the model calls that hooks ask for. A repeated question is answered from the run's log, since a hook may be called
 * where LangGraph records no step: before the graph begins, between two steps, after the end.
 */
export function hookCalls({ chatFor }: HookCallsOptions): NonNullable<Context['callModel']> {
  return async (context, question) => {
    checkQuestion(question)
    const { hook, messages, temperature = null } = question
    const chat = await chatFor(context.agent, question.model)
    if (chat.kind === 'rules') {
      throw new NoModel(`"${hook}" asks a model, and there is none: the extractive model answers from documents only.`)
    }
    const asked = JSON.stringify([chat.name, temperature, messages])
    const askedBy = { hook, digest: createHash('sha256').update(asked).digest('hex').slice(0, 32) }
    const known = answerIn(context.log?.() ?? [], askedBy)
    if (known !== undefined) return known
    const { reply } = await exchange(context, {
      chat,
      messages: toMessages(messages),
      agentTask: { agent: 'hook', hook },
      prompt: { id: `hook:${hook}`, version: 1, system: '', user: '' },
      temperature,
      scope: 'scratch',
      askedBy,
    })
    return reply.text
  }
}

/** The answer to the same question of this hook; undefined if it was not asked before, or the call failed. */
function answerIn(log: readonly Event[], { hook, digest }: AskedBy): string | undefined {
  const calls = new Set<string | undefined>()
  for (const event of log) {
    if (event.type === 'model.started' && isDeepStrictEqual(event.payload.askedBy, { hook, digest }))
      calls.add(event.id)
  }
  const reply = log.find(
    (event) => event.type === 'message.completed' && !event.payload.superseded && calls.has(event.causationId),
  )
  return reply?.type === 'message.completed' ? reply.payload.text : undefined
}
