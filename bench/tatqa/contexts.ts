import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/config.ts'
import type { PlainSet } from '../drafts/question-set.ts'
import { cacheFolder } from '../foreign/fetch.ts'
import { dataFolder } from '../question-sets.ts'

/** What a right answer is: a number, or spans of the context, and what the number counts in. */
export interface Gold {
  readonly answer: number | string | readonly string[]
  readonly answer_type: 'span' | 'multi-span' | 'arithmetic' | 'count'
  /** Empty: as it stands. */
  readonly scale: '' | 'thousand' | 'million' | 'billion' | 'percent'
}

interface TatqaQuestion extends Gold {
  readonly uid: string
  readonly question: string
  readonly derivation: string
}

interface TatqaContext {
  readonly table: { readonly uid: string; readonly table: readonly (readonly string[])[] }
  readonly paragraphs: readonly { readonly order: number; readonly text: string }[]
  readonly questions: readonly TatqaQuestion[]
}

/** Asks the writer for what the published evaluation compares, which knows no sentences. */
const form =
  'In the first sentence, put the short answer itself in **bold**, and nothing else: words as the passages have them, as few as answer it in full; each of several by itself; a figure with its scale (thousand, million, percent), a computed one with two decimals; a change with its sign, negative for a decrease, a difference without.'

/** The contexts of TAT-QA, each a page of HTML, and the questions, each limited to its own. */
export function tatqa(): PlainSet {
  const contexts = read()
  const folder = folderOf('pages')
  const files = new Map(
    contexts.map((context) => {
      const path = join(folder, `${context.table.uid}.html`)
      writeFileSync(path, pageOf(context))
      return [context.table.uid, path]
    }),
  )
  const questions = contexts.flatMap(({ table, questions: own }) =>
    own.map(({ uid, question, answer, scale, derivation }) => ({
      id: uid,
      question,
      wanted: [[answer].flat().join('; '), scale, derivation && `= ${derivation}`].filter(Boolean).join(' '),
      within: table.uid,
    })),
  )
  return { files, questions }
}

/** A folder with the writer's prompt, to which the form of the short answer is added. */
export function promptsWithForm(): string {
  const folder = folderOf('prompts')
  const prompt = readFileSync(join(packageRoot(), 'prompts', 'synthesis.md'), 'utf8')
  writeFileSync(join(folder, 'synthesis.md'), `${prompt.trimEnd()}\n\n${form}\n`)
  return folder
}

function folderOf(name: string): string {
  const folder = join(cacheFolder(), 'tatqa', name)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** The right answers by the ids of their questions. */
export function tatqaGold(): ReadonlyMap<string, Gold> {
  return new Map(read().flatMap(({ questions }) => questions.map((each) => [each.uid, each] as const)))
}

function read(): readonly TatqaContext[] {
  return JSON.parse(readFileSync(join(dataFolder(), 'tatqa', 'dev-120.json'), 'utf8'))
}

/** The table, then the paragraphs in their order: where between them it stood is not known, nor which rows are its head. */
export function pageOf({ table, paragraphs }: Pick<TatqaContext, 'table' | 'paragraphs'>): string {
  const rows = table.table.map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`)
  const sorted = [...paragraphs].sort((one, other) => one.order - other.order)
  const words = sorted.map(({ text }) => `<p>${escaped(text)}</p>`)
  return ['<!doctype html><html><body>', '<table>', ...rows, '</table>', ...words, '</body></html>', ''].join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
