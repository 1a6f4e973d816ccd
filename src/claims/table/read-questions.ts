import { z } from 'zod'
import { UsageError } from '../../errors.ts'
import { problemsIn } from '../../options.ts'
import type { TableRequest } from './fill-table.ts'
import { type ColumnForm, readForm } from './form.ts'
import { askedColumn } from './table.ts'

const inJson = z.array(askedColumn)

/**
 * The columns that a file lists: a question a line, with the form of its cells in brackets at the end ("How many took part?
 * [number]"), and comments after "#"; or a list in JSON. `form` is that of questions that state none. Throws `UsageError`.
 */
export function readQuestions(text: string, form: ColumnForm = 'text'): TableRequest['columns'] {
  const columns = text.trimStart().startsWith('[') ? jsonColumns(text) : text.split('\n').flatMap(lineColumn)
  if (columns.length === 0) throw new UsageError('There are no questions: write one a line.')
  return columns.map((each) => (typeof each === 'string' ? { question: each, form } : { form, ...each }))
}

function jsonColumns(text: string): TableRequest['columns'] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UsageError('The questions begin with "[", but they are no list in JSON.')
  }
  const parsed = inJson.safeParse(value)
  if (parsed.success) return parsed.data.map(withoutUndefined)
  throw new UsageError(`The questions cannot be used: ${problemsIn(parsed.error)}.`)
}

function withoutUndefined({ id, question, form }: z.output<typeof askedColumn>) {
  return { question, ...(id !== undefined && { id }), ...(form && { form }) }
}

function lineColumn(line: string): TableRequest['columns'] {
  const stated = line.trim()
  if (stated === '' || stated.startsWith('#')) return []
  const bracket = stated.endsWith(']') ? stated.lastIndexOf('[') : -1
  const question = stated.slice(0, bracket).trim()
  if (bracket < 0 || question === '') return [stated]
  const words = stated.slice(bracket + 1, -1)
  const form = readForm(words)
  if (form) return [{ question, form }]
  throw new UsageError(
    `"[${words}]" is no form of a column. There are [text], [number], [yes/no] and [one of a | b | c].`,
  )
}
