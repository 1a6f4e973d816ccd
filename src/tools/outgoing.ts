import { ToolFailed } from '../errors.ts'
import type { Observation } from '../events/index.ts'
import type { PassageIndex } from '../library/index.ts'
import type { Tool, ToolContext } from './tool.ts'

/** Characters that the arguments of one call may send over the network, together. */
const longestSent = 1000
/** This many words of a document, side by side in what is sent, are a copy of it. */
const copiedWords = 6

/**
 * A tool that sends its arguments over the network, so that within a run it refuses to send long texts, and words of the
 * person's documents that the person did not write in the question. A call by hand has no run: its words are the person's.
 */
export function guardOutgoing(index: Pick<PassageIndex, 'match'>): (tool: Tool) => Tool {
  return (tool) => {
    if (tool.network !== true) return tool
    const { name, description, input, sensitive = false, network, timeoutMs } = tool
    return {
      name,
      description,
      input,
      sensitive,
      network,
      ...(timeoutMs !== undefined && { timeoutMs }),
      run: async (args, context) => {
        await checkOutgoing(name, args, context, index)
        return tool.run(args, context)
      },
    }
  }
}

/** Throws `ToolFailed`, whose message a model reads. */
async function checkOutgoing(
  name: string,
  args: unknown,
  { trace, observations }: ToolContext,
  index: Pick<PassageIndex, 'match'>,
): Promise<void> {
  // The question in the log: the one that agents and specialists work on may be worded by a model.
  const asked = trace().find((entry) => entry.kind === 'user_input')
  if (!asked) return
  const addresses = new Set(observations.filter(({ origin }) => origin === 'web').map(({ source }) => source))
  const sent = textsIn(args).filter((text) => !addresses.has(text))
  const length = sent.reduce((sum, text) => sum + text.length, 0)
  if (length > longestSent) {
    throw new ToolFailed(
      `${name} was not called: its arguments have ${length} characters, and at most ${longestSent} are sent over the network. Use a few words.`,
    )
  }
  const copied = await copiedFrom(readWords(sent.join(' ')), readWords(asked.text), observations, index)
  if (copied) {
    throw new ToolFailed(
      `${name} was not called: its arguments copy "${copied}" from the person's documents. Use a few words of your own.`,
    )
  }
}

/** The first words side by side that come from the person's documents, and not from the question; null if none. */
async function copiedFrom(
  words: readonly string[],
  question: readonly string[],
  observations: readonly Observation[],
  index: Pick<PassageIndex, 'match'>,
): Promise<string | null> {
  const own = joined(question)
  const runs = words.slice(copiedWords - 1).map((_, at) => joined(words.slice(at, at + copiedWords)))
  const foreign = runs.filter((run) => !own.includes(run))
  if (foreign.length === 0) return null
  const seen = observations.filter(({ origin }) => origin === 'documents').map(({ text }) => text)
  const passages = [...seen, ...(await similarTexts(words, index))].map((text) => joined(readWords(text)))
  return foreign.find((run) => passages.some((text) => text.includes(run)))?.trim() ?? null
}

/** Passages of the library with many of the words: those that earlier turns, or specialists, may have read. */
async function similarTexts(words: readonly string[], index: Pick<PassageIndex, 'match'>): Promise<readonly string[]> {
  // Pieces overlap, so that each run of words stands in one of them as a whole.
  const starts = words.flatMap((_, at) => (at % copiedWords === 0 ? [at] : []))
  const pieces = starts.map((at) => words.slice(at, at + 2 * copiedWords))
  const matches = await Promise.all(pieces.map((terms) => index.match({ terms, limit: 20, documents: null })))
  return matches.flat().map(({ passage }) => passage.text)
}

/** All texts in arguments, numbers too, then the names of fields: between texts they would part words that are copied. */
function textsIn(args: unknown): readonly string[] {
  const texts: string[] = []
  const names: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value === 'string' || typeof value === 'number') texts.push(String(value))
    if (typeof value !== 'object' || value === null) return
    if (!Array.isArray(value)) names.push(...Object.keys(value))
    Object.values(value).forEach(collect)
  }
  collect(args)
  return [...texts, ...names]
}

/** Words as they are compared: of scripts without spaces, each character. */
function readWords(text: string): readonly string[] {
  return (
    decoded(text)
      .normalize('NFKC')
      // What nobody sees, and hyphens at line ends.
      .replace(/\p{Cf}|(?<=\p{L})-\s{0,3}\n\s{0,3}(?=\p{L})/gu, '')
      .toLowerCase()
      .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu) ?? []
  )
}

/** Characters as addresses write them, also twice encoded. */
function decoded(text: string): string {
  let plain = text
  for (let times = 0; times < 3 && /%[0-9a-f]{2}/i.test(plain); times += 1) {
    plain = plain.replace(/(?:%[0-9a-f]{2}){1,500}/gi, (codes) => {
      try {
        return decodeURIComponent(codes)
      } catch {
        return ' '
      }
    })
  }
  return plain
}

/** Words with a space around each, so that whole words are compared. */
function joined(words: readonly string[]): string {
  return ` ${words.join(' ')} `
}
