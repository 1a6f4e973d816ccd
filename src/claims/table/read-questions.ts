import { z } from 'zod'
import { UsageError } from '../../errors.ts'
import { problemsIn } from '../../options.ts'
import { parsed } from '../proof/carriers.ts'
import type { TableRequest } from './fill-table.ts'
import { type ColumnForm, readForm } from './form.ts'
import { askedColumn } from './table.ts'

const inJson = z.array(askedColumn)

/**
 * The columns that a file lists: a question a line, with the form of its cells in brackets at the end ("How many took part?
 * [number]"), and comments after "#"; or a list in JSON. `form` is that of questions that state none. Throws `UsageError`.
 */
export function readQuestions(text: string, form: ColumnForm = 'text'): TableRequest['columns'] {
  const columns = jsonColumns(text) ?? text.split(/\r\n?|\n/).flatMap(lineColumn)
  if (columns.length === 0) throw new UsageError('There are no questions: write one a line.')
  return columns.map((each) => (typeof each === 'string' ? { question: each, form } : { form, ...each }))
}

/** null for lines. */
function jsonColumns(text: string): TableRequest['columns'] | null {
  if (!/^\s*(?:\[|\{\s*")/.test(text)) return null
  const value = parsed(text)
  if (!Array.isArray(value)) throw new UsageError(noList)
  const { data, error } = inJson.safeParse(value)
  if (data) return data.map(withoutUndefined)
  throw new UsageError(`The questions cannot be used: ${problemsIn(error)}.`)
}

const noList =
  'The questions begin as JSON does, but they are no list in JSON, "[{ "question": "How many?", "form": "number" }]". In lines of text, a form stands behind its question: "How many? [number]".'

function withoutUndefined({ id, question, form }: z.output<typeof askedColumn>) {
  return { question, ...(id !== undefined && { id }), ...(form && { form }) }
}

function lineColumn(line: string): TableRequest['columns'] {
  const stated = line.trim()
  if (stated === '' || stated.startsWith('#')) return []
  const bracket = stated.endsWith(']') ? stated.lastIndexOf('[') : -1
  if (bracket < 0) return [stated]
  const question = stated.slice(0, bracket).trim()
  const words = stated.slice(bracket + 1, -1)
  const form = readForm(words)
  if (question === '') throw new UsageError(`There is no question before "${stated}".`)
  if (form) return [{ question, form }]
  throw new UsageError(
    `"[${words}]" is no form of a column. There are [text], [number], [yes/no] and [one of a | b | c] with 2 to 20 different options. If it belongs to the question, write a form behind it: "${stated} [text]".`,
  )
}
