import { promptMessages } from '../agents/loop/prompted-call.ts'
import { examOf, told } from '../agents/second-reading.ts'
import { examMark } from '../answers/judge/exam.ts'
import type { Config } from '../config.ts'
import { asError } from '../errors.ts'
import { type EndpointFinding, fine, warning } from '../models/endpoint-check/endpoint-finding.ts'
import { modelNameFor, resolveModel } from '../models/resolve-model.ts'
import { loadPrompt } from '../prompts.ts'
import { readerMarks } from './reader-marks.ts'

export interface CheckReaderOptions {
  readonly dataDir: string
  readonly signal: AbortSignal
  /** Sends nothing; reports a mark that is known. */
  readonly offline?: boolean | undefined
}

const name = 'reader'

/**
 * The mark of the model that reads answers a second time. It is examined, in one request, where it is new to the data folder. No
 * finding where nobody reads answers again.
 */
export async function checkReader(config: Config, options: CheckReaderOptions): Promise<readonly EndpointFinding[]> {
  const { secondReading, readerMark: leastMark } = config.settings.answer
  const model = readerIn(config)
  if (secondReading === 'never' || model === null) return []
  if (leastMark === 0) return [fine(name, `${model} is not examined (answer.readerMark is 0)`)]
  try {
    const mark = await markOf(model, config, options)
    if (mark === null) return [fine(name, `${model} was not examined yet`)]
    if (mark >= leastMark) return [fine(name, told(model, mark))]
    const remedy = `${leastMark} are needed, so sentences are shown as quoted. Name another model in agents.secondReading.model`
    return [{ name, ok: true, ...warning(`${told(model, mark)} ${remedy}`) }]
  } catch (error) {
    options.signal.throwIfAborted()
    return [{ name, ok: true, ...warning(`${model} could not be examined: ${asError(error).message}`) }]
  }
}

/** As an engine chooses it: the writer, where the reader would be no language model; null where no model writes. */
function readerIn(config: Config): string | null {
  const [reader = '', writer = ''] = (['secondReading', 'synthesis'] as const).map((user) =>
    modelNameFor(config, user).trim(),
  )
  if (writer === 'extractive') return null
  return reader === 'extractive' ? writer : reader
}

async function markOf(
  model: string,
  config: Config,
  { dataDir, signal, offline = false }: CheckReaderOptions,
): Promise<number | null> {
  const { agents, promptsDir } = config.settings
  const extractive = () => Promise.reject(new Error('no language model'))
  const chat = await resolveModel(model, { config, agent: 'secondReading', extractive })
  const { prompt, reader } = examOf(chat.name, loadPrompt(agents.secondReading.prompt, promptsDir))
  const marks = readerMarks(dataDir)
  const known = await marks.of(reader)
  if (known !== null || offline) return known
  const mark = examMark((await chat.model.invoke(promptMessages(prompt), { signal })).text)
  await marks.keep(reader, mark)
  return mark
}
