import { createHash } from 'node:crypto'
import { z } from 'zod'
import { toMessages } from '../../agents/loop/messages.ts'
import { exchange } from '../../agents/loop/model-call.ts'
import { HookFailed, NoModel } from '../../errors.ts'
import type { AskedBy, Context, Event, OneShot } from '../../events/index.ts'
import type { ChatModel } from '../../models/port/model.ts'

export interface HookCallsOptions {
  /** The model that a name stands for; if there is no name, that of the agent at work. */
  readonly chatFor: (agent: string | undefined, model: string | undefined) => Promise<ChatModel>
}

/**
 * Makes the model calls that hooks ask for. What was paid for is found again in the run's log, since a hook may be
 * called where no step can be recorded: before the graph begins, between two steps, inside another, after the end.
 */
export function hookCalls({ chatFor }: HookCallsOptions): NonNullable<Context['callModel']> {
  return async (context, question) => {
    const { hook, messages, temperature = null } = checked(question)
    const chat = await chatFor(context.agent, question.model)
    if (chat.kind === 'rules') {
      throw new NoModel(`"${hook}" asks a model, and there is none: the extractive model answers from documents only.`)
    }
    const askedBy = { hook, digest: digestOf([chat.name, temperature, messages]) }
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

/** What this hook was answered when it asked the same before; undefined if it did not, or the call failed. */
function answerIn(log: readonly Event[], { hook, digest }: AskedBy): string | undefined {
  const same = log.flatMap((event) => {
    const asked = event.type === 'model.started' ? event.payload.askedBy : undefined
    return asked?.digest === digest && asked.hook === hook ? [event.id] : []
  })
  if (same.length === 0) return undefined
  const calls = new Set<string | undefined>(same)
  const replies = log.flatMap((event) =>
    event.type === 'message.completed' && calls.has(event.causationId) ? [event.payload] : [],
  )
  return replies.find(({ superseded }) => !superseded)?.text
}

const options = z.object({ model: z.string().min(1).optional(), temperature: z.number().optional() })

const roles: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system'])

function checked(question: OneShot): OneShot {
  const { hook, messages, model, temperature } = question
  const chosen = options.safeParse({ model, temperature })
  if (!chosen.success) {
    throw new HookFailed(`"${hook}" asked a model with options that are none: ${z.prettifyError(chosen.error)}`)
  }
  const isFine = messages.length > 0 && messages.every(({ role, text }) => roles.has(role) && typeof text === 'string')
  if (isFine) return question
  throw new HookFailed(
    `"${hook}" asked a model something that is no question: give a text, or a list of { role, text }.`,
  )
}

function digestOf(question: unknown): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('hex').slice(0, 32)
}
