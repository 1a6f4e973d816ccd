import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { asError, PathNotFound, UsageError } from '../errors.ts'
import { problemsIn } from '../options.ts'

const texts = z.array(z.string().min(1)).min(1)
const names = z.strictObject({ include: texts.optional(), exclude: texts.optional() })

const expectation = z.strictObject({
  /** One of them must be in the answer: a text, or a regular expression between slashes (`/87\.2 ?%/i`). */
  answers: texts.optional(),
  /** The documents that a citation should name: file name, path, title or id. */
  documents: texts.optional(),
  /** The pages that a citation should be on. */
  pages: z.array(z.number().int().min(1)).min(1).optional(),
  /** The documents do not answer it, and the answer should say so. */
  abstain: z.boolean().optional(),
  /** The question is vague and should lead to a question back. */
  clarify: z.boolean().optional(),
  /** Agents, and tools, that must and must not run. */
  agents: names.optional(),
  tools: names.optional(),
})

const row = z.strictObject({
  id: z.string().min(1),
  question: z.string().refine((text) => text.trim() !== '', 'must not be empty'),
  expect: expectation.optional(),
  /** Rows of one name are the turns of one conversation, in their order. */
  thread: z.string().min(1).optional(),
  /** A comment. */
  note: z.string().optional(),
})

/** One question of a dataset, and its expected result. */
export type EvalRow = z.output<typeof row>
export type Expectation = z.output<typeof expectation>

/** Reads a dataset, one JSON object a line. Throws `PathNotFound`, and `UsageError` with every line that is wrong. */
export async function readDataset(path: string): Promise<readonly EvalRow[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new PathNotFound(`${path} cannot be read. Name a file of questions, one JSON object a line.`, { cause })
  })
  return parseDataset(text, path)
}

/** The same from a text; `source` names it in errors. */
export function parseDataset(text: string, source: string): readonly EvalRow[] {
  const problems: string[] = []
  const rows: EvalRow[] = []
  const seen = new Set<string>()
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const found = rowIn(line)
    if (typeof found === 'string') problems.push(`${source}:${index + 1}: ${found}`)
    else if (seen.has(found.id)) problems.push(`${source}:${index + 1}: the id "${found.id}" is used twice`)
    else {
      seen.add(found.id)
      rows.push(found)
    }
  }
  if (problems.length > 0) throw new UsageError(summed(problems))
  if (rows.length === 0) throw new UsageError(`${source} holds no questions; write one JSON object a line.`)
  return rows
}

/** True if the row has an expectation. */
export function isJudged({ expect = {} }: EvalRow): boolean {
  return Object.values(expect).some((each) => each !== undefined)
}

/** Throws `UsageError` for agents and tools that do not exist. */
export function requireNames(
  rows: readonly EvalRow[],
  known: { readonly agents: readonly string[]; readonly tools: readonly string[] },
): void {
  const problems = rows.flatMap(({ id, expect = {} }) =>
    (['agents', 'tools'] as const).flatMap((kind) => {
      const { include = [], exclude = [] } = expect[kind] ?? {}
      const unknown = [...include, ...exclude].filter((name) => !known[kind].includes(name))
      return unknown.map((name) => `${id}: there is no "${name}" among the ${kind}: ${known[kind].join(', ')}`)
    }),
  )
  if (problems.length > 0) throw new UsageError(summed(problems))
}

/** The regular expression that an expected answer is; null if it is a text. */
export function patternOf(answer: string): RegExp | null {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(answer) ?? []
  return source === undefined ? null : new RegExp(source, flags)
}

const shownProblems = 10

function summed(problems: readonly string[]): string {
  const more = problems.length - shownProblems
  return [...problems.slice(0, shownProblems), ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
}

function rowIn(line: string): EvalRow | string {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    return `this is not JSON: ${line.trim().slice(0, 40)}`
  }
  const { success, data, error } = row.safeParse(json)
  if (!success) return problemsIn(error)
  try {
    data.expect?.answers?.forEach(patternOf)
    return data
  } catch (error) {
    return asError(error).message
  }
}
