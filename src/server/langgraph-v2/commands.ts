import { z } from 'zod'
import { UsageError } from '../../index.ts'
import { AssistantNotFound, EarlierTurn } from '../access/refusals.ts'
import { type BegunRun, begin, resume, waitingRun } from '../langgraph/begin.ts'
import { interruptsOf } from '../langgraph/objects.ts'
import { runCreate } from '../langgraph/requests.ts'
import { statesOf } from '../langgraph/states.ts'
import { read } from '../protocol/protocol.ts'
import type { UserEngine } from '../user/user-engine.ts'
import { sequence } from './run-events.ts'

export const command = z.looseObject({
  id: z.number().int(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).nullish(),
})

/** A run, as `runCreate` reads it but for this. */
const runStart = z.looseObject({ multitaskStrategy: z.string().nullish() })

const answer = z.looseObject({ interrupt_id: z.string(), response: z.unknown() })
const answers = z.looseObject({ responses: z.array(answer).min(1) })
const inputRespond = z.union(
  [answers.transform(({ responses }) => responses), answer.transform((one) => [one])],
  'an answer with its "interrupt_id", or a list of "responses", is needed',
)

/** A command that cannot be carried out, with the protocol's word for why. */
class CommandRefused extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

interface Done {
  readonly result: unknown
  readonly appliedThrough?: number
}

/** Carries out a command on a thread. The reply says what was wrong with one that cannot be; engine errors are thrown. */
export async function carryOut(engine: UserEngine, threadId: string, { id, method, params }: z.output<typeof command>) {
  try {
    const carried = await (commands.get(method) ?? unknown)(engine, threadId, params ?? {})
    const { result, appliedThrough = 0 } = carried
    return { type: 'success', id, result, meta: { thread_id: threadId, applied_through_seq: appliedThrough } }
  } catch (error) {
    const code = codeOf(error)
    if (code === null || !(error instanceof Error)) throw error
    return { type: 'error', id, error: code, message: error.message }
  }
}

function codeOf(error: unknown): string | null {
  if (error instanceof CommandRefused || error instanceof EarlierTurn) return error.code
  return error instanceof UsageError || error instanceof AssistantNotFound ? 'invalid_argument' : null
}

type CarryOut = (engine: UserEngine, threadId: string, params: object) => Promise<Done>

const startRun: CarryOut = async (engine, threadId, params) => {
  const { multitaskStrategy, ...stated } = read(runStart, params)
  const request = read(runCreate, { ...stated, multitask_strategy: multitaskStrategy })
  return begunRun(engine, await begin(engine, request, threadId))
}

const respond: CarryOut = async (engine, threadId, params) => {
  const responses = read(inputRespond, params)
  const waiting = await waitingRun(engine, threadId).catch((error: unknown) => {
    throw error instanceof UsageError ? new CommandRefused('no_such_run', error.message) : error
  })
  const [interrupt] = interruptsOf(await engine.result(waiting.runId))
  const response = responses.find(({ interrupt_id: id }) => id === interrupt?.id)
  if (!response) throw new CommandRefused('no_such_interrupt', 'The run waits for another decision, or for none.')
  return begunRun(engine, await resume(engine, threadId, response.response))
}

const commands: ReadonlyMap<string, CarryOut> = new Map([
  ['run.start', startRun],
  ['input.respond', respond],
  ['state.get', async (engine, threadId) => ({ result: (await statesOf(engine, threadId, 1))[0] })],
])

const unknown: CarryOut = () => {
  const known = [...commands.keys()].join(', ')
  throw new CommandRefused('unknown_command', `There is no such command here; there are ${known}.`)
}

/** The run goes on; whatever comes of it is news to a client that has this reply. */
async function begunRun(engine: UserEngine, begun: BegunRun): Promise<Done> {
  const { runId, first } = begun
  const { turn } = await engine.result(runId)
  const position = first && 'position' in first ? first.position : 1
  return { result: { run_id: runId }, appliedThrough: sequence(turn, position) - 1 }
}
