import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitPassages } from '../src/library/passages/split.ts'
import type { Block, NewDocument, ReadDocument } from '../src/library/port/document.ts'
import type { PassageIndex } from '../src/library/port/passage-index.ts'
import { findPassages } from '../src/library/search.ts'

/** A question, the document that answers it, and where in that document's one page the answers stand. */
export interface SetQuestion {
  readonly question: string
  readonly documentId: string
  readonly answers: readonly { readonly start: number; readonly end: number; readonly text: string }[]
}

export interface QuestionSet {
  readonly name: string
  readonly documents: readonly NewDocument[]
  readonly questions: readonly SetQuestion[]
}

/** Documents and the claims that each is relevant to. */
export interface RetrievalSet {
  readonly name: string
  readonly documents: readonly NewDocument[]
  readonly queries: readonly { readonly text: string; readonly relevant: ReadonlySet<string> }[]
}

/** A benchmark's data are not on this machine. The message says in one line what to do. */
export class MissingData extends Error {}

/** The folder with the public question sets and papers, named by `QUAERO_DEV_DATA`. Throws `MissingData`. */
export function dataFolder(): string {
  const folder = process.env.QUAERO_DEV_DATA
  if (!folder) throw new MissingData('Set QUAERO_DEV_DATA to the folder that holds the question sets and papers.')
  if (!existsSync(folder)) throw new MissingData(`QUAERO_DEV_DATA names ${folder}, which does not exist.`)
  return folder
}

/** What to say of an error that stands for missing data, a file missing from the data folder included; else null. */
export function missingData(error: unknown): string | null {
  if (error instanceof MissingData) return error.message
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT' && 'path' in error)) return null
  const folder = process.env.QUAERO_DEV_DATA
  return folder && String(error.path).startsWith(folder) ? `QUAERO_DEV_DATA lacks ${error.path}.` : null
}

/** XQuAD in English: 240 paragraphs of Wikipedia, each a document and a passage of its own. */
export function xquad(folder: string): QuestionSet {
  const of = readRelevant(join(folder, 'xquad-en', 'qrels.tsv'))
  const documents = readLines<Text>(join(folder, 'xquad-en', 'corpus.jsonl')).map(asOnePassage)
  const questions = readLines<{ _id: string; text: string; answers: [string, number][] }>(
    join(folder, 'xquad-en', 'queries.jsonl'),
  ).map(({ _id, text, answers }) => ({
    question: text,
    documentId: [...(of.get(_id) ?? [])][0] ?? '',
    answers: answers.map(([answer, start]) => ({ start, end: start + answer.trim().length, text: answer.trim() })),
  }))
  return { name: 'XQuAD', documents, questions }
}

interface Article {
  readonly doc_id: string
  readonly title: string
  readonly text: string
  readonly qas: readonly { question: string; answers: readonly { text: string; answer_start: number }[] }[]
}

/** COVID-QA: 46 whole articles with experts' questions. */
export function covidQa(folder: string): QuestionSet {
  const articles = readLines<Article>(join(folder, 'covidqa', 'articles.jsonl'))
  return {
    name: 'COVID-QA',
    documents: articles.map(({ doc_id, title, text }) => asPassages({ _id: doc_id, title, text })),
    questions: articles.flatMap(({ doc_id, qas }) =>
      qas.map(({ question, answers }) => ({
        question,
        documentId: doc_id,
        answers: answers.map(({ text, answer_start }) => ({
          start: answer_start,
          end: answer_start + text.trim().length,
          text: text.trim(),
        })),
      })),
    ),
  }
}

/** SciFact, a selection: 2,000 abstracts, each a passage of its own, and the claims they bear on. */
export function sciFact(folder: string): RetrievalSet {
  const of = readRelevant(join(folder, 'scifact-small', 'qrels.tsv'))
  const queries = readLines<{ _id: string; text: string }>(join(folder, 'scifact-small', 'queries.jsonl'))
  return {
    name: 'SciFact (2,000 abstracts)',
    documents: readLines<Text>(join(folder, 'scifact-small', 'corpus.jsonl')).map(asOnePassage),
    queries: queries.flatMap(({ _id, text }) => {
      const relevant = of.get(_id)
      return relevant ? [{ text, relevant }] : []
    }),
  }
}

/** Puts a set's documents into an index. */
export async function fill(index: PassageIndex, documents: Iterable<NewDocument>): Promise<void> {
  for (const document of documents) {
    const { documentId, source } = document.record
    await index.put(document, { source, documentId, size: 0, modifiedMs: 0 })
  }
}

/** True if a stretch of a document overlaps one of the answers. */
export function holdsAnswer(question: SetQuestion, documentId: string, start: number, end: number): boolean {
  return (
    documentId === question.documentId && question.answers.some((answer) => start < answer.end && answer.start < end)
  )
}

interface Text {
  readonly _id: string
  readonly title: string
  readonly text: string
}

/** A text that is one page and one passage. */
export function asOnePassage({ _id, title, text }: Text): NewDocument {
  const passage = { passageId: `${_id}.0`, documentId: _id, ordinal: 0, page: 1, section: null, kind: 'text' } as const
  return newDocument({ _id, title, text }, [{ ...passage, start: 0, end: text.length, text }])
}

function asPassages(article: Text): NewDocument {
  return newDocument(article, splitPassages(article._id, toRead(article)))
}

function toRead({ text }: Text): ReadDocument {
  const blocks: Block[] = Array.from(text.matchAll(/[^\n]+/g), (line) => ({
    page: 1,
    start: line.index,
    end: line.index + line[0].length,
    kind: 'text',
    section: [],
  }))
  const pages = [{ number: 1, label: null, text, header: null }]
  return { format: 'text', title: null, authors: null, year: null, pages, blocks }
}

function newDocument({ _id, title, text }: Text, passages: NewDocument['passages']): NewDocument {
  return {
    record: {
      documentId: _id,
      title: title.replaceAll('_', ' '),
      authors: [],
      year: null,
      source: `${_id}.txt`,
      format: 'text',
    },
    pages: [{ number: 1, label: null, text, header: null }],
    passages,
  }
}

/** The rows of a file that holds one JSON value a line. */
export function readLines<T>(path: string): T[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as T)
}

function readRelevant(path: string): Map<string, Set<string>> {
  const relevant = new Map<string, Set<string>>()
  for (const line of readFileSync(path, 'utf8').trim().split('\n').slice(1)) {
    const [query = '', document = '', score] = line.split('\t')
    if (Number(score) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(document))
  }
  return relevant
}

/** The ten passages that the search finds for a question, as the ranking reads them. */
export async function evidenceFor(index: PassageIndex, question: string, documents: readonly string[] | null = null) {
  const found = await findPassages(index, question, { limit: 10, documents })
  return found.map(({ passage, document, score }) => ({
    ...passage,
    id: passage.passageId,
    title: document.title,
    score,
  }))
}
