import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { examMark } from '../answers/index.ts'
import type { Config } from '../config.ts'
import { asError } from '../errors.ts'
import { type EndpointFinding, fine, modelNameFor, resolveModel, warning } from '../models/index.ts'
import { privateFile, privateFolder } from '../private-files.ts'
import { loadPrompt } from '../prompts.ts'
import { promptMessages } from './loop/prompted-call.ts'
import { examOf, type ReaderMarks, told } from './second-reading.ts'

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

const marksFile = 'readers.json'
const storedMarks = z.record(z.string(), z.number().int().min(0))

/** The marks of examined readers, in `readers.json` of the data folder; of `:memory:` in memory. A file that cannot be read is made anew. */
export function readerMarks(dataDir: string): ReaderMarks {
  if (dataDir === ':memory:') return marksInMemory()
  const path = join(dataDir, marksFile)
  const read = async () => {
    const text = await readFile(path, 'utf8').catch(() => '{}')
    return storedMarks.safeParse(jsonOf(text)).data ?? {}
  }
  return {
    of: async (reader) => (await read())[reader] ?? null,
    async keep(reader, mark) {
      const marks = { ...(await read()), [reader]: mark }
      await mkdir(dataDir, { recursive: true, mode: privateFolder })
      // Runs of one process may be examined at the same time.
      const draft = `${path}.${randomUUID()}.part`
      await writeFile(draft, `${JSON.stringify(marks, null, 2)}\n`, { mode: privateFile })
      await rename(draft, path)
    },
  }
}

function marksInMemory(): ReaderMarks {
  const marks = new Map<string, number>()
  return { of: async (reader) => marks.get(reader) ?? null, keep: async (reader, mark) => void marks.set(reader, mark) }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
