import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { PathNotFound, UsageError } from '../errors.ts'

const texts = z.array(z.string().min(1)).min(1)
const names = z.strictObject({ include: texts.optional(), exclude: texts.optional() })

/** What a run should come to; what is absent is not judged. */
const expectation = z.strictObject({
  /** One of them must stand in the answer: a text, or a regular expression between slashes (`/87\.2 ?%/i`). */
  answers: texts.optional(),
  /** The documents that a citation should name: file name, path, title or id. */
  documents: texts.optional(),
  /** The pages that a citation should stand on. */
  pages: z.array(z.number().int().min(1)).min(1).optional(),
  /** The documents do not say it: the answer should be that they do not. */
  abstain: z.boolean().optional(),
  /** The question is vague: it should be asked back about. */
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
  /** For those who read the file. */
  note: z.string().optional(),
})

/** One question of a dataset, and what should come of it. */
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
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue
    const place = `${source}:${index + 1}`
    const json = jsonOf(line)
    if (json === undefined) {
      problems.push(`${place}: this is not JSON: ${line.trim().slice(0, 40)}`)
      continue
    }
    const parsed = row.safeParse(json)
    if (!parsed.success) problems.push(`${place}: ${z.prettifyError(parsed.error)}`)
    else if (seen.has(parsed.data.id)) problems.push(`${place}: the id "${parsed.data.id}" stands twice`)
    else {
      problems.push(...badPatterns(parsed.data).map((problem) => `${place}: ${problem}`))
      seen.add(parsed.data.id)
      rows.push(parsed.data)
    }
  }
  if (problems.length > 0) throw new UsageError(summed(problems))
  if (rows.length === 0) throw new UsageError(`${source} holds no questions; write one JSON object a line.`)
  return rows
}

/** True where the row says what should come of its question. */
export function isJudged({ expect = {} }: EvalRow): boolean {
  return Object.values(expect).some((each) => each !== undefined)
}

/** Throws `UsageError` for agents and tools that no run could have, by their names, with those there are. */
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

/** undefined for what is no JSON. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function badPatterns({ expect }: EvalRow): readonly string[] {
  return (expect?.answers ?? []).flatMap((answer) => {
    try {
      patternOf(answer)
      return []
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)]
    }
  })
}
